"""A small spreadsheet that is served over HTTP."""
import ast
import importlib
import logging
import re

from flask import Flask, render_template, render_template_string, request
from jinja2 import Environment

app = Flask(__name__)
log = logging.getLogger(__name__)

PLUGINS = {"csv": "sheet.plugins.csv", "xlsx": "sheet.plugins.xlsx"}


@app.post("/cell")
def cell():
    # ruleid: code-injection
    return {"value": eval(request.form["formula"])}


@app.post("/literal")
def literal():
    # ok: code-injection
    return {"value": ast.literal_eval(request.form["formula"])}


@app.post("/macro")
def macro():
    source = request.get_json()["source"]
    names = {"sheet": {}}
    # ruleid: code-injection
    exec(source, names)
    return {"sheet": names["sheet"]}


@app.get("/hello")
def hello():
    name = request.args.get("name", "you")
    # ruleid: code-injection
    return render_template_string("<p>Hello " + name + "</p>")


@app.get("/hello2")
def hello_safe():
    # ok: code-injection
    return render_template_string("<p>Hello {{ name }}</p>", name=request.args.get("name"))


@app.post("/mail")
def mail():
    body = request.form.get("body")
    # ruleid: code-injection
    template = Environment().from_string(body)
    return template.render(user="anna")


def evaluate(model, loader):
    # ok: code-injection
    model.eval()
    return [model(batch) for batch in loader]


def query(frame):
    # ok: code-injection
    return frame.eval("total = price * amount")


@app.get("/plugin")
def plugin():
    # ruleid: code-injection
    module = importlib.import_module(request.args["module"])
    return {"doc": module.__doc__}


@app.get("/plugin2")
def plugin_safe():
    name = PLUGINS.get(request.args["format"], PLUGINS["csv"])
    # ok: code-injection
    module = importlib.import_module(name)
    return {"doc": module.__doc__}


def constant():
    # eval(request.args["x"]) was here once.
    # ok: code-injection
    return eval("2 ** 16")


@app.get("/filter")
def rows():
    expression = request.args.get("where", "True")
    # ruleid: code-injection
    keep = eval("lambda row: " + expression)
    return {"rows": [row for row in [1, 2, 3] if keep(row)]}


def pattern():
    # ok: code-injection
    compiled = re.compile(r"\beval\(([^)]*)\)")
    log.debug("looking for calls of eval")
    return compiled
