import pickle

from django.db import connection
from django.http import HttpResponse
from django.utils.safestring import mark_safe


def monthly(request):
    month = request.GET["month"]
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT day, total FROM sales WHERE month = '{month}'")  # want high "sql"
        rows = cursor.fetchall()
    return render_rows(rows, title=mark_safe("<h2>Sales of " + month + "</h2>"))  # want "without escaping"


def restore(request):
    # The state of the page, as the browser kept it.
    state = pickle.loads(bytes.fromhex(request.COOKIES["report_state"]))  # want high "deserialized"
    return HttpResponse(state.summary())


def render_rows(rows, title):
    body = "".join(f"<tr><td>{day}</td><td>{total}</td></tr>" for day, total in rows)
    return HttpResponse(f"{title}<table>{body}</table>")
