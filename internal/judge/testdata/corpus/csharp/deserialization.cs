using System;
using System.IO;
using System.Runtime.Serialization;
using System.Runtime.Serialization.Formatters.Binary;
using System.Runtime.Serialization.Formatters.Soap;
using System.Text.Json;
using System.Web.Script.Serialization;
using System.Web.UI;
using System.Xml.Serialization;
using Microsoft.AspNetCore.Mvc;
using Newtonsoft.Json;
using YamlDotNet.Serialization;
using JsonSerializer = System.Text.Json.JsonSerializer;

namespace Jobs;

[ApiController]
[Route("jobs")]
public class JobsController : ControllerBase
{
    [HttpPost]
    public object Binary()
    {
        // ruleid: deserialization
        return new BinaryFormatter().Deserialize(Request.Body);
    }

    [HttpPost("json")]
    public Job Json()
    {
        // ok: deserialization
        return JsonSerializer.Deserialize<Job>(Request.Body);
    }

    [HttpPost("cookie")]
    public object Cookie()
    {
        byte[] raw = Convert.FromBase64String(Request.Cookies["job"]);
        // ruleid: deserialization
        return new LosFormatter().Deserialize(new MemoryStream(raw));
    }

    [HttpPost("typed")]
    public object Typed([FromBody] string body)
    {
        // ruleid: deserialization
        return JsonConvert.DeserializeObject(body, new JsonSerializerSettings
        {
            TypeNameHandling = TypeNameHandling.All,
        });
    }

    [HttpPost("untyped")]
    public Job Untyped([FromBody] string body)
    {
        // ok: deserialization
        return JsonConvert.DeserializeObject<Job>(body, new JsonSerializerSettings
        {
            TypeNameHandling = TypeNameHandling.None,
        });
    }

    [HttpPost("soap")]
    public object Soap()
    {
        // ruleid: deserialization
        return new SoapFormatter().Deserialize(Request.Body);
    }

    [HttpPost("contract")]
    public object Contract()
    {
        // ruleid: deserialization
        return new NetDataContractSerializer().ReadObject(Request.Body);
    }

    [HttpPost("contract/safe")]
    public object ContractSafe()
    {
        // ok: deserialization
        return new DataContractSerializer(typeof(Job)).ReadObject(Request.Body);
    }

    [HttpPost("script")]
    public object Script([FromBody] string body)
    {
        // ruleid: deserialization
        return new JavaScriptSerializer(new SimpleTypeResolver()).Deserialize<object>(body);
    }

    [HttpPost("xml")]
    public object Xml()
    {
        // ok: deserialization
        return new XmlSerializer(typeof(Job)).Deserialize(Request.Body);
    }

    [HttpPost("yaml")]
    public Job Yaml([FromBody] string body)
    {
        // ok: deserialization
        return new DeserializerBuilder().Build().Deserialize<Job>(body);
    }

    [HttpGet("help")]
    public string Help()
    {
        // BinaryFormatter.Deserialize was removed in .NET 9.
        // ok: deserialization
        return "Jobs are JSON; BinaryFormatter().Deserialize(stream) is not used.";
    }

    public class Job
    {
        public string Name { get; set; }
    }
}
