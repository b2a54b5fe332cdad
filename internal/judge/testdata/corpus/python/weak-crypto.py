"""Passwords, sealed notes and checksums."""
import hashlib
import hmac
import ssl

import bcrypt
from argon2 import PasswordHasher
from Crypto.Cipher import AES, ARC4, DES
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes
from cryptography.hazmat.primitives.asymmetric import rsa


def hash_password(password):
    # ruleid: weak-crypto
    return hashlib.md5(password.encode()).hexdigest()


def hash_password_new(password):
    # ok: weak-crypto
    return bcrypt.hashpw(password.encode(), bcrypt.gensalt())


def check_password(user, password):
    # ruleid: weak-crypto
    return user.password == hashlib.sha1((user.salt + password).encode("utf-8")).hexdigest()


def check_password_new(user, password):
    # ok: weak-crypto
    return PasswordHasher().verify(user.password, password)


def etag(body):
    # ok: weak-crypto
    return '"%s"' % hashlib.md5(body).hexdigest()


def cache_key(*parts):
    # ok: weak-crypto
    return hashlib.sha1("|".join(parts).encode(), usedforsecurity=False).hexdigest()


def checksum(path):
    # ok: weak-crypto
    digest = hashlib.md5()
    with open(path, "rb") as f:
        for block in iter(lambda: f.read(65536), b""):
            digest.update(block)
    return digest.hexdigest()


def seal_des(key, plain):
    # ruleid: weak-crypto
    return DES.new(key, DES.MODE_CBC, iv=b"\0" * 8).encrypt(plain)


def seal_ecb(key, plain):
    # ruleid: weak-crypto
    return AES.new(key, AES.MODE_ECB).encrypt(plain)


def seal(key, plain):
    # ok: weak-crypto
    cipher = AES.new(key, AES.MODE_GCM)
    body, tag = cipher.encrypt_and_digest(plain)
    return cipher.nonce + tag + body


def seal_arc4(key, plain):
    # ruleid: weak-crypto
    encryptor = Cipher(algorithms.ARC4(key), mode=None).encryptor()
    return encryptor.update(plain)


def old_partner():
    # ruleid: weak-crypto
    return ssl.SSLContext(ssl.PROTOCOL_TLSv1)


def partner():
    ctx = ssl.create_default_context()
    # ok: weak-crypto
    ctx.minimum_version = ssl.TLSVersion.TLSv1_2
    return ctx


def new_key():
    # ruleid: weak-crypto
    return rsa.generate_private_key(
        public_exponent=65537,
        key_size=1024,
    )


def sign(key, message):
    # ok: weak-crypto
    return hmac.new(key, message, hashlib.sha256).hexdigest()
