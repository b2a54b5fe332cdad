"""Settings of the site."""
import os

import boto3
import psycopg2
import stripe

# ruleid: hardcoded-secret
SECRET_KEY = "k3!v9x@w2&q7z$m1p5#r8t^y4u6i0o-bd2fh7jlnc8e"

# ok: hardcoded-secret
CSRF_SECRET = os.environ["CSRF_SECRET"]

# ok: hardcoded-secret
SESSION_COOKIE_NAME = "site_session_token"

# ok: hardcoded-secret
PASSWORD_RESET_TIMEOUT = 3600

AUTH_PASSWORD_VALIDATORS = [
    # ok: hardcoded-secret
    {"NAME": "django.contrib.auth.password_validation.CommonPasswordValidator"},
]

DATABASES = {
    "default": {
        "ENGINE": "django.db.backends.postgresql",
        "USER": "site",
        # ruleid: hardcoded-secret
        "PASSWORD": "wR8-tuV3nZq2Lm",
    },
    "replica": {
        "ENGINE": "django.db.backends.postgresql",
        "USER": "site",
        # ok: hardcoded-secret
        "PASSWORD": os.getenv("REPLICA_PASSWORD", ""),
    },
}

# ruleid: hardcoded-secret
stripe.api_key = "sk_live_51Hx7QbLz9WvKpT3cRdYmNf2G"


def bucket():
    return boto3.client(
        "s3",
        # ruleid: hardcoded-secret
        aws_access_key_id="AKIA5RTWZ2QK7XNLVJ3M",
        # ruleid: hardcoded-secret
        aws_secret_access_key="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",
    )


def documented_bucket():
    """Like boto3.client("s3", aws_access_key_id="AKIAIOSFODNN7EXAMPLE")."""
    return boto3.client(
        "s3",
        # ok: hardcoded-secret
        aws_access_key_id="AKIAIOSFODNN7EXAMPLE",
    )


def connect():
    # ruleid: hardcoded-secret
    return psycopg2.connect(host="db1", user="report", password="Hq7_pLx2zVt9", dbname="site")


def connect_example(password):
    # ok: hardcoded-secret
    return psycopg2.connect("postgresql://user:<your-password>@localhost/site")


def login(client):
    # ok: hardcoded-secret
    client.post("/login", data={"user": "anna", "password": input("password: ")})
