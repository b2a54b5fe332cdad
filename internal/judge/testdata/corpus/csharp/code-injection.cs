using System;
using System.CodeDom.Compiler;
using System.Data;
using System.Linq;
using System.Linq.Dynamic.Core;
using System.Reflection;
using System.Threading.Tasks;
using System.Web.UI;
using Microsoft.AspNetCore.Mvc;
using Microsoft.CodeAnalysis.CSharp.Scripting;
using Microsoft.CSharp;
using RazorEngine;
using RazorEngine.Templating;

namespace Sheet;

[ApiController]
[Route("sheet")]
public class SheetController : ControllerBase
{
    [HttpPost("calc")]
    public async Task<object> Calc()
    {
        // ruleid: code-injection
        return await CSharpScript.EvaluateAsync(Request.Form["expression"]);
    }

    [HttpPost("tax")]
    public async Task<double> Tax(double price)
    {
        // ok: code-injection
        return await CSharpScript.EvaluateAsync<double>("Price * 0.19", globals: new Globals { Price = price });
    }

    [HttpPost("macro")]
    public async Task<object> Macro([FromBody] string source)
    {
        // ruleid: code-injection
        var state = await CSharpScript.RunAsync("using System; " + source);
        return state.ReturnValue;
    }

    [HttpPost("compile")]
    public void Compile()
    {
        string source = Request.Form["source"];
        var provider = new CSharpCodeProvider();
        // ruleid: code-injection
        CompilerResults results = provider.CompileAssemblyFromSource(
            new CompilerParameters { GenerateInMemory = true },
            source);
        results.CompiledAssembly.EntryPoint?.Invoke(null, null);
    }

    [HttpPost("mail")]
    public string Mail()
    {
        // ruleid: code-injection
        return Engine.Razor.RunCompile(Request.Form["template"], "mail", null, new { Name = "Anna" });
    }

    [HttpPost("mail/safe")]
    public string MailSafe(string name)
    {
        // ok: code-injection
        return Engine.Razor.RunCompile("Hello @Model.Name", "mail", null, new { Name = name });
    }

    [HttpPost("plugin")]
    public void Plugin()
    {
        byte[] image = Convert.FromBase64String(Request.Form["plugin"]);
        // ruleid: code-injection
        Assembly.Load(image).EntryPoint?.Invoke(null, null);
    }

    [HttpPost("plugin/known")]
    public Assembly PluginKnown()
    {
        // ok: code-injection
        return Assembly.Load("Sheet.Plugins, Version=1.0.0.0");
    }

    [HttpGet("type")]
    public object Create()
    {
        var name = Request.Query["type"].ToString();
        // ruleid: code-injection
        return Activator.CreateInstance(Type.GetType(name));
    }

    [HttpGet("type/known")]
    public object CreateKnown()
    {
        // ok: code-injection
        return Activator.CreateInstance(typeof(Globals));
    }

    [HttpGet("table")]
    public object Table(DataTable table)
    {
        // ok: code-injection
        return table.Compute("SUM(Price)", "Price > 0");
    }

    [HttpGet("bind")]
    public string Bind(object row)
    {
        // ok: code-injection
        return DataBinder.Eval(row, "Name", "{0}");
    }

    [HttpGet("help")]
    public string Help()
    {
        // ok: code-injection
        return "CSharpScript.EvaluateAsync(expression) is not offered to users.";
    }

    public class Globals
    {
        public double Price { get; set; }
    }
}
