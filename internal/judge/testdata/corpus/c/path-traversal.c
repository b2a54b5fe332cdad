#include <fcntl.h>
#include <libgen.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define ROOT "/srv/files"

FILE *fetch(void)
{
    char path[PATH_MAX];
    const char *name = getenv("PATH_INFO");

    if (name == NULL)
        return NULL;
    snprintf(path, sizeof(path), ROOT "/%s", name);
    // ruleid: path-traversal
    return fopen(path, "rb");
}

FILE *fetch_safe(void)
{
    char path[PATH_MAX];
    char *name = getenv("PATH_INFO");

    if (name == NULL)
        return NULL;
    snprintf(path, sizeof(path), ROOT "/%s", basename(name));
    // ok: path-traversal
    return fopen(path, "rb");
}

FILE *logo(void)
{
    // ok: path-traversal
    return fopen(ROOT "/static/logo.png", "rb");
}

int remove_upload(void)
{
    char path[PATH_MAX] = "/srv/uploads/";
    const char *query = getenv("QUERY_STRING");

    strncat(path, query, sizeof(path) - strlen(path) - 1);
    // ruleid: path-traversal
    return unlink(path);
}

int read_page(void)
{
    char path[PATH_MAX], full[PATH_MAX];
    const char *page = getenv("QUERY_STRING");

    snprintf(path, sizeof(path), "/srv/pages/%s", page);
    if (realpath(path, full) == NULL || strncmp(full, "/srv/pages/", 11) != 0)
        return -1;
    // ok: path-traversal
    return open(full, O_RDONLY);
}

int read_note(void)
{
    char path[PATH_MAX];
    const char *note = getenv("QUERY_STRING");

    sprintf(path, "/srv/notes/%s.txt", note);
    // ruleid: path-traversal
    return open(path, O_RDONLY | O_CLOEXEC);
}

FILE *template(void)
{
    const char *wanted = getenv("HTTP_X_TEMPLATE");

    // ruleid: path-traversal
    return fopen(
        wanted,
        "r");
}

int report(int number)
{
    char path[64];

    snprintf(path, sizeof(path), "/srv/reports/%d.pdf", number);
    // ok: path-traversal
    return open(path, O_RDONLY);
}

int rename_upload(void)
{
    char target[PATH_MAX];
    const char *title = getenv("HTTP_X_TITLE");

    snprintf(target, sizeof(target), ROOT "/%s", title);
    // ruleid: path-traversal
    return rename("/tmp/upload", target);
}

FILE *settings(void)
{
    char path[PATH_MAX];

    snprintf(path, sizeof(path), "%s/.config/app.conf", getenv("HOME"));
    // ok: path-traversal
    return fopen(path, "r");
}

void usage(void)
{
    // ok: path-traversal
    puts("fopen(getenv(\"PATH_INFO\")) was replaced by a lookup in an index.");
}
