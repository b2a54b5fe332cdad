using System;
using System.Linq;
using System.Net;
using System.Security.Authentication;
using System.Security.Cryptography;
using System.Text;
using Microsoft.AspNetCore.Identity;

namespace Account;

public class Passwords
{
    public string Hash(string password)
    {
        // ruleid: weak-crypto
        return Convert.ToHexString(MD5.HashData(Encoding.UTF8.GetBytes(password)));
    }

    public string HashNew(User user, string password)
    {
        // ok: weak-crypto
        return new PasswordHasher<User>().HashPassword(user, password);
    }

    public bool Matches(User user, string password)
    {
        using var sha = SHA1.Create();
        // ruleid: weak-crypto
        return user.PasswordHash == Convert.ToBase64String(sha.ComputeHash(Encoding.UTF8.GetBytes(user.Salt + password)));
    }

    public byte[] Derive(string password, byte[] salt)
    {
        // ok: weak-crypto
        return Rfc2898DeriveBytes.Pbkdf2(password, salt, 600_000, HashAlgorithmName.SHA256, 32);
    }

    public string ETag(byte[] body)
    {
        // ok: weak-crypto
        return "\"" + Convert.ToHexString(MD5.HashData(body)) + "\"";
    }

    public string CacheKey(params string[] parts)
    {
        // ok: weak-crypto
        return Convert.ToHexString(SHA1.HashData(Encoding.UTF8.GetBytes(string.Join("|", parts))));
    }
}

public class Seals
{
    public byte[] SealDes(byte[] key, byte[] iv, byte[] plain)
    {
        // ruleid: weak-crypto
        using var des = DES.Create();
        return des.CreateEncryptor(key, iv).TransformFinalBlock(plain, 0, plain.Length);
    }

    public byte[] SealEcb(byte[] key, byte[] plain)
    {
        using var aes = Aes.Create();
        aes.Key = key;
        // ruleid: weak-crypto
        aes.Mode = CipherMode.ECB;
        return aes.CreateEncryptor().TransformFinalBlock(plain, 0, plain.Length);
    }

    public byte[] SealRc2(byte[] key, byte[] iv, byte[] plain)
    {
        // ruleid: weak-crypto
        using var rc2 = new RC2CryptoServiceProvider
        {
            Key = key,
            IV = iv,
        };
        return rc2.CreateEncryptor().TransformFinalBlock(plain, 0, plain.Length);
    }

    public byte[] Seal(byte[] key, byte[] nonce, byte[] plain, byte[] tag)
    {
        var body = new byte[plain.Length];
        // ok: weak-crypto
        using var gcm = new AesGcm(key, 16);
        gcm.Encrypt(nonce, plain, body, tag);
        return body;
    }

    public static void OldTls()
    {
        // ruleid: weak-crypto
        ServicePointManager.SecurityProtocol = SecurityProtocolType.Ssl3 | SecurityProtocolType.Tls;
    }

    public static void NewTls()
    {
        // ok: weak-crypto
        ServicePointManager.SecurityProtocol = SecurityProtocolType.Tls12 | SecurityProtocolType.Tls13;
    }

    public static SslProtocols Protocols(bool old)
    {
        // ok: weak-crypto
        return old ? SslProtocols.Tls12 : SslProtocols.None;
    }

    public static RSA Key()
    {
        // ruleid: weak-crypto
        return RSA.Create(1024);
    }
}

public class User
{
    public string PasswordHash { get; set; }

    public string Salt { get; set; }
}
