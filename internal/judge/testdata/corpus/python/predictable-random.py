"""Codes, tokens and games of chance."""
import random
import secrets
import string
import time
import uuid

ALPHABET = string.ascii_letters + string.digits


def session_token():
    # ruleid: predictable-random
    return "".join(random.choice(ALPHABET) for _ in range(32))


def session_token_strong():
    # ok: predictable-random
    return secrets.token_urlsafe(32)


def reset_code(user):
    # ruleid: predictable-random
    user.reset_code = "%06d" % random.randint(0, 999999)


def reset_code_strong(user):
    # ok: predictable-random
    user.reset_code = f"{secrets.randbelow(1_000_000):06d}"


def temporary_password():
    # ruleid: predictable-random
    password = "".join(random.sample(ALPHABET, 12))
    return password


def temporary_password_strong():
    # ok: predictable-random
    password = "".join(random.SystemRandom().choice(ALPHABET) for _ in range(12))
    return password


def api_key():
    random.seed(time.time())
    # ruleid: predictable-random
    api_key = "%032x" % random.getrandbits(128)
    return api_key


def csrf_token():
    # ruleid: predictable-random
    token = str(uuid.UUID(int=random.getrandbits(128)))
    return token


def dice():
    # ok: predictable-random
    return random.randint(1, 6)


def train_test(rows):
    rng = random.Random(42)
    # ok: predictable-random
    rng.shuffle(rows)
    return rows[: len(rows) // 5], rows[len(rows) // 5 :]


def backoff(attempt):
    # ok: predictable-random
    return min(60, 2**attempt) + random.random()


def salt():
    # ruleid: predictable-random
    salt = bytes(random.randrange(256) for _ in range(16))
    return salt
