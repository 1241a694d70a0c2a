from pathlib import Path

import pytest
from cryptography.fernet import Fernet
from django.core.exceptions import ImproperlyConfigured

from contextsite import env

DEFAULT = Path("/data/default.sqlite3")


@pytest.mark.parametrize(("word", "value"), [("1", True), ("Yes", True), ("off", False), ("FALSE", False)])
def test_a_truth_value_is_read_in_any_usual_form(word: str, value: bool) -> None:
    assert env.boolean("DEBUG", default=not value, environ={"DEBUG": word}) is value


def test_an_unset_or_blank_variable_takes_the_default() -> None:
    assert env.boolean("DEBUG", default=True, environ={"DEBUG": " "}) is True
    assert env.integer("PORT", 8000, minimum=1, maximum=65_535, environ={}) == 8000
    assert env.words("HOSTS", ("localhost",), environ={}) == ["localhost"]
    assert env.folder("DEMO_PATH", DEFAULT, environ={}) == DEFAULT


@pytest.mark.parametrize("word", ["maybe", "2", "truee"])
def test_a_bad_truth_value_names_the_variable(word: str) -> None:
    with pytest.raises(ImproperlyConfigured, match="DEBUG"):
        env.boolean("DEBUG", default=False, environ={"DEBUG": word})


@pytest.mark.parametrize("word", ["abc", "1.5", "0", "70000"])
def test_a_bad_number_names_the_variable(word: str) -> None:
    with pytest.raises(ImproperlyConfigured, match="PORT"):
        env.integer("PORT", 8000, minimum=1, maximum=65_535, environ={"PORT": word})


def test_a_number_in_range_is_read() -> None:
    assert env.integer("PORT", 8000, minimum=1, maximum=65_535, environ={"PORT": "80"}) == 80


def test_words_are_split_at_commas() -> None:
    assert env.words("HOSTS", environ={"HOSTS": " a, b ,,c"}) == ["a", "b", "c"]


def test_a_folder_becomes_absolute() -> None:
    assert env.folder("DEMO_PATH", DEFAULT, environ={"DEMO_PATH": "."}).is_absolute()


def test_a_secret_has_a_default_only_while_debugging() -> None:
    assert env.secret("SECRET_KEY", debug=True, fallback="x", environ={}) == "x"
    assert env.secret("SECRET_KEY", debug=False, fallback="x", environ={"SECRET_KEY": "s"}) == "s"
    with pytest.raises(ImproperlyConfigured, match="SECRET_KEY"):
        env.secret("SECRET_KEY", debug=False, fallback="x", environ={})


def test_a_url_with_another_scheme_is_refused_without_repeating_it() -> None:
    with pytest.raises(ImproperlyConfigured, match="REDIS_URL") as caught:
        env.url("REDIS_URL", ("redis", "rediss"), environ={"REDIS_URL": "http://user:hunter2@host"})
    assert "hunter2" not in str(caught.value)


def test_no_database_url_means_sqlite_with_immediate_transactions() -> None:
    settings = env.database("DATABASE_URL", DEFAULT, environ={})
    assert settings["NAME"] == str(DEFAULT)
    assert settings["OPTIONS"]["transaction_mode"] == "IMMEDIATE"  # type: ignore[index]


@pytest.mark.parametrize(
    ("url", "name"), [("sqlite:////srv/a%20b.db", "/srv/a b.db"), ("sqlite://", str(DEFAULT))]
)
def test_sqlite_urls_name_a_file(url: str, name: str) -> None:
    assert env.database("DATABASE_URL", DEFAULT, environ={"DATABASE_URL": url})["NAME"] == name


def test_a_postgresql_url_gives_every_part() -> None:
    url = "postgresql://us%40er:p%2Fw@db.example:6432/name"
    settings = env.database("DATABASE_URL", DEFAULT, environ={"DATABASE_URL": url})
    parts = [settings[key] for key in ("NAME", "USER", "PASSWORD", "HOST", "PORT")]
    assert parts == ["name", "us@er", "p/w", "db.example", "6432"]


@pytest.mark.parametrize("url", ["postgresql://host", "postgresql://host:port/name", "mysql://host/name"])
def test_a_bad_database_url_names_the_variable(url: str) -> None:
    with pytest.raises(ImproperlyConfigured, match="DATABASE_URL"):
        env.database("DATABASE_URL", DEFAULT, environ={"DATABASE_URL": url})


def test_hosts_are_checked_at_start_up() -> None:
    environ = {"HOSTS": "example.org, *.example.org:8443, 10.0.0.0/8"}
    assert env.hosts("HOSTS", environ=environ) == ["example.org", "*.example.org:8443", "10.0.0.0/8"]
    assert env.hosts("HOSTS", environ={}) == []
    with pytest.raises(ImproperlyConfigured, match="HOSTS: 'http://a' is no host"):
        env.hosts("HOSTS", environ={"HOSTS": "http://a"})


def test_encryption_keys_are_checked_at_start_up_and_never_repeated() -> None:
    good = Fernet.generate_key().decode()
    assert env.fernet_keys("KEYS", environ={"KEYS": f"{good}, {good}"}) == [good, good]
    assert env.fernet_keys("KEYS", environ={}) == []
    with pytest.raises(ImproperlyConfigured, match="Key 2 of KEYS is none") as raised:
        env.fernet_keys("KEYS", environ={"KEYS": f"{good},hunter2"})
    assert "hunter2" not in str(raised.value)
