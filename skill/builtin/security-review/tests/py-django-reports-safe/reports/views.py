import json

from django.core import signing
from django.db import connection
from django.http import JsonResponse
from django.shortcuts import render

COLUMNS = "day, total"


def monthly(request):
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT {COLUMNS} FROM sales WHERE month = %s", [request.GET["month"]])
        rows = cursor.fetchall()
    return render(request, "reports/monthly.html", {"rows": rows, "month": request.GET["month"]})


def restore(request):
    """The state of the page, as the browser kept it.

    It was once pickle.loads(request.COOKIES["report_state"]), which ran what it held.
    """
    state = json.loads(signing.loads(request.COOKIES["report_state"]))
    return JsonResponse({"columns": [str(c) for c in state["columns"]]})
