"""Where collected static files live: hashed names, compressed, modules that import hashed names."""

from whitenoise.storage import CompressedManifestStaticFilesStorage


class StaticStorage(CompressedManifestStaticFilesStorage):
    """WhiteNoise's storage for ES modules: without this switch their imports would miss the cache."""

    support_js_module_import_aggregation = True
