"""Django settings; every value that differs between machines comes from the environment (see README)."""

from pathlib import Path

from csp.constants import NONE, SELF

from contextsite import env

BASE_DIR = Path(__file__).resolve().parent.parent
DATA_DIR = env.folder("CONTEXTSITE_DATA", BASE_DIR / "var")
DATA_DIR.mkdir(parents=True, exist_ok=True)

DEBUG = env.boolean("DEBUG", default=False)
SECRET_KEY = env.secret("SECRET_KEY", debug=DEBUG, fallback="only-for-a-debugging-server-on-this-machine")
ALLOWED_HOSTS = env.words("ALLOWED_HOSTS", ("localhost", "127.0.0.1", "[::1]"))
CSRF_TRUSTED_ORIGINS = env.words("CSRF_TRUSTED_ORIGINS")

# Mode: nothing set is embedded (SQLite, in-process bus and broker); REDIS_URL makes any number of processes
# hear each other; BROKER_URL names another Celery broker (RabbitMQ).
DATABASES = {"default": env.database("DATABASE_URL", DATA_DIR / "contextsite.sqlite3")}
REDIS_URL = env.url("REDIS_URL", ("redis", "rediss", "unix"))
BROKER_URL = env.url("BROKER_URL", ("redis", "rediss", "amqp", "amqps", "memory"), REDIS_URL or "memory://")
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

CACHES = {
    "default": (
        {"BACKEND": "django.core.cache.backends.redis.RedisCache", "LOCATION": REDIS_URL}
        if REDIS_URL
        else {"BACKEND": "django.core.cache.backends.locmem.LocMemCache"}
    )
}

INSTALLED_APPS = [
    "daphne",
    "django.contrib.admin",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "django.contrib.humanize",
    "whitenoise.runserver_nostatic",
    "django.contrib.staticfiles",
    "channels",
    "csp",
    "agents",
    "memory",
    "contextsite",
]

MIDDLEWARE = [
    "django.middleware.security.SecurityMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "csp.middleware.CSPMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.common.CommonMiddleware",
    "contextsite.request_limits.RequestLimitsMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.auth.middleware.LoginRequiredMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
]

ROOT_URLCONF = "contextsite.urls"
ASGI_APPLICATION = "contextsite.asgi.application"

TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
                "contextsite.preferences.look",
            ],
        },
    },
]

AUTH_PASSWORD_VALIDATORS = [
    {"NAME": "django.contrib.auth.password_validation.UserAttributeSimilarityValidator"},
    {"NAME": "django.contrib.auth.password_validation.MinimumLengthValidator"},
    {"NAME": "django.contrib.auth.password_validation.CommonPasswordValidator"},
]
LOGIN_URL = "login"
LOGIN_REDIRECT_URL = "fleet"
LOGOUT_REDIRECT_URL = "login"

# Mail, for new passwords. Without a host it is printed while debugging, and goes nowhere otherwise.
EMAIL_HOST = env.text("EMAIL_HOST")
EMAIL_PORT = env.integer("EMAIL_PORT", 587, minimum=1, maximum=65_535)
EMAIL_HOST_USER = env.text("EMAIL_HOST_USER")
EMAIL_HOST_PASSWORD = env.text("EMAIL_HOST_PASSWORD")
EMAIL_USE_TLS = env.boolean("EMAIL_USE_TLS", default=True)
EMAIL_TIMEOUT = 20
DEFAULT_FROM_EMAIL = env.text("DEFAULT_FROM_EMAIL", "contextsite@localhost")
_MAIL = "smtp" if EMAIL_HOST else "console" if DEBUG else "dummy"
EMAIL_BACKEND = f"django.core.mail.backends.{_MAIL}.EmailBackend"

USE_TZ = True
TIME_ZONE = env.text("TIME_ZONE", "UTC")
LANGUAGE_CODE = "en-us"

