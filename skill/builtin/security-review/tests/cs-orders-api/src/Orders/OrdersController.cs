using System.Data.SqlClient;
using System.Net.Http;
using System.Runtime.Serialization.Formatters.Binary;
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
        // want high "sql"
        using var command = new SqlCommand($"SELECT Id FROM Orders WHERE Customer = '{customer}'", _connection);
        return Ok(command.ExecuteScalar());
    }

    [HttpPost("import")]
    public IActionResult Import()
    {
        var formatter = new BinaryFormatter(); // want medium "deserialized"
        var order = (Order)formatter.Deserialize(Request.Body);
        return Redirect(Request.Query["returnUrl"]); // want medium "where the user is sent"
    }

    public static HttpClient Carrier() => new(new HttpClientHandler
    {
        // want high "not verified"
        ServerCertificateCustomValidationCallback = (message, cert, chain, errors) => true,
    });
}
