"""Files that readers may fetch."""
import os
import shutil
import tarfile
from pathlib import Path

from django.http import FileResponse, Http404, HttpResponse
from flask import Flask, abort, request, send_file, send_from_directory
from werkzeug.utils import secure_filename

app = Flask(__name__)

BASE = os.path.dirname(os.path.abspath(__file__))
# ok: path-traversal
STATIC = os.path.join(BASE, "static")
UPLOADS = "/srv/uploads"


@app.get("/file")
def fetch():
    # ruleid: path-traversal
    return send_file(os.path.join(UPLOADS, request.args["name"]))


@app.get("/file2")
def fetch_safe():
    # ok: path-traversal
    return send_from_directory(UPLOADS, request.args["name"])


@app.get("/note")
def note():
    name = request.args.get("note", "")
    if not name:
        abort(404)
    # ruleid: path-traversal
    with open("/srv/notes/" + name, encoding="utf-8") as f:
        return f.read()


@app.get("/note2")
def note_safe():
    name = os.path.basename(request.args.get("note", ""))
    # ok: path-traversal
    with open(os.path.join("/srv/notes", name), encoding="utf-8") as f:
        return f.read()


@app.post("/upload")
def upload():
    f = request.files["file"]
    # ruleid: path-traversal
    f.save(os.path.join(UPLOADS, f.filename))
    return "", 201


@app.post("/upload2")
def upload_safe():
    f = request.files["file"]
    # ok: path-traversal
    f.save(os.path.join(UPLOADS, secure_filename(f.filename)))
    return "", 201


def attachment(request):
    # ruleid: path-traversal
    return FileResponse(open(f"/srv/attachments/{request.GET['id']}", "rb"))


def page(request):
    root = Path("/srv/pages").resolve()
    wanted = (root / request.GET["page"]).resolve()
    if not wanted.is_relative_to(root):
        raise Http404
    # ok: path-traversal
    return HttpResponse(wanted.read_text())


@app.delete("/folder")
def remove():
    folder = request.json["folder"]
    # ruleid: path-traversal
    shutil.rmtree(
        os.path.join(UPLOADS, folder),
    )
    return "", 204


@app.post("/unpack")
def unpack():
    # ruleid: path-traversal
    tarfile.open(fileobj=request.files["archive"].stream).extractall("/srv/unpacked")
    return "", 204


def load_settings():
    # ok: path-traversal
    with open(Path.home() / ".config" / "reader.toml", "rb") as f:
        return f.read()


@app.get("/style")
def style():
    theme = request.headers.get("X-Theme", "light")
    folder = os.path.join("/srv/themes", theme)
    css = folder + "/style.css"
    # ruleid: path-traversal
    with open(css, encoding="utf-8") as f:
        return f.read(), 200, {"Content-Type": "text/css"}


@app.get("/style2")
def style_known():
    theme = request.headers.get("X-Theme")
    if theme not in {"light", "dark"}:
        theme = "light"
    # ok: path-traversal
    with open(f"/srv/themes/{theme}/style.css", encoding="utf-8") as f:
        return f.read(), 200, {"Content-Type": "text/css"}
