"""Jobs of the media server that call other programs."""
import logging
import os
import shlex
import subprocess

from flask import Flask, request

app = Flask(__name__)
log = logging.getLogger(__name__)

UPTIME = "uptime | cut -d, -f1"


def probe(path):
    # ruleid: command-injection
    return os.popen("ffprobe -hide_banner " + path).read()


def uptime():
    # ok: command-injection
    return subprocess.check_output(UPTIME, shell=True, text=True)


def rotate(path, angle):
    # ruleid: command-injection
    subprocess.run(f"convert {path} -rotate {angle} {path}", shell=True, check=True)


def rotate_list(path, angle):
    # ok: command-injection
    subprocess.run(["convert", path, "-rotate", str(angle), path], check=True)


@app.post("/ping")
def ping():
    host = request.form["host"]
    # ruleid: command-injection
    code = os.system("ping -c 1 %s" % host)
    # ok: command-injection
    log.info("os.system('ping -c 1 %s') returned %d", host, code)
    return {"reachable": code == 0}


@app.post("/resolve")
def resolve():
    host = request.form["host"]
    # ok: command-injection
    done = subprocess.run(
        ["dig", "+short", "--", host],
        capture_output=True,
        text=True,
        timeout=5,
    )
    return {"answer": done.stdout.splitlines()}


@app.get("/thumbnail")
def thumbnail():
    size = request.args.get("size", "200x200")
    # ruleid: command-injection
    subprocess.call(
        "convert /srv/in.png -thumbnail {} /srv/out.png".format(size),
        shell=True,
    )
    return "", 204


@app.get("/log")
def tail():
    name = request.args["name"]
    # ok: command-injection
    return os.popen("tail -n 50 /var/log/app/" + shlex.quote(name)).read()


@app.post("/run")
def run():
    # ruleid: command-injection
    proc = subprocess.Popen(request.json["command"], shell=True, stdout=subprocess.PIPE)
    out, _ = proc.communicate(timeout=30)
    return out


def clear():
    # ok: command-injection
    os.system("cls" if os.name == "nt" else "clear")


def convert(src, dst):
    # ruleid: command-injection
    subprocess.check_output("/bin/sh -c 'ffmpeg -i " + src + " " + dst + "'", shell=True)


@app.get("/grep")
def grep():
    pattern = request.args["pattern"]
    limit = min(int(request.args.get("limit", 100)), 100)
    log.info("grep for %s", pattern)
    line = f"grep -rn -m {limit} {pattern} /srv/docs"
    # ruleid: command-injection
    done = subprocess.run(line, shell=True, capture_output=True, text=True)
    return done.stdout


@app.get("/head")
def head():
    limit = int(request.args.get("limit", 100))
    # ok: command-injection
    return subprocess.getoutput("head -n %d /var/log/app.log" % limit)
