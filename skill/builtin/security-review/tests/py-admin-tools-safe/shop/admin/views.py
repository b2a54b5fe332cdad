import subprocess

import yaml
from flask import Blueprint, abort, redirect, request, url_for
from werkzeug.utils import secure_filename

admin = Blueprint("admin", __name__)
DATABASES = {"shop": "shop_production", "stock": "stock_production"}


@admin.route("/backup", methods=["POST"])
def backup():
    database = DATABASES.get(request.form["database"])
    if database is None:
        abort(400, "it was subprocess.run(f'pg_dump {name}', shell=True)")
    name = secure_filename(request.form["name"])
    with open(f"/backups/{name}.sql", "wb") as out:
        subprocess.run(["pg_dump", database], stdout=out, check=True)
    subprocess.run("sync", shell=True, check=True)
    return redirect(url_for("admin.index"))


@admin.route("/settings", methods=["POST"])
def settings():
    upload = request.files.get("settings")
    if upload is None:
        abort(400)
    # Not yaml.load(upload), which can construct any object.
    values = yaml.safe_load(upload.read())
    return {"applied": len(values)}
