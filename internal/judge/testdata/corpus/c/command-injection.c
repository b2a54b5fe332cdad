#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

#define DISK_REPORT "df -h | sort -k5 -r | head -n 5"

int main_ping(int argc, char **argv)
{
    char cmd[256] = "ping -c 1 ";

    if (argc < 2)
        return 2;
    strncat(cmd, argv[1], sizeof(cmd) - strlen(cmd) - 1);
    // ruleid: command-injection
    return system(cmd);
}

int ping_safe(char **argv)
{
    pid_t pid = fork();

    if (pid == 0) {
        // ok: command-injection
        execlp("ping", "ping", "-c", "1", "--", argv[1], (char *)NULL);
        _exit(127);
    }
    int status = 0;
    waitpid(pid, &status, 0);
    return status;
}

int disk(void)
{
    // ok: command-injection
    return system(DISK_REPORT);
}

FILE *lookup(void)
{
    char cmd[512];
    const char *domain = getenv("QUERY_STRING");

    if (domain == NULL)
        return NULL;
    snprintf(cmd, sizeof(cmd), "dig +short %s", domain);
    // ruleid: command-injection
    return popen(cmd, "r");
}

FILE *uptime(void)
{
    // ok: command-injection
    return popen("uptime", "r");
}

int run(int argc, char **argv)
{
    // ruleid: command-injection
    return argc > 1 ? system(argv[1]) : 0;
}

int archive(const char *dir)
{
    // ruleid: command-injection
    return execl("/bin/sh", "sh", "-c", dir, (char *)NULL);
}

int archive_safe(char *dir)
{
    // ok: command-injection
    return execv("/bin/tar",
                 (char *[]){ "tar", "czf", "/tmp/site.tgz", "--", dir, NULL });
}

int convert(void)
{
    char file[128];
    char cmd[256];

    if (fgets(file, sizeof(file), stdin) == NULL)
        return -1;
    file[strcspn(file, "\n")] = '\0';
    sprintf(cmd, "convert %s /srv/out.png", file);
    // ruleid: command-injection
    return system(cmd);
}

int shell(char **argv)
{
    // ruleid: command-injection
    return execlp("bash", "bash", "-c",
                  argv[2],
                  (char *)NULL);
}

void explain(const char *host)
{
    /* system("ping " host) was here. */
    // ok: command-injection
    fprintf(stderr, "system(\"ping %s\") is not allowed, using execlp\n", host);
}

long file_system(const char *name)
{
    // ok: command-injection
    return sysconf(strcmp(name, "page") == 0 ? _SC_PAGESIZE : _SC_NPROCESSORS_ONLN);
}

int grep(void)
{
    char line[512];
    const char *query = getenv("QUERY_STRING");
    const char *pattern = query != NULL ? strchr(query, '=') : NULL;

    if (pattern == NULL)
        return -1;
    snprintf(line, sizeof(line), "grep -rn %s /srv/docs", pattern + 1);
    // ruleid: command-injection
    return system(line);
}

int tail(int argc, char **argv)
{
    char line[128];
    int limit = argc > 1 ? atoi(argv[1]) : 100;

    snprintf(line, sizeof(line), "tail -n %d /var/log/app.log", limit);
    // ok: command-injection
    return system(line);
}
