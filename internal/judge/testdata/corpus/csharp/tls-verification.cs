using System.Net;
using System.Net.Http;
using System.Net.Security;
using System.Net.Sockets;
using System.Security.Cryptography.X509Certificates;
using MailKit.Net.Smtp;
using Microsoft.Extensions.Logging;

namespace Partner;

public class Clients
{
    private readonly ILogger<Clients> log;
    private readonly string thumbprint;

    public Clients(ILogger<Clients> log, string thumbprint)
    {
        this.log = log;
        this.thumbprint = thumbprint;
    }

    public HttpClient Trusting()
    {
        // ruleid: tls-verification
        var handler = new HttpClientHandler { ServerCertificateCustomValidationCallback = (message, cert, chain, errors) => true };
        return new HttpClient(handler);
    }

    public HttpClient Strict()
    {
        // ok: tls-verification
        var handler = new HttpClientHandler { CheckCertificateRevocationList = true };
        return new HttpClient(handler);
    }

    public HttpClient Pinned()
    {
        var handler = new HttpClientHandler();
        // ok: tls-verification
        handler.ServerCertificateCustomValidationCallback = (message, cert, chain, errors) =>
            errors == SslPolicyErrors.None && cert.Thumbprint == thumbprint;
        return new HttpClient(handler);
    }

    public HttpClient Dangerous()
    {
        var handler = new HttpClientHandler();
        // ruleid: tls-verification
        handler.ServerCertificateCustomValidationCallback = HttpClientHandler.DangerousAcceptAnyServerCertificateValidator;
        return new HttpClient(handler);
    }

    public static void Relax()
    {
        // ruleid: tls-verification
        ServicePointManager.ServerCertificateValidationCallback += (sender, cert, chain, errors) => true;
    }

    public static void Reset()
    {
        // ok: tls-verification
        ServicePointManager.ServerCertificateValidationCallback = null;
    }

    public SslStream Open(TcpClient tcp)
    {
        // ruleid: tls-verification
        return new SslStream(
            tcp.GetStream(),
            false,
            (sender, cert, chain, errors) => true);
    }

    public SslStream OpenChecked(TcpClient tcp)
    {
        // ok: tls-verification
        return new SslStream(
            tcp.GetStream(),
            false,
            (sender, cert, chain, errors) => errors == SslPolicyErrors.None);
    }

    public SmtpClient Mail()
    {
        var client = new SmtpClient();
        // ruleid: tls-verification
        client.ServerCertificateValidationCallback = delegate { return true; };
        return client;
    }

    public SmtpClient MailChecked()
    {
        // ok: tls-verification
        var client = new SmtpClient { CheckCertificateRevocation = true };
        return client;
    }

    public SocketsHttpHandler Sockets()
    {
        return new SocketsHttpHandler
        {
            SslOptions = new SslClientAuthenticationOptions
            {
                // ruleid: tls-verification
                RemoteCertificateValidationCallback = (sender, cert, chain, errors) => true,
            },
        };
    }

    public void Warn()
    {
        // ok: tls-verification
        log.LogWarning("ServerCertificateValidationCallback = (s, c, ch, e) => true is refused here");
    }
}
