using System;
using System.Collections.Generic;
using System.Diagnostics;
using System.IO;
using System.Text.RegularExpressions;
using Microsoft.AspNetCore.Mvc;
using Microsoft.Extensions.Logging;

namespace Media.Tools;

[ApiController]
[Route("tools")]
public class ToolsController : ControllerBase
{
    private static readonly Dictionary<string, string> Tools = new()
    {
        ["git"] = "/usr/bin/git",
        ["dotnet"] = "/usr/bin/dotnet",
    };

    private readonly ILogger<ToolsController> log;

    public ToolsController(ILogger<ToolsController> log) => this.log = log;

    [HttpGet("ping")]
    public void Ping(string host)
    {
        // ruleid: command-injection
        Process.Start("cmd.exe", "/c ping -n 1 " + host);
    }

    [HttpGet("ping/safe")]
    public void PingSafe(string host)
    {
        // ok: command-injection
        var info = new ProcessStartInfo("ping") { ArgumentList = { "-n", "1", host } };
        Process.Start(info)?.WaitForExit();
    }

    [HttpPost("convert")]
    public void Convert()
    {
        string file = Request.Form["file"];
        // ruleid: command-injection
        Process.Start("/bin/bash", $"-c \"convert {file} /srv/out.png\"");
    }

    [HttpPost("convert/safe")]
    public void ConvertSafe()
    {
        string file = Path.GetFileName(Request.Form["file"]);
        // ok: command-injection
        Process.Start("convert", new[] { Path.Combine("/srv/in", file), "/srv/out.png" });
    }

    [HttpPost("archive")]
    public void Archive(string dir)
    {
        var info = new ProcessStartInfo
        {
            FileName = "/bin/sh",
            // ruleid: command-injection
            Arguments = "-c 'tar czf /tmp/site.tgz " + dir + "'",
            UseShellExecute = false,
        };
        Process.Start(info);
    }

    [HttpPost("sync")]
    public void Sync()
    {
        var info = new ProcessStartInfo
        {
            FileName = "/bin/sh",
            // ok: command-injection
            Arguments = "-c 'rsync -a /srv/media/ /mnt/backup/ && sync'",
            UseShellExecute = false,
        };
        Process.Start(info);
    }

    [HttpPost("run")]
    public void Run()
    {
        // ruleid: command-injection
        Process.Start(Request.Form["program"], Request.Form["arguments"]);
    }

    [HttpGet("version")]
    public void Version(string tool)
    {
        if (!Tools.TryGetValue(tool, out var path))
        {
            return;
        }
        // ok: command-injection
        Process.Start(path, "--version");
    }

    [HttpGet("lookup")]
    public void Lookup()
    {
        var domain = Request.Query["domain"].ToString();
        log.LogInformation("lookup of {Domain}", domain);
        // ruleid: command-injection
        Process.Start(
            "powershell.exe",
            "-Command Resolve-DnsName " + domain);
    }

    [HttpGet("open")]
    public void Open()
    {
        // ok: command-injection
        Process.Start(new ProcessStartInfo("https://example.com/help") { UseShellExecute = true });
    }

    [HttpGet("report")]
    public string Report(string host)
    {
        // ok: command-injection
        log.LogWarning("Process.Start(\"cmd.exe\", \"/c ping " + host + "\") was refused");
        return Regex.Escape(host);
    }

    [HttpGet("probe")]
    public void Probe(string input)
    {
        // ruleid: command-injection
        using var p = new Process { StartInfo = new ProcessStartInfo("cmd.exe", "/C ffprobe " + input) };
        p.Start();
    }
}
