from flask import Blueprint, g, jsonify, request

from .auth import login_required
from .models import db

accounts = Blueprint("accounts", __name__)


@accounts.route("/me", methods=["PATCH"])
@login_required
def update_me():
    """Changes the profile of the user who is logged in."""
    for field, value in request.get_json().items():
        if not hasattr(g.user, field):
            return jsonify(error=f"no field {field}"), 400
        setattr(g.user, field, value)  # want high "role"
    db.session.commit()
    return jsonify(id=g.user.id, name=g.user.name, role=g.user.role)
