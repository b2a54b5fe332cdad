using System;
using System.Text;
using Amazon.Runtime;
using Azure.Storage.Blobs;
using Microsoft.Data.SqlClient;
using Microsoft.Extensions.Configuration;
using Microsoft.IdentityModel.Tokens;

namespace Config;

public class Settings
{
    // ruleid: hardcoded-secret
    private const string ApiKey = "nT8xQ3vZ9zLw5RpK7bYd2JcH4fGs6AuE";

    // ok: hardcoded-secret
    private const string ApiKeyHeader = "X-Api-Key";

    // ok: hardcoded-secret
    public const string PasswordPolicy = "RequireDigit";

    // ruleid: hardcoded-secret
    private const string Connection = "Server=db.internal;Database=Shop;User Id=shop;Password=Kz7_xRq4vLt9;";

    // ok: hardcoded-secret
    private const string LocalConnection = "Server=(localdb)\\mssqllocaldb;Database=Shop;Trusted_Connection=True;";

    // ok: hardcoded-secret
    private const string SampleConnection = "Server=db;Database=Shop;User Id=shop;Password={your_password};";

    public string ClientSecret { get; set; }

    public static Settings Load(IConfiguration configuration)
    {
        return new Settings
        {
            // ok: hardcoded-secret
            ClientSecret = configuration["Partner:ClientSecret"],
        };
    }

    public static Settings Fixed()
    {
        return new Settings
        {
            // ruleid: hardcoded-secret
            ClientSecret = "Wq8~Lz3xTv7Rk9Np2YcHd5JbGf1As4Eu",
        };
    }

    public BasicAWSCredentials Aws()
    {
        // ruleid: hardcoded-secret
        return new BasicAWSCredentials(
            "AKIA3WZT7XQLRN6KVJ2P",
            "z7Lw2Tq9Rv0Xk5Hf3Yc8Pd1JmNs6GuAoEbQi4+Tx");
    }

    public BasicAWSCredentials AwsExample()
    {
        // ok: hardcoded-secret
        return new BasicAWSCredentials("AKIAIOSFODNN7EXAMPLE", Environment.GetEnvironmentVariable("AWS_SECRET"));
    }

    public SymmetricSecurityKey SigningKey()
    {
        // ruleid: hardcoded-secret
        return new SymmetricSecurityKey(Encoding.UTF8.GetBytes("h7Qz3xTv9LwRk2Np8YcJd5BgFs1AuE4o"));
    }

    public SymmetricSecurityKey SigningKeyFrom(IConfiguration configuration)
    {
        // ok: hardcoded-secret
        return new SymmetricSecurityKey(Encoding.UTF8.GetBytes(configuration["Jwt:Key"]));
    }

    public BlobServiceClient Blobs()
    {
        // ruleid: hardcoded-secret
        return new BlobServiceClient("DefaultEndpointsProtocol=https;AccountName=shop;AccountKey=Qz7LmXw3TkRv9YpNcHd5JbGf2As1Eu08TiXoQz7LmXw3TkRv9YpNcHd5JbGf2As1Eu08TiXoAbCdEfGhIjKlMn==;EndpointSuffix=core.windows.net");
    }

    public SqlConnection Open()
    {
        // ok: hardcoded-secret
        return new SqlConnection(Environment.GetEnvironmentVariable("SHOP_CONNECTION") ?? LocalConnection);
    }
}
