from flask import Blueprint, abort, g, jsonify, request

from .auth import login_required
from .db import connect

exports = Blueprint("exports", __name__)


@exports.route("/exports")
@login_required
def search():
    with connect() as conn:
        cursor = conn.cursor()
        cursor.execute(f"SELECT id, title FROM exports WHERE owner = {g.user.id} AND title LIKE '%{request.args['q']}%'")  # want high "sql"
        return jsonify(cursor.fetchall())


@exports.route("/exports/<int:export_id>", methods=["DELETE"])
def delete(export_id):
    with connect() as conn:
        cursor = conn.cursor()
        cursor.execute("DELETE FROM exports WHERE id = %s", (export_id,))  # want high "login"
    return "", 204
