import os
from pathlib import Path

BASE_DIR = Path(__file__).resolve().parent.parent

SECRET_KEY = os.environ["SECRET_KEY"]
DEBUG = os.environ.get("DEBUG") == "1"
SECRET_KEY_FILE = "/run/secrets/shop-secret-key-1"

DATABASES = {
    "default": {
        "ENGINE": "django.db.backends.postgresql",
        "NAME": "shop",
        "USER": "shop",
        "PASSWORD": os.environ.get("DB_PASSWORD", ""),
        "HOST": "db.internal",
    }
}

# As in the documentation of AWS, an id that nobody has.
AWS_ACCESS_KEY_ID = os.environ.get("AWS_ACCESS_KEY_ID", "AKIAIOSFODNN7EXAMPLE")
GITHUB_TOKEN = os.environ.get("GITHUB_TOKEN", "")
GITHUB_TOKEN_FORM = r"ghp_[A-Za-z0-9]{36}"
API_KEY = "<your-api-key>"
CACHE_URL = "redis://:${CACHE_PASSWORD}@cache.internal:6379/0"
PASSWORD_RESET_TIMEOUT = 3600
LOGIN_HELP = "Password: at least 12 characters, such as 'correct horse 9 battery'"
RELEASE = "bc9c6fb2327ed626d2c1357ba73b27ae"
