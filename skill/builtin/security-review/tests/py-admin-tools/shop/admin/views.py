import subprocess

import yaml
from flask import Blueprint, abort, redirect, request

admin = Blueprint("admin", __name__)


@admin.route("/backup", methods=["POST"])
def backup():
    name = request.form["name"]
    subprocess.run(f"pg_dump shop > /backups/{name}.sql", shell=True, check=True)  # want high "shell"
    return redirect(request.form.get("next"))  # want medium "where the user is sent"


@admin.route("/settings", methods=["POST"])
def settings():
    upload = request.files.get("settings")
    if upload is None:
        abort(400)
    values = yaml.load(upload.read(), Loader=yaml.Loader)  # want high "unsafe loader"
    apply_settings(values)
    return {"applied": len(values)}


def apply_settings(values):
    for key, value in values.items():
        admin.store[key] = value