STATIC_URL = "static/"
STATIC_ROOT = BASE_DIR / "build" / "static"
STATICFILES_DIRS: list[object] = [BASE_DIR / "static"]
# What npm packages are bundled into, where Node was there to do it.
BUNDLES = BASE_DIR / "build" / "bundles"
if BUNDLES.is_dir():
    STATICFILES_DIRS.append(("bundles", BUNDLES))
WHITENOISE_USE_FINDERS = DEBUG
WHITENOISE_AUTOREFRESH = DEBUG
if not DEBUG:
    STORAGES = {
        "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
        "staticfiles": {"BACKEND": "contextsite.static_storage.StaticStorage"},
    }

# Deny by default; model text is hostile. The second wall behind memory.rendering.
CONTENT_SECURITY_POLICY = {
    "DIRECTIVES": {
        "default-src": [NONE],
        "script-src": [SELF],
        "style-src": [SELF],
        "img-src": [SELF, "data:"],
        "font-src": [SELF],
        "connect-src": [SELF],
        # The sandboxed documents that draw diagrams (memory.views.frames).
        "frame-src": [SELF],
        "form-action": [SELF],
        "base-uri": [NONE],
        "frame-ancestors": [NONE],
        "report-uri": "/csp-report/",
    }
}
X_FRAME_OPTIONS = "DENY"
SESSION_COOKIE_HTTPONLY = True
SECURE_CONTENT_TYPE_NOSNIFF = True
SECURE_REFERRER_POLICY = "same-origin"
HTTPS = env.boolean("HTTPS", default=not DEBUG)
SESSION_COOKIE_SECURE = HTTPS
CSRF_COOKIE_SECURE = HTTPS
SECURE_SSL_REDIRECT = HTTPS and env.boolean("HTTPS_REDIRECT", default=True)
SECURE_HSTS_SECONDS = 31_536_000 if HTTPS else 0
SECURE_HSTS_INCLUDE_SUBDOMAINS = HTTPS
SECURE_HSTS_PRELOAD = HTTPS
if env.boolean("TRUST_PROXY", default=False):
    SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https")

DATA_UPLOAD_MAX_MEMORY_SIZE = 5 * 1024 * 1024

# Celery. The Turn row is the truth and the message a poke: redelivery is harmless.
CELERY_BROKER_URL = BROKER_URL
CELERY_TASK_ACKS_LATE = True
CELERY_TASK_REJECT_ON_WORKER_LOST = True
CELERY_WORKER_PREFETCH_MULTIPLIER = 1
CELERY_TASK_IGNORE_RESULT = True
CELERY_WORKER_HIJACK_ROOT_LOGGER = False
CELERY_BROKER_CONNECTION_RETRY_ON_STARTUP = True
CELERY_BROKER_TRANSPORT_OPTIONS: dict[str, object] = {}
if BROKER_URL.startswith("memory"):
    CELERY_BROKER_TRANSPORT_OPTIONS = {"polling_interval": 0.05}
elif BROKER_URL.startswith(("redis", "rediss")):
    # The visibility timeout exceeds the longest turn; fast recovery comes from the lease in the rows.
    CELERY_BROKER_TRANSPORT_OPTIONS = {
        "visibility_timeout": 4 * 3600,
        "max_connections": 200,
        "unacked_restore_interval": 10,
        "unacked_restore_throttle": 1,
    }
# Days for which the exact requests to models are kept; their figures stay.
REQUEST_DAYS = env.integer("REQUEST_DAYS", 7, minimum=0, maximum=3650)
# A turn that takes longer ends with what it has; it may be retried.
TURN_SECONDS = env.integer("TURN_SECONDS", 3600, minimum=1, maximum=86_400)
WORKER_THREADS = env.integer("WORKER_THREADS", 16, minimum=1, maximum=256)

