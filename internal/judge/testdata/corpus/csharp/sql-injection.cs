using System.Collections.Generic;
using System.Data;
using System.Linq;
using System.Threading.Tasks;
using Dapper;
using Microsoft.AspNetCore.Mvc;
using Microsoft.Data.SqlClient;
using Microsoft.EntityFrameworkCore;
using Microsoft.Extensions.Logging;
using Npgsql;

namespace Shop.Orders;

[ApiController]
[Route("orders")]
public class OrdersController : ControllerBase
{
    private const string Columns = "Id, Customer, Total, State";

    private readonly string connectionString;
    private readonly ShopContext context;
    private readonly ILogger<OrdersController> log;

    public OrdersController(string connectionString, ShopContext context, ILogger<OrdersController> log)
    {
        this.connectionString = connectionString;
        this.context = context;
        this.log = log;
    }

    [HttpGet]
    public DataTable ByCustomer(string customer)
    {
        using var conn = new SqlConnection(connectionString);
        var table = new DataTable();
        // ruleid: sql-injection
        new SqlDataAdapter("SELECT * FROM Orders WHERE Customer = '" + customer + "'", conn).Fill(table);
        return table;
    }

    [HttpGet("bound")]
    public DataTable ByCustomerBound(string customer)
    {
        using var conn = new SqlConnection(connectionString);
        // ok: sql-injection
        using var cmd = new SqlCommand("SELECT " + Columns + " FROM Orders WHERE Customer = @customer", conn);
        cmd.Parameters.AddWithValue("@customer", customer);
        var table = new DataTable();
        new SqlDataAdapter(cmd).Fill(table);
        return table;
    }

    [HttpDelete]
    public async Task<int> Delete()
    {
        string id = Request.Query["id"];
        await using var conn = new NpgsqlConnection(connectionString);
        await conn.OpenAsync();
        // ruleid: sql-injection
        await using var cmd = new NpgsqlCommand($"DELETE FROM orders WHERE id = {id}", conn);
        return await cmd.ExecuteNonQueryAsync();
    }

    [HttpGet("search")]
    public IEnumerable<Order> Search(string q)
    {
        using var conn = new SqlConnection(connectionString);
        // ruleid: sql-injection
        return conn.Query<Order>($"SELECT * FROM Orders WHERE Note LIKE '%{q}%'").ToList();
    }

    [HttpGet("search/bound")]
    public IEnumerable<Order> SearchBound(string q)
    {
        using var conn = new SqlConnection(connectionString);
        // ok: sql-injection
        return conn.Query<Order>(
            "SELECT * FROM Orders WHERE Note LIKE @Pattern AND Kind NOT LIKE '%draft%'",
            new { Pattern = $"%{q}%" }).ToList();
    }

    [HttpGet("entities")]
    public List<Order> Entities(string state)
    {
        // ruleid: sql-injection
        return context.Orders.FromSqlRaw("SELECT * FROM Orders WHERE State = '" + state + "'").ToList();
    }

    [HttpGet("entities/bound")]
    public List<Order> EntitiesBound(string state)
    {
        // ok: sql-injection
        return context.Orders.FromSqlInterpolated($"SELECT * FROM Orders WHERE State = {state}").ToList();
    }

    [HttpPost("archive")]
    public int Archive()
    {
        // ok: sql-injection
        return context.Database.ExecuteSqlRaw("DELETE FROM Orders " + "WHERE State = 'archived'");
    }

    [HttpPost("touch")]
    public int Touch()
    {
        string state = Request.Form["state"];
        using var conn = new SqlConnection(connectionString);
        conn.Open();
        using var cmd = conn.CreateCommand();
        // ruleid: sql-injection
        cmd.CommandText = "UPDATE Orders SET Touched = GETDATE() WHERE State = '" + state + "'";
        return cmd.ExecuteNonQuery();
    }

    [HttpPost("rename")]
    public int Rename(int id, string customer)
    {
        using var conn = new SqlConnection(connectionString);
        conn.Open();
        using var cmd = conn.CreateCommand();
        // ok: sql-injection
        cmd.CommandText = "UPDATE Orders SET Customer = @customer WHERE Id = @id";
        cmd.Parameters.AddWithValue("@customer", customer);
        cmd.Parameters.AddWithValue("@id", id);
        // ok: sql-injection
        log.LogInformation("UPDATE Orders SET Customer = '" + customer + "' WHERE Id = " + id);
        return cmd.ExecuteNonQuery();
    }

    [HttpGet("sorted")]
    public IEnumerable<Order> Sorted()
    {
        using var conn = new SqlConnection(connectionString);
        // ruleid: sql-injection
        return conn.Query<Order>(
            string.Format("SELECT * FROM Orders ORDER BY {0}", Request.Query["sort"])).ToList();
    }
}

public class ExportController : ControllerBase
{
    private readonly SqlConnection conn;

    public ExportController(SqlConnection conn) => this.conn = conn;

    public object Export()
    {
        string since = Request.Query["since"];
        string format = Request.Query["format"];
        if (format != "csv" && format != "json")
        {
            return BadRequest();
        }
        string where = "Created > '" + since + "'";
        // ruleid: sql-injection
        return conn.Query("SELECT Id, Total FROM Orders WHERE " + where).ToList();
    }

    public object Page()
    {
        int page = int.Parse(Request.Query["page"]);
        // ok: sql-injection
        return conn.Query($"SELECT Id, Total FROM Orders ORDER BY Id OFFSET {page * 20} ROWS").ToList();
    }
}
