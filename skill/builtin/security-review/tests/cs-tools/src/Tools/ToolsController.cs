using System.Diagnostics;
using System.Net;
using System.Net.Http;
using System.Security.Cryptography;
using Microsoft.AspNetCore.Mvc;
using Microsoft.Data.SqlClient;
using Microsoft.IdentityModel.Tokens;

namespace Tools;

public class ToolsController : Controller
{
    private readonly HttpClient _httpClient = new();
    private readonly SqlConnection _connection;

    public ToolsController(SqlConnection connection) => _connection = connection;

    public IActionResult Lookup()
    {
        string host = Request.Query["host"];
        Process.Start("nslookup", host); // want high "command"
        return Ok();
    }

    public IActionResult Download([FromQuery] string name)
    {
        var path = Path.Combine("/srv/files", name); // want high "chooses the file"
        return PhysicalFile(path, "application/octet-stream"); // want high "chooses the file"
    }

    public async Task<IActionResult> Preview([FromQuery] string url)
    {
        return Content(await _httpClient.GetStringAsync(url)); // want high "address that the server calls"
    }

    public IActionResult Find([FromQuery] string tag)
    {
        var sql = "SELECT Id FROM Files WHERE Tag = '" + tag + "'"; // want high "put together"
        var command = new SqlCommand(sql, _connection); // want high "outside data"
        return Ok(command.ExecuteScalar());
    }

    public static TokenValidationParameters Tokens() => new()
    {
        ValidateIssuer = true,
        RequireSignedTokens = false, // want high "without a signature"
    };

    public static void Configure()
    {
        ServicePointManager.SecurityProtocol = SecurityProtocolType.Tls11; // want medium "outdated tls"
    }

    public static byte[] Seal(byte[] key, byte[] data)
    {
        using var aes = Aes.Create();
        aes.Key = key;
        aes.Mode = CipherMode.ECB; // want medium "cipher or mode"
        return aes.CreateEncryptor().TransformFinalBlock(data, 0, data.Length);
    }
}