# What agents can use, by name. Each entry is a dotted path and is imported when an agent first needs it: a
# tool, or a function of the session that returns one.
AGENT_TOOLS = {
    "list_files": "contextsite.demo.tools.list_files",
    "read_file": "contextsite.demo.tools.read_file",
    "count_file": "contextsite.demo.tools.count_file",
    "count_files": "contextsite.demo.tools.count_files",
    "search_files": "contextsite.demo.tools.search_files",
    "calculator": "agents.tools.calculator.calculator",
    "current_time": "agents.tools.clock.current_time",
    "sleep_until": "agents.tools.sleeping.sleep_until",
    "workspace_list": "contextsite.operator_tools.workspace_list",
    "workspace_read": "contextsite.operator_tools.workspace_read",
    "workspace_write": "contextsite.operator_tools.workspace_write",
    "workspace_append": "contextsite.operator_tools.workspace_append",
    "workspace_search": "contextsite.operator_tools.workspace_search",
    "workspace_delete": "contextsite.operator_tools.workspace_delete",
}
# Each session's files are a folder of their own in here.
WORKSPACES_DIR = DATA_DIR / "workspaces"
# Names that folder by the session's id; cards show pictures from there.
WORKSPACE_FOLDER = "contextsite.operator_tools.workspace_folder"
# Hosts that agents may fetch from over HTTP; none switches the tool off. Private addresses only where an
# address or network itself is listed.
HTTP_FETCH_HOSTS = env.hosts("HTTP_FETCH_HOSTS")
if HTTP_FETCH_HOSTS:
    AGENT_TOOLS["http_fetch"] = "contextsite.operator_tools.http_fetch"
AGENT_CONNECTORS = {
    "openai": "agents.provider_keys.openai",
    "openai-responses": "agents.provider_keys.openai_responses",
    "anthropic": "agents.provider_keys.anthropic",
    "google": "agents.provider_keys.google",
    "compatible": "agents.provider_keys.compatible",
    "scripted": "contextsite.demo.survey.connector",
    "replay": "contextsite.replay.connector",
}
# Tools that depend on the session, by provider: a function of the session that returns them.
AGENT_SESSION_TOOLS = {"replay": "contextsite.replay.tools"}
# What provider keys in rows are encrypted with, the newest first; older ones still read.
ENCRYPTION_KEYS = env.fernet_keys("ENCRYPTION_KEYS")
# Rows behind the plugins of a context (agents.bindings.PluginBinding).
CONTEXT_BINDINGS = ["memory.bindings.WhiteboardBinding", "memory.bindings.NotesBinding"]
STORE_REVISIONS = "memory.bindings.revisions_of"
# Turns the Markdown of a message into safe HTML: text, element id and session id to an object with __html__.
MESSAGE_RENDERER = "memory.rendered.message_html"
# Makes an object with ``add(more, now_ms)``, which finds the finished blocks of a text that is being written.
GROWING_TEXT = "memory.rendered.growing_text"
# Turns the bytes of an attached image into an object with the ``content`` of a clean WebP; a ValueError says
# why it does not.
IMAGE_ENCODER = "memory.attached.attached_image"

# Hosts whose pictures cards show; the server fetches them over https and encodes them anew.
CARDS_IMAGE_HOSTS = env.words("CARDS_IMAGE_HOSTS")

# The folder that the demo agent surveys, and the pause between its decisions in milliseconds.
DEMO_PATH = env.folder("DEMO_PATH", BASE_DIR)
DEMO_PAUSE_MS = env.integer("DEMO_PAUSE_MS", 700, minimum=0, maximum=60_000)

LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": {"line": {"format": "%(asctime)s %(levelname)s %(name)s %(message)s"}},
    "handlers": {"console": {"class": "logging.StreamHandler", "formatter": "line"}},
    "root": {"handlers": ["console"], "level": env.text("LOG_LEVEL", "INFO")},
    "loggers": {
        "daphne": {"level": "WARNING"},
        # A line per request of a model tells nothing that the turn does not.
        "httpx2": {"level": "WARNING"},
        "django.channels.server": {"level": "WARNING"},
        # It warns that the in-process broker has no host name.
        "kombu.connection": {"level": "ERROR"},
    },
}
