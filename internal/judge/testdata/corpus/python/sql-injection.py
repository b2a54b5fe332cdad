"""Queries of the library catalogue."""
import logging
import sqlite3

import psycopg2
from django.db import connection
from flask import Flask, jsonify, request
from psycopg2 import sql
from sqlalchemy import text

from .models import Book

app = Flask(__name__)
log = logging.getLogger(__name__)

COLUMNS = "id, title, author, isbn"


def by_author(conn, author):
    cur = conn.cursor()
    # ruleid: sql-injection
    cur.execute("SELECT * FROM books WHERE author = '%s'" % author)
    return cur.fetchall()


def by_author_bound(conn, author):
    """Bound on purpose: cur.execute("... WHERE author = '%s'" % author) was a hole."""
    cur = conn.cursor()
    # ok: sql-injection
    cur.execute("SELECT * FROM books WHERE author = %s", (author,))
    return cur.fetchall()


def by_isbn(conn, isbn):
    # ruleid: sql-injection
    return conn.execute(f"SELECT {COLUMNS} FROM books WHERE isbn = '{isbn}'").fetchone()


def all_books(conn):
    # ok: sql-injection
    return conn.execute(f"SELECT {COLUMNS} FROM books ORDER BY title").fetchall()


@app.get("/books")
def search():
    term = request.args.get("q", "")
    page = request.args.get("page", 1, type=int)
    log.info("search %r, page %d", term, page)
    with sqlite3.connect("catalogue.db") as conn:
        cur = conn.cursor()
        # ruleid: sql-injection
        cur.execute("SELECT id, title FROM books WHERE title LIKE '%" + term + "%'")
        rows = cur.fetchall()
    return jsonify(rows)


@app.get("/books/recent")
def recent():
    limit = request.args.get("limit", 10, type=int)
    with sqlite3.connect("catalogue.db") as conn:
        # ok: sql-injection
        rows = conn.execute(
            "SELECT id, title FROM books WHERE kind LIKE '%novel%' LIMIT ?",
            (limit,),
        ).fetchall()
    return jsonify(rows)


@app.delete("/books/<book_id>")
def delete(book_id):
    with psycopg2.connect("dbname=catalogue") as conn, conn.cursor() as cur:
        # ruleid: sql-injection
        cur.execute(
            "DELETE FROM books WHERE id = {}".format(book_id)
        )
    return "", 204


def loans(request, reader):
    with connection.cursor() as cursor:
        # ok: sql-injection
        cursor.execute("SELECT * FROM loans WHERE reader = %(reader)s", {"reader": reader})
        return cursor.fetchall()


def sorted_books(request):
    order = request.GET["order"]
    # ruleid: sql-injection
    return Book.objects.raw("SELECT * FROM books ORDER BY " + order)


def session_rows(session, shelf):
    # ruleid: sql-injection
    return session.execute(text(f"SELECT * FROM books WHERE shelf = '{shelf}'"))


def session_rows_bound(session, shelf):
    # ok: sql-injection
    return session.execute(text("SELECT * FROM books WHERE shelf = :shelf"), {"shelf": shelf})


def count(conn, table):
    query = sql.SQL("SELECT count(*) FROM {}").format(sql.Identifier(table))
    with conn.cursor() as cur:
        # ok: sql-injection
        cur.execute(query)
        return cur.fetchone()[0]


@app.get("/books/export")
def export():
    since = request.args.get("since")
    fmt = request.args.get("format", "csv")
    if fmt not in ("csv", "json"):
        return "unknown format", 400
    where = f"created > '{since}'"
    with sqlite3.connect("catalogue.db") as conn:
        # ruleid: sql-injection
        rows = conn.execute("SELECT id, title FROM books WHERE " + where).fetchall()
    return jsonify(rows)


@app.get("/books/shelf")
def shelf():
    number = int(request.args["shelf"])
    with sqlite3.connect("catalogue.db") as conn:
        # ok: sql-injection
        rows = conn.execute("SELECT id, title FROM books WHERE shelf = %d" % number).fetchall()
    return jsonify(rows)
