using System.IdentityModel.Tokens.Jwt;
using System.Linq;
using System.Security.Claims;
using JWT;
using JWT.Algorithms;
using JWT.Builder;
using Microsoft.AspNetCore.Http;
using Microsoft.IdentityModel.Tokens;

namespace Session;

public class Tokens
{
    private readonly SecurityKey key;
    private readonly JwtSecurityTokenHandler handler = new();

    public Tokens(SecurityKey key) => this.key = key;

    public string User(HttpRequest request)
    {
        // ruleid: jwt-unverified
        return handler.ReadJwtToken(request.Headers["X-Token"]).Subject;
    }

    public ClaimsPrincipal UserVerified(string token)
    {
        // ok: jwt-unverified
        return handler.ValidateToken(token, new TokenValidationParameters
        {
            ValidateIssuerSigningKey = true,
            IssuerSigningKey = key,
            ValidAudience = "shop",
            ValidIssuer = "login",
        }, out _);
    }

    public bool Admin(string token)
    {
        // ruleid: jwt-unverified
        JwtSecurityToken jwt = handler.ReadJwtToken(token);
        return jwt.Claims.Any(c => c.Type == "admin" && c.Value == "true");
    }

    public ClaimsPrincipal ByKeyId(string token, System.Func<string, SecurityKey> find)
    {
        // ok: jwt-unverified
        string id = handler.ReadJwtToken(token).Header.Kid;
        // ok: jwt-unverified
        return handler.ValidateToken(token, new TokenValidationParameters { IssuerSigningKey = find(id) }, out _);
    }

    public TokenValidationParameters Lax()
    {
        return new TokenValidationParameters
        {
            ValidateIssuer = true,
            ValidIssuer = "login",
            // ruleid: jwt-unverified
            RequireSignedTokens = false,
        };
    }

    public TokenValidationParameters AnySignature()
    {
        return new TokenValidationParameters
        {
            // ruleid: jwt-unverified
            SignatureValidator = (token, parameters) => new JwtSecurityToken(token),
        };
    }

    public TokenValidationParameters Strict()
    {
        return new TokenValidationParameters
        {
            IssuerSigningKey = key,
            // ok: jwt-unverified
            RequireSignedTokens = true,
            // ok: jwt-unverified
            ValidateIssuerSigningKey = true,
        };
    }

    public string Decode(string token)
    {
        // ruleid: jwt-unverified
        return JwtBuilder.Create()
            .DoNotVerifySignature()
            .Decode(token);
    }

    public string DecodeVerified(string token, byte[] secret)
    {
        // ok: jwt-unverified
        return JwtBuilder.Create()
            .WithAlgorithm(new HMACSHA256Algorithm())
            .WithSecret(secret)
            .MustVerifySignature()
            .Decode(token);
    }

    public string DecodeOld(IJwtDecoder decoder, string token)
    {
        // ruleid: jwt-unverified
        return decoder.Decode(token, verify: false);
    }

    public string Help()
    {
        // ok: jwt-unverified
        return "handler.ReadJwtToken(token) does not check the signature.";
    }
}
