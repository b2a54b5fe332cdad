import hashlib
import random
import secrets
import ssl

import bcrypt
import jwt
import requests
from django.conf import settings


def hash_password(password):
    return bcrypt.hashpw(password.encode("utf-8"), bcrypt.gensalt())


def new_reset_token():
    reset_token = secrets.token_urlsafe(24)
    return reset_token


def etag(body):
    return hashlib.md5(body, usedforsecurity=False).hexdigest()


def retry_delay(attempt):
    return 2**attempt + random.random()


def read_session(token):
    return jwt.decode(token, settings.JWT_KEY, algorithms=["RS256"], audience="shop")


def fetch_profile(url):
    return requests.get(url, timeout=5, verify=settings.CA_BUNDLE).json()


def context():
    # verify_mode = ssl.CERT_NONE is for nobody.
    context = ssl.create_default_context()
    context.verify_mode = ssl.CERT_REQUIRED
    return context
