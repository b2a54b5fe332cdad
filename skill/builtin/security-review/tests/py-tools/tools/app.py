import os

import requests
from flask import Flask, render_template_string, request, send_file

app = Flask(__name__)


@app.route("/calc")
def calc():
    expression = request.args["expression"]
    return {"result": eval(expression)}  # want high "run as code"


@app.route("/hello")
def hello():
    name = request.args.get("name", "you")
    return render_template_string("<h1>Hello " + name + "</h1>")  # want high "template is built"


@app.route("/ping")
def ping():
    host = request.args["host"]
    os.system("ping -c 1 " + host)  # want high "shell"
    return "done"


@app.route("/files")
def files():
    path = os.path.join("/srv/files", request.args["name"])  # want high "chooses the file"
    return send_file(path)  # want high "chooses the file"


@app.route("/proxy")
def proxy():
    target = request.args["target"]
    answer = requests.get(target, timeout=5)  # want high "address that the server calls"
    return answer.content


if __name__ == "__main__":
    app.run(host="0.0.0.0", port=8000, debug=True)  # want medium "debugger"
