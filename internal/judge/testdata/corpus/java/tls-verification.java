package partner;

import java.io.InputStream;
import java.net.URL;
import java.net.http.HttpClient;
import java.security.KeyStore;
import java.security.SecureRandom;
import java.security.cert.CertificateException;
import java.security.cert.X509Certificate;
import java.util.logging.Logger;
import javax.net.ssl.HostnameVerifier;
import javax.net.ssl.HttpsURLConnection;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManager;
import javax.net.ssl.TrustManagerFactory;
import javax.net.ssl.X509TrustManager;
import okhttp3.OkHttpClient;
import org.apache.http.conn.ssl.DefaultHostnameVerifier;
import org.apache.http.conn.ssl.NoopHostnameVerifier;
import org.apache.http.conn.ssl.TrustAllStrategy;
import org.apache.http.impl.client.CloseableHttpClient;
import org.apache.http.impl.client.HttpClients;
import org.apache.http.ssl.SSLContextBuilder;

class TrustingManager implements X509TrustManager {
    // ruleid: tls-verification
    @Override public void checkServerTrusted(X509Certificate[] chain, String type) { }

    @Override public void checkClientTrusted(X509Certificate[] chain, String type) throws CertificateException {
        throw new CertificateException("no client certificates");
    }

    @Override public X509Certificate[] getAcceptedIssuers() {
        return new X509Certificate[0];
    }
}

class PinningManager implements X509TrustManager {
    private final X509TrustManager parent;

    PinningManager(X509TrustManager parent) {
        this.parent = parent;
    }

    // ok: tls-verification
    @Override public void checkServerTrusted(X509Certificate[] chain, String type) throws CertificateException {
        parent.checkServerTrusted(chain, type);
    }

    @Override public void checkClientTrusted(X509Certificate[] chain, String type) throws CertificateException {
        parent.checkClientTrusted(chain, type);
    }

    @Override public X509Certificate[] getAcceptedIssuers() {
        return parent.getAcceptedIssuers();
    }
}

class Clients {
    private static final Logger LOG = Logger.getLogger("partner");

    InputStream open(URL url) throws Exception {
        HttpsURLConnection c = (HttpsURLConnection) url.openConnection();
        // ruleid: tls-verification
        c.setHostnameVerifier((host, session) -> true);
        return c.getInputStream();
    }

    InputStream openChecked(URL url) throws Exception {
        HttpsURLConnection c = (HttpsURLConnection) url.openConnection();
        // ok: tls-verification
        c.setHostnameVerifier(HttpsURLConnection.getDefaultHostnameVerifier());
        return c.getInputStream();
    }

    CloseableHttpClient apache() {
        // ruleid: tls-verification
        return HttpClients.custom().setSSLHostnameVerifier(NoopHostnameVerifier.INSTANCE).build();
    }

    CloseableHttpClient apacheChecked() {
        // ok: tls-verification
        return HttpClients.custom().setSSLHostnameVerifier(new DefaultHostnameVerifier()).build();
    }

    SSLContext apacheContext() throws Exception {
        // ruleid: tls-verification
        return SSLContextBuilder.create()
            .loadTrustMaterial(null, TrustAllStrategy.INSTANCE)
            .build();
    }

    OkHttpClient okHttp(SSLContext ctx, X509TrustManager manager) {
        // ruleid: tls-verification
        HostnameVerifier all = (host, session) -> { return true; };
        return new OkHttpClient.Builder().sslSocketFactory(ctx.getSocketFactory(), manager).hostnameVerifier(all).build();
    }

    SSLContext trusting() throws Exception {
        SSLContext ctx = SSLContext.getInstance("TLS");
        // ruleid: tls-verification
        ctx.init(null, new TrustManager[] {new TrustingManager()}, new SecureRandom());
        return ctx;
    }

    SSLContext checked(KeyStore store) throws Exception {
        TrustManagerFactory factory = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        factory.init(store);
        SSLContext ctx = SSLContext.getInstance("TLSv1.3");
        // ok: tls-verification
        ctx.init(null, factory.getTrustManagers(), new SecureRandom());
        return ctx;
    }

    HttpClient jdk() {
        // ok: tls-verification
        return HttpClient.newBuilder().followRedirects(HttpClient.Redirect.NORMAL).build();
    }

    void warn() {
        // ok: tls-verification
        LOG.warning("NoopHostnameVerifier and (host, session) -> true are not accepted in reviews");
    }
}
