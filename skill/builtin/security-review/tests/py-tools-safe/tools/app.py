import ast
import os
import subprocess

import requests
from flask import Flask, abort, render_template, request, send_from_directory

app = Flask(__name__)
TARGETS = {"news": "https://news.example.com/feed", "jobs": "https://jobs.example.com/feed"}


@app.route("/calc")
def calc():
    expression = request.args["expression"]
    return {"result": ast.literal_eval(expression)}


@app.route("/hello")
def hello():
    return render_template("hello.html", name=request.args.get("name", "you"))


@app.route("/ping")
def ping():
    port = int(request.args["port"])
    os.system(f"nc -z monitor.internal {port}")
    subprocess.run(["ping", "-c", "1", "monitor.internal"], check=True)
    return "done"


@app.route("/files")
def files():
    return send_from_directory("/srv/files", request.args["name"])


@app.route("/proxy")
def proxy():
    name = request.args["target"]
    if name not in TARGETS:
        abort(404)
    answer = requests.get(TARGETS[name], timeout=5)
    return answer.content


@app.route("/search")
def search():
    return requests.get("https://search.example.com/api", params={"q": request.args["q"]}, timeout=5).json()


if __name__ == "__main__":
    app.run(host="127.0.0.1", port=8000, debug=False)
