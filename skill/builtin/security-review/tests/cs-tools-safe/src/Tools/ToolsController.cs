using System.Diagnostics;
using System.Net.Http;
using System.Security.Cryptography;
using Microsoft.AspNetCore.Mvc;
using Microsoft.Data.SqlClient;
using Microsoft.IdentityModel.Tokens;

namespace Tools;

public class ToolsController : Controller
{
    private const string Root = "/srv/files";
    private readonly HttpClient _httpClient = new();
    private readonly SqlConnection _connection;

    public ToolsController(SqlConnection connection) => _connection = connection;

    public IActionResult Uptime()
    {
        Process.Start("uptime", "--pretty");
        return Ok();
    }

    public IActionResult Download([FromQuery] string name)
    {
        var path = Path.Combine(Root, Path.GetFileName(name));
        return PhysicalFile(path, "application/octet-stream");
    }

    public async Task<IActionResult> News()
    {
        return Content(await _httpClient.GetStringAsync("https://news.example.com/feed"));
    }

    public IActionResult Find([FromQuery] string tag)
    {
        var sql = "SELECT Id FROM Files WHERE Tag = @tag";
        var command = new SqlCommand(sql, _connection);
        command.Parameters.AddWithValue("@tag", tag);
        return Ok(command.ExecuteScalar());
    }

    public static TokenValidationParameters Tokens() => new()
    {
        ValidateIssuer = true,
        RequireSignedTokens = true,
        ValidateIssuerSigningKey = true,
    };

    public static byte[] Seal(byte[] key, byte[] nonce, byte[] data, byte[] tag)
    {
        using var aes = new AesGcm(key, tag.Length);
        var sealedData = new byte[data.Length];
        aes.Encrypt(nonce, data, sealedData, tag);
        return sealedData;
    }
}
