"""Reads the tokens that the gateway passes on."""
import jwt
from flask import Flask, abort, request
from jose import jwt as jose_jwt

app = Flask(__name__)
KEYS = {}
PUBLIC_KEY = open("/etc/site/jwt.pub").read()


def user(token):
    # ruleid: jwt-unverified
    claims = jwt.decode(token, options={"verify_signature": False})
    return claims["sub"]


def user_verified(token):
    # ok: jwt-unverified
    claims = jwt.decode(token, PUBLIC_KEY, algorithms=["RS256"], options={"verify_signature": True})
    return claims["sub"]


def user_old(token):
    # ruleid: jwt-unverified
    return jwt.decode(token, PUBLIC_KEY, verify=False)["sub"]


def user_plain(token):
    # ok: jwt-unverified
    return jwt.decode(token, PUBLIC_KEY, algorithms=["RS256"])["sub"]


@app.get("/admin")
def admin():
    token = request.headers["Authorization"].removeprefix("Bearer ")
    # ruleid: jwt-unverified
    claims = jwt.decode(
        token,
        key="",
        options={"verify_signature": False, "verify_aud": False},
    )
    if not claims.get("admin"):
        abort(403)
    return "welcome"


def user_of_key(token):
    """Picks the key by the header, then verifies."""
    # ok: jwt-unverified
    header = jwt.get_unverified_header(token)
    key = KEYS[header["kid"]]
    # ok: jwt-unverified
    return jwt.decode(token, key, algorithms=["ES256"], audience="site")


def tenant(token):
    # ruleid: jwt-unverified
    return jose_jwt.get_unverified_claims(token)["tenant"]


def accept_any(token, key):
    # ruleid: jwt-unverified
    return jwt.decode(token, key, algorithms=["HS256", "none"])


def issue(claims):
    # ruleid: jwt-unverified
    return jwt.encode(claims, None, algorithm="none")


def issue_signed(claims, key):
    # ok: jwt-unverified
    return jwt.encode(claims, key, algorithm="HS256")


def skip_audience(token, key):
    # ok: jwt-unverified
    return jwt.decode(token, key, algorithms=["HS256"], options={"verify_aud": False})
