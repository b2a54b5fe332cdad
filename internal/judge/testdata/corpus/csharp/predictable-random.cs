using System;
using System.Linq;
using System.Security.Cryptography;

namespace Invite;

public class Codes
{
    private const string Alphabet = "ABCDEFGHJKLMNPQRSTUVWXYZ23456789";
    private readonly Random random = new();

    public string SessionToken()
    {
        // ruleid: predictable-random
        var token = new Random().Next().ToString("x8");
        return token;
    }

    public string SessionTokenStrong()
    {
        // ok: predictable-random
        var token = Convert.ToHexString(RandomNumberGenerator.GetBytes(32));
        return token;
    }

    public string ResetCode()
    {
        // ruleid: predictable-random
        string resetCode = Random.Shared.Next(0, 1_000_000).ToString("D6");
        return resetCode;
    }

    public string ResetCodeStrong()
    {
        // ok: predictable-random
        string resetCode = RandomNumberGenerator.GetInt32(1_000_000).ToString("D6");
        return resetCode;
    }

    public string Password(int length)
    {
        // ruleid: predictable-random
        var password = new string(Enumerable.Range(0, length).Select(_ => Alphabet[random.Next(Alphabet.Length)]).ToArray());
        return password;
    }

    public byte[] Salt()
    {
        var salt = new byte[16];
        // ruleid: predictable-random
        new Random(Environment.TickCount).NextBytes(salt);
        return salt;
    }

    public string ApiKey()
    {
        var key = new byte[32];
        var source = new Random();
        // ruleid: predictable-random
        source.NextBytes(key);
        return Convert.ToBase64String(key);
    }

    public int Dice()
    {
        // ok: predictable-random
        return random.Next(1, 7);
    }

    public TimeSpan Backoff(int attempt)
    {
        // ok: predictable-random
        return TimeSpan.FromMilliseconds(Math.Pow(2, attempt) * 100 + Random.Shared.Next(100));
    }

    public string Banner(string[] banners)
    {
        // ok: predictable-random
        return banners[random.Next(banners.Length)];
    }
}
