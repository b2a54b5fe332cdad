#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <curl/curl.h>
#include <mysql/mysql.h>

// ruleid: hardcoded-secret
static const char *API_TOKEN = "vZ9qTx3LwK7mRp2NbYc8HdJ5GfAs1EuQ";

// ok: hardcoded-secret
static const char *API_TOKEN_ENV = "CONVERTER_API_TOKEN";

// ok: hardcoded-secret
#define PASSWORD_MAX 128

// ruleid: hardcoded-secret
#define WIFI_PASSWORD "Kq7-xTz3vLw9Rm"

// ok: hardcoded-secret
#define WIFI_PASSWORD_PLACEHOLDER "<your-wifi-password>"

// ruleid: hardcoded-secret
static const char aws_access_key_id[] = "AKIA8TZQX3WLRN7KVJ5P";

// ok: hardcoded-secret
static const char example_key_id[] = "AKIAIOSFODNN7EXAMPLE";

// ruleid: hardcoded-secret
static const char device_key[] = "-----BEGIN EC PRIVATE KEY-----\n"
    "MHcCAQEEIKq7xTz3vLw9RmNpYc2HdJbGfAs8EuQoAoGCCqGSM49AwEHoUQDQgAE\n"
    "wT5zXk9LqRv3Nm7PbYc1HdJ4GfEs8AuQiOo2xKz6vTw0RjMpYd3HcLbNfGs5EuQ=\n"
    "-----END EC PRIVATE KEY-----\n";

// ok: hardcoded-secret
static const char device_certificate[] = "-----BEGIN CERTIFICATE-----\n"
    "MIIBszCCAVmgAwIBAgIUQx7Tz3vLw9RmNpYc2HdJbGfAs8EwCgYIKoZIzj0EAwIw\n"
    "-----END CERTIFICATE-----\n";

MYSQL *open_database(MYSQL *conn)
{
    // ruleid: hardcoded-secret
    return mysql_real_connect(conn, "db.internal", "shop", "Wz7_qTx3vLk9", "shop", 0, NULL, 0);
}

MYSQL *open_from_environment(MYSQL *conn)
{
    // ok: hardcoded-secret
    return mysql_real_connect(conn, "db.internal", "shop", getenv("DB_PASSWORD"), "shop", 0, NULL, 0);
}

struct curl_slist *headers(void)
{
    // ruleid: hardcoded-secret
    return curl_slist_append(NULL, "Authorization: Bearer ghp_Xk9LqRv3Nm7PbYc1HdJ4GfEs8AuQiO2xKz6T");
}

struct curl_slist *headers_from(const char *token)
{
    char line[256];

    // ok: hardcoded-secret
    snprintf(line, sizeof(line), "Authorization: Bearer %s", token ? token : API_TOKEN);
    return curl_slist_append(NULL, line);
}

int ask(char *password, size_t len)
{
    // ok: hardcoded-secret
    fputs("Password: ", stderr);
    return fgets(password, (int)len, stdin) != NULL;
}
