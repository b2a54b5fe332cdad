import os
from pathlib import Path

BASE_DIR = Path(__file__).resolve().parent.parent

SECRET_KEY = os.environ.get("SECRET_KEY", "dev-9x2-insecure-key")  # want medium "default in the source"
DEBUG = os.environ.get("DEBUG") == "1"

DATABASES = {
    "default": {
        "ENGINE": "django.db.backends.postgresql",
        "NAME": "shop",
        "USER": "shop",
        "PASSWORD": "r4ven-Castle-19",  # want medium "password"
        "HOST": "db.internal",
    }
}

AWS_ACCESS_KEY_ID = "AKIAO4DY4S4APFXO4T57"  # want high "cloud access key"
GITHUB_TOKEN = "ghp_iMzue0cS0CVJEdQwiADXhIIx5KaN1XAAAAAA"  # want high "access token"
API_KEY = "bc9c6fb2327ed626d2c1357ba73b27ae"  # want high "secret"
CACHE_URL = "redis://cache:t0psecretCache@cache.internal:6379/0"  # want high "password in an address"
INVENTORY_TOKEN = (
    # want medium "signed token"
    "eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJzdWIiOiJzdmMtaW1wb3J0ZXIiLCJhdWQiOiJpbnZlbnRvcnkiLCJpYXQiOjE3NjcyMjU2MDB9.67KntfJdXQRr4MgWbYq-MHAXCzB5KV2xqWoce6J5gFo"
)
