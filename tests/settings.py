"""Settings for the test suite: the product's own, with a fast password hasher and no secrets to set."""

import os

os.environ.setdefault("SECRET_KEY", "only-for-tests")
os.environ.setdefault("DEBUG", "false")
os.environ.setdefault("HTTPS", "false")

from contextsite.settings import *  # noqa: F403

PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
    "staticfiles": {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"},
}
WHITENOISE_USE_FINDERS = True
WHITENOISE_AUTOREFRESH = True
DEMO_PAUSE_MS = 0

# A database of each test run's own, so that two runs never meet. SQLite in a file, not in memory: tests with
# threads and other processes share it.
_is_sqlite = DATABASES["default"]["ENGINE"] == "django.db.backends.sqlite3"  # noqa: F405
_name = f"test_contextsite_{os.getpid()}"
DATABASES["default"]["TEST"] = {  # noqa: F405
    "NAME": str(DATA_DIR / f"{_name}.sqlite3") if _is_sqlite else _name  # noqa: F405
}
