#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <sstream>
#include <string>

#include <crow.h>
#include <httplib.h>

static std::string escape_html(const std::string &s)
{
    std::string out;
    for (char c : s) {
        switch (c) {
        case '<': out += "&lt;"; break;
        case '>': out += "&gt;"; break;
        case '&': out += "&amp;"; break;
        case '"': out += "&quot;"; break;
        default: out += c;
        }
    }
    return out;
}

void hello(const httplib::Request &req, httplib::Response &res)
{
    // ruleid: xss
    res.set_content("<h1>Hello " + req.get_param_value("name") + "</h1>", "text/html");
}

void hello_safe(const httplib::Request &req, httplib::Response &res)
{
    // ok: xss
    res.set_content("<h1>Hello " + escape_html(req.get_param_value("name")) + "</h1>", "text/html");
}

void hello_text(const httplib::Request &req, httplib::Response &res)
{
    // ok: xss
    res.set_content("Hello " + req.get_param_value("name"), "text/plain");
}

void search(const httplib::Request &req, httplib::Response &res)
{
    const std::string q = req.get_param_value("q");
    // ruleid: xss
    res.set_content(
        "<p>Nothing found for " + q + "</p>",
        "text/html; charset=utf-8");
}

void banner(const httplib::Request &, httplib::Response &res)
{
    // ok: xss
    res.set_content("<b>" + std::string("Welcome") + "</b>", "text/html");
}

void cgi()
{
    const char *query = std::getenv("QUERY_STRING");
    std::cout << "Content-Type: text/html\r\n\r\n";
    // ruleid: xss
    std::cout << "<p>You searched for " << query << "</p>\n";
}

void cgi_safe()
{
    const char *query = std::getenv("QUERY_STRING");
    std::cout << "Content-Type: text/html\r\n\r\n";
    // ok: xss
    std::cout << "<p>You searched for " << escape_html(query ? query : "") << "</p>\n";
}

void cgi_printf()
{
    const char *agent = std::getenv("HTTP_USER_AGENT");
    std::printf("Content-Type: text/html\r\n\r\n");
    // ruleid: xss
    std::printf("<td class=\"agent\">%s</td>\n", agent);
    // ok: xss
    std::fprintf(stderr, "<td> for agent %s written\n", agent);
}

crow::response nick(const crow::request &req)
{
    const char *nick = req.url_params.get("nick");
    // ruleid: xss
    crow::response res(std::string("<b>") + nick + "</b>");
    res.set_header("Content-Type", "text/html");
    return res;
}
