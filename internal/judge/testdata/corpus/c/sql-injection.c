#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <libpq-fe.h>
#include <mysql/mysql.h>
#include <sqlite3.h>

#define COLUMNS "id, customer, total, state"

int orders_by_customer(sqlite3 *db, const char *customer)
{
    char sql[512];

    // ruleid: sql-injection
    snprintf(sql, sizeof(sql), "SELECT * FROM orders WHERE customer = '%s'", customer);
    return sqlite3_exec(db, sql, NULL, NULL, NULL);
}

int orders_by_customer_bound(sqlite3 *db, const char *customer)
{
    sqlite3_stmt *st;

    // ok: sql-injection
    if (sqlite3_prepare_v2(db, "SELECT " COLUMNS " FROM orders WHERE customer = ?1", -1, &st, NULL) != SQLITE_OK)
        return -1;
    sqlite3_bind_text(st, 1, customer, -1, SQLITE_TRANSIENT);
    int rc = sqlite3_step(st);
    sqlite3_finalize(st);
    return rc;
}

int orders_create(sqlite3 *db)
{
    // ok: sql-injection
    return sqlite3_exec(db,
                        "CREATE TABLE IF NOT EXISTS orders ("
                        "  id INTEGER PRIMARY KEY,"
                        "  customer TEXT NOT NULL)",
                        NULL, NULL, NULL);
}

int orders_quoted(sqlite3 *db, const char *customer)
{
    // ok: sql-injection
    char *sql = sqlite3_mprintf("SELECT * FROM orders WHERE customer = %Q", customer);
    int rc = sqlite3_exec(db, sql, NULL, NULL, NULL);
    sqlite3_free(sql);
    return rc;
}

int orders_unquoted(sqlite3 *db, const char *customer)
{
    // ruleid: sql-injection
    char *sql = sqlite3_mprintf("DELETE FROM orders WHERE customer = '%s'", customer);
    int rc = sqlite3_exec(db, sql, NULL, NULL, NULL);
    sqlite3_free(sql);
    return rc;
}

int orders_delete(MYSQL *conn, char **argv)
{
    char sql[256] = "DELETE FROM orders WHERE id = ";

    // ruleid: sql-injection
    strcat(sql, argv[1]);
    return mysql_query(conn, sql);
}

int orders_purge(MYSQL *conn)
{
    // ok: sql-injection
    return mysql_query(conn, "DELETE FROM orders WHERE note LIKE '%canceled%'");
}

PGresult *orders_search(PGconn *conn)
{
    char sql[1024];
    const char *q = getenv("QUERY_STRING");

    if (q == NULL)
        return NULL;
    // ruleid: sql-injection
    sprintf(sql,
            "SELECT id FROM orders WHERE note LIKE '%%%s%%'",
            q);
    return PQexec(conn, sql);
}

PGresult *orders_search_bound(PGconn *conn, const char *pattern)
{
    const char *values[1] = { pattern };

    // ok: sql-injection
    return PQexecParams(conn, "SELECT id FROM orders WHERE note LIKE $1", 1, NULL, values, NULL, NULL, 0);
}

int orders_by_id(MYSQL *conn, int id)
{
    char sql[128];

    // ok: sql-injection
    int n = snprintf(sql, sizeof(sql), "SELECT " COLUMNS " FROM orders WHERE id = %d", id);
    return mysql_real_query(conn, sql, (unsigned long)n);
}

void orders_trace(const char *customer)
{
    /* Never build "DELETE FROM orders WHERE customer = '%s'" with sprintf. */
    // ok: sql-injection
    fprintf(stderr, "SELECT FROM orders for customer '%s' was slow\n", customer);
}

int orders_sorted(sqlite3 *db, const char *column)
{
    char *sql = NULL;

    // ruleid: sql-injection
    if (asprintf(&sql, "SELECT id FROM orders ORDER BY %s", column) < 0)
        return -1;
    int rc = sqlite3_exec(db, sql, NULL, NULL, NULL);
    free(sql);
    return rc;
}
