using System;
using System.IO;
using System.IO.Compression;
using System.Threading.Tasks;
using Microsoft.AspNetCore.Hosting;
using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Mvc;

namespace Files;

[ApiController]
[Route("files")]
public class FilesController : ControllerBase
{
    private const string Root = "/srv/files";
    private readonly IWebHostEnvironment environment;

    public FilesController(IWebHostEnvironment environment) => this.environment = environment;

    [HttpGet]
    public IActionResult Get()
    {
        // ruleid: path-traversal
        return PhysicalFile(Path.Combine(Root, Request.Query["name"]), "application/octet-stream");
    }

    [HttpGet("safe")]
    public IActionResult GetSafe()
    {
        // ok: path-traversal
        return PhysicalFile(Path.Combine(Root, Path.GetFileName(Request.Query["name"])), "application/octet-stream");
    }

    [HttpGet("logo")]
    public IActionResult Logo()
    {
        // ok: path-traversal
        return PhysicalFile(Path.Combine(environment.WebRootPath, "images", "logo.png"), "image/png");
    }

    [HttpGet("note")]
    public string Note()
    {
        string name = Request.Query["note"];
        if (string.IsNullOrEmpty(name))
        {
            return "";
        }
        // ruleid: path-traversal
        return System.IO.File.ReadAllText("/srv/notes/" + name + ".txt");
    }

    [HttpGet("note/checked")]
    public IActionResult NoteChecked(string note)
    {
        string full = Path.GetFullPath(Path.Combine("/srv/notes", note));
        if (!full.StartsWith("/srv/notes/", StringComparison.Ordinal))
        {
            return Forbid();
        }
        // ok: path-traversal
        return Content(System.IO.File.ReadAllText(full));
    }

    [HttpPost("upload")]
    public async Task Upload(IFormFile photo)
    {
        // ruleid: path-traversal
        await using var target = System.IO.File.Create(Path.Combine(Root, photo.FileName));
        await photo.CopyToAsync(target);
    }

    [HttpPost("upload/safe")]
    public async Task UploadSafe(IFormFile photo)
    {
        // ok: path-traversal
        await using var target = System.IO.File.Create(Path.Combine(Root, Guid.NewGuid() + ".jpg"));
        await photo.CopyToAsync(target);
    }

    [HttpDelete]
    public void Delete()
    {
        var victim = Request.Form["file"].ToString();
        // ruleid: path-traversal
        System.IO.File.Delete(
            Path.Combine(Root, victim));
    }

    [HttpGet("report/{number:int}")]
    public byte[] Report(int number)
    {
        // ok: path-traversal
        return System.IO.File.ReadAllBytes($"/srv/reports/{number}.pdf");
    }

    [HttpGet("log")]
    public FileStream Log()
    {
        // ruleid: path-traversal
        return new FileStream($"/var/log/app/{Request.Query["log"]}", FileMode.Open, FileAccess.Read);
    }

    [HttpPost("unpack")]
    public void Unpack(IFormFile archive)
    {
        using var zip = new ZipArchive(archive.OpenReadStream());
        foreach (ZipArchiveEntry entry in zip.Entries)
        {
            // ruleid: path-traversal
            entry.ExtractToFile(Path.Combine(Root, entry.FullName));
        }
    }

    [HttpGet("help")]
    public string Help()
    {
        // ok: path-traversal
        return "File.ReadAllText(Request.Query[\"file\"]) was removed, use /files/safe.";
    }
}

public class StyleController : ControllerBase
{
    public string Style()
    {
        string theme = Request.Headers["X-Theme"];
        if (theme == "")
        {
            theme = "light";
        }
        string folder = Path.Combine("/srv/themes", theme);
        // ruleid: path-traversal
        return System.IO.File.ReadAllText(Path.Combine(folder, "style.css"));
    }

    public string StyleKnown()
    {
        string theme = Request.Headers["X-Theme"] == "dark" ? "dark" : "light";
        // ok: path-traversal
        return System.IO.File.ReadAllText(Path.Combine("/srv/themes", theme, "style.css"));
    }
}
