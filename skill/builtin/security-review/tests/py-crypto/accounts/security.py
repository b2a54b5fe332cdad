import hashlib
import random
import ssl
import string

import jwt
import requests
from Crypto.Cipher import AES


def hash_password(password):
    return hashlib.md5(password.encode("utf-8")).hexdigest()  # want high "fast hash"


def new_reset_token():
    reset_token = "".join(random.choices(string.ascii_letters, k=24))  # want high "predictable"
    return reset_token


def read_session(token):
    return jwt.decode(token, options={"verify_signature": False})  # want high "without a signature"


def encrypt(key, data):
    # want medium "cipher or mode"
    return AES.new(key, AES.MODE_ECB).encrypt(data)


def fetch_profile(url):
    return requests.get(url, timeout=5, verify=False).json()  # want high "not verified"


def legacy_context():
    context = ssl.create_default_context()
    context.check_hostname = False
    context.verify_mode = ssl.CERT_NONE  # want high "not verified"
    return context
