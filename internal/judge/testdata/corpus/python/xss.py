"""Views of the guest book."""
import html

from django.http import HttpResponse, JsonResponse
from django.shortcuts import render
from django.utils.html import escape, format_html
from django.utils.safestring import mark_safe
from flask import Flask, jsonify, make_response, render_template, request
from markupsafe import Markup

app = Flask(__name__)


@app.get("/hello")
def hello():
    # ruleid: xss
    return "<h1>Hello " + request.args.get("name", "") + "</h1>"


@app.get("/hello2")
def hello_safe():
    # ok: xss
    return "<h1>Hello " + html.escape(request.args.get("name", "")) + "</h1>"


@app.get("/search")
def search():
    q = request.args["q"]
    # ruleid: xss
    return make_response(f"<p>No entries for {q}</p>")


@app.get("/search2")
def search_safe():
    q = request.args["q"]
    # ok: xss
    return render_template("search.html", q=q)


def entry(request):
    text = request.POST.get("text", "")
    # ruleid: xss
    return HttpResponse("<div class='entry'>%s</div>" % text)


def entry_safe(request):
    text = request.POST.get("text", "")
    # ok: xss
    return HttpResponse("<div class='entry'>%s</div>" % escape(text))


def signature(request):
    # ruleid: xss
    return mark_safe("<em>" + request.GET["signature"] + "</em>")


def badge():
    # ok: xss
    return mark_safe('<span class="badge">new</span>')


def link(user):
    # ok: xss
    return format_html('<a href="/users/{}">{}</a>', user.pk, user.name)


@app.get("/banner")
def banner():
    # ruleid: xss
    body = Markup("<b>{}</b>".format(request.cookies.get("campaign")))
    return render_template("banner.html", body=body)


@app.get("/banner2")
def banner_safe():
    # ok: xss
    body = Markup("<b>{}</b>").format(request.cookies.get("campaign"))
    return render_template("banner.html", body=body)


def api(request):
    # ok: xss
    return JsonResponse({"text": request.POST.get("text", "")})


def preview(request):
    # ruleid: xss
    return HttpResponse(
        "<article>" + request.POST["body"] + "</article>",
        content_type="text/html",
    )


@app.get("/welcome")
def welcome():
    nick = request.cookies.get("nick")
    if nick is None:
        return "", 401
    page = "<p>Welcome back, " + nick + "</p>"
    response = make_response()
    # ruleid: xss
    response.set_data(page)
    return response


def page_count(request):
    pages = int(request.GET.get("pages", "1"))
    # ok: xss
    return HttpResponse(f"<b>{pages} pages</b>")
