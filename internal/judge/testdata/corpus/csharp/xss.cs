using System.Text.Encodings.Web;
using System.Threading.Tasks;
using System.Web;
using System.Web.UI;
using System.Web.UI.WebControls;
using Microsoft.AspNetCore.Html;
using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Mvc;
using Microsoft.AspNetCore.Mvc.Rendering;

namespace Forum;

public class TopicController : Controller
{
    public IActionResult Hello()
    {
        // ruleid: xss
        return Content("<h1>Hello " + Request.Query["name"] + "</h1>", "text/html");
    }

    public IActionResult HelloSafe()
    {
        // ok: xss
        return Content("<h1>Hello " + HtmlEncoder.Default.Encode(Request.Query["name"]) + "</h1>", "text/html");
    }

    public async Task Search()
    {
        string q = Request.Query["q"];
        Response.ContentType = "text/html";
        // ruleid: xss
        await Response.WriteAsync($"<p>Nothing found for {q}</p>");
    }

    public async Task SearchSafe()
    {
        string q = Request.Query["q"];
        Response.ContentType = "text/html";
        // ok: xss
        await Response.WriteAsync($"<p>Nothing found for {HttpUtility.HtmlEncode(q)}</p>");
    }

    public IHtmlContent Signature()
    {
        // ruleid: xss
        return new HtmlString("<em>" + Request.Form["signature"] + "</em>");
    }

    public IHtmlContent Badge()
    {
        // ok: xss
        return new HtmlString("<span class=\"badge\">new</span>");
    }

    public IActionResult Api()
    {
        // ok: xss
        return Json(new { name = Request.Query["name"].ToString() });
    }

    public IActionResult Topic(string title)
    {
        ViewData["Title"] = title;
        // ok: xss
        return View("Topic", new HtmlContentBuilder().Append(title));
    }

    public IHtmlContent Nick(IHtmlHelper html)
    {
        var nick = Request.Cookies["nick"];
        // ruleid: xss
        return html.Raw(
            "<b>" + nick + "</b>");
    }
}

public class OldPage : Page
{
    protected Literal City;
    protected Label Plain;

    protected void Render()
    {
        // ruleid: xss
        Response.Write("<h1>" + Request.QueryString["title"] + "</h1>");
        // ok: xss
        Response.Write("<h1>" + Server.HtmlEncode(Request.QueryString["title"]) + "</h1>");
        // ruleid: xss
        City.Text = "<b>" + Request.Form["city"] + "</b>";
        // ok: xss
        Plain.Text = "<b>" + "no city" + "</b>";
    }
}

public class WelcomeController : Controller
{
    public IActionResult Welcome()
    {
        string nick = Request.Cookies["nick"];
        if (nick == null)
        {
            return Redirect("/login");
        }
        string line = "<p>Welcome back, " + nick + "</p>";
        // ruleid: xss
        return Content(line, "text/html");
    }

    public IActionResult Pages()
    {
        int pages = int.Parse(Request.Query["pages"]);
        // ok: xss
        return Content($"<b>{pages} pages</b>", "text/html");
    }
}
