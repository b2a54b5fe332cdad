using System.Data.SqlClient;
using System.Net.Http;
using System.Net.Security;
using System.Text.Json;
using Microsoft.AspNetCore.Mvc;

namespace Orders;

[ApiController]
[Route("orders")]
public class OrdersController : ControllerBase
{
    private readonly SqlConnection _connection;

    public OrdersController(SqlConnection connection) => _connection = connection;

    [HttpGet]
    public IActionResult Find(string customer)
    {
        using var command = new SqlCommand("SELECT Id FROM Orders WHERE Customer = @customer", _connection);
        command.Parameters.AddWithValue("@customer", customer);
        return Ok(command.ExecuteScalar());
    }

    [HttpPost("import")]
    public async Task<IActionResult> Import()
    {
        var order = await JsonSerializer.DeserializeAsync<Order>(Request.Body);
        return order is null ? BadRequest() : LocalRedirect(Request.Query["returnUrl"]);
    }

    public static HttpClient Carrier() => new(new HttpClientHandler
    {
        ServerCertificateCustomValidationCallback = (message, cert, chain, errors) => errors == SslPolicyErrors.None,
    });
}
