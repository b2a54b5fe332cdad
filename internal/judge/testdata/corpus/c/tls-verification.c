#include <stdio.h>

#include <curl/curl.h>
#include <gnutls/gnutls.h>
#include <mbedtls/ssl.h>
#include <openssl/ssl.h>
#include <openssl/x509_vfy.h>

static int accept_any(int ok, X509_STORE_CTX *store)
{
    (void)ok;
    (void)store;
    // ruleid: tls-verification
    return 1;
}

static int log_and_keep(int ok, X509_STORE_CTX *store)
{
    if (!ok)
        fprintf(stderr, "depth %d\n", X509_STORE_CTX_get_error_depth(store));
    // ok: tls-verification
    return ok;
}

SSL_CTX *context(void)
{
    SSL_CTX *ctx = SSL_CTX_new(TLS_client_method());

    // ruleid: tls-verification
    SSL_CTX_set_verify(ctx, SSL_VERIFY_NONE, NULL);
    return ctx;
}

SSL_CTX *context_safe(void)
{
    SSL_CTX *ctx = SSL_CTX_new(TLS_client_method());

    SSL_CTX_set_default_verify_paths(ctx);
    // ok: tls-verification
    SSL_CTX_set_verify(ctx, SSL_VERIFY_PEER, log_and_keep);
    return ctx;
}

void connection(SSL *ssl)
{
    // ruleid: tls-verification
    SSL_set_verify(ssl, SSL_VERIFY_NONE, accept_any);
}

CURLcode charge(CURL *curl)
{
    curl_easy_setopt(curl, CURLOPT_URL, "https://pay.example.net/charge");
    // ruleid: tls-verification
    curl_easy_setopt(curl, CURLOPT_SSL_VERIFYPEER, 0L);
    // ruleid: tls-verification
    curl_easy_setopt(curl, CURLOPT_SSL_VERIFYHOST, 0L);
    return curl_easy_perform(curl);
}

CURLcode charge_safe(CURL *curl)
{
    curl_easy_setopt(curl, CURLOPT_URL, "https://pay.example.net/charge");
    // ok: tls-verification
    curl_easy_setopt(curl, CURLOPT_SSL_VERIFYPEER, 1L);
    // ok: tls-verification
    curl_easy_setopt(curl, CURLOPT_SSL_VERIFYHOST, 2L);
    return curl_easy_perform(curl);
}

void mbed(mbedtls_ssl_config *conf)
{
    // ruleid: tls-verification
    mbedtls_ssl_conf_authmode(conf, MBEDTLS_SSL_VERIFY_NONE);
}

void mbed_safe(mbedtls_ssl_config *conf)
{
    // ok: tls-verification
    mbedtls_ssl_conf_authmode(conf, MBEDTLS_SSL_VERIFY_REQUIRED);
}

const char *mode_name(int mode)
{
    // ok: tls-verification
    return mode == SSL_VERIFY_NONE ? "none" : "peer";
}

void server(gnutls_session_t session)
{
    // ok: tls-verification
    gnutls_session_set_verify_cert(session, "pay.example.net", 0);
}
