# Everything a person or a machine does with this project; `make help` lists it.
.DEFAULT_GOAL := help
.PHONY: help install run providers test lint attack gallery bench fuzz traps browser locks screenshots clean

# The first Python that runs and is new enough.
PYTHON ?= $(shell for each in python3 python3.11 python3.12 python3.13; do \
	$$each -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && { echo $$each; exit; }; done)
BIN := .venv/bin
PIP := $(BIN)/pip --disable-pip-version-check --quiet

help: ## Show this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  %-12s %s\n", $$1, $$2 }' Makefile

.venv/bin/python:
	@test -n "$(PYTHON)" || { echo "Python 3.11 or newer is needed; name one with make PYTHON=..."; exit 1; }
	$(PYTHON) -m venv .venv

.venv/runtime: .venv/bin/python requirements/runtime.txt
	$(PIP) install --require-hashes -r requirements/runtime.txt
	touch $@

.venv/dev: .venv/runtime requirements/dev.txt
	$(PIP) install --require-hashes -r requirements/dev.txt
	touch $@

.venv/providers: .venv/runtime requirements/providers.txt
	$(PIP) install --require-hashes -r requirements/providers.txt
	touch $@

.venv/bench: .venv/runtime requirements/bench.txt
	$(PIP) install --require-hashes -r requirements/bench.txt
	touch $@

node_modules: package.json package-lock.json
	@if command -v npm >/dev/null; then npm ci --silent --no-audit --no-fund --fetch-retries=1 --fetch-timeout=30000 && touch $@; fi

# Diagrams, charts, mind maps and the font of formulas; without them their sources are shown.
build/bundles/math.css: package-lock.json $(wildcard frames/*)
	@if ! command -v npm >/dev/null; then echo "No Node.js: diagrams are shown as their source."; \
	elif $(MAKE) --no-print-directory node_modules && npm run --silent build; then touch $@; \
	else echo "The npm packages could not be bundled: diagrams are shown as their source."; fi

install: .venv/dev node_modules build/bundles/math.css ## Install everything for work on the project

run: .venv/runtime build/bundles/math.css ## Start the demo: database, worker and web server in one process
	@DEBUG=1 $(BIN)/python manage.py migrate --verbosity 0
	@DEBUG=1 $(BIN)/python manage.py demo
	@DEBUG=1 exec $(BIN)/python manage.py serve

providers: .venv/providers ## Install what asks real models: OpenAI, Anthropic, Google and compatible servers

test: .venv/dev ## Run the tests; DATABASE_URL, REDIS_URL and Chromium widen what runs
	$(BIN)/pytest -n 2 --dist loadfile

browser: .venv/dev ## Run the browser tests for every width and theme, in both modes
	BROWSER_MATRIX=full $(BIN)/pytest -m "long or not long" tests/browser

attack: .venv/dev ## Attack the renderer in a browser with every vector and 50,000 mutants
	$(BIN)/python -m tests.attack

gallery: .venv/dev build/bundles/math.css ## Draw everything that cards can draw, in both themes, into var/gallery
	$(BIN)/python -m tests.gallery var/gallery

traps: .venv/dev ## List every weakness of the specification with the test that beats it
	$(BIN)/python scripts/traps.py

drills: .venv/dev ## Kill workers, servers and services in the middle of turns
	$(BIN)/python -m tests.drills

fuzz: .venv/dev ## Send 20,000 generated histories through compaction and the validators
	$(BIN)/python -m tests.fuzz

bench: .venv/bench ## Measure, side by side with what others use
	$(BIN)/python -m benchmarks

lint: .venv/dev node_modules ## Check style, types, imports, templates, spelling and dependencies
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/djlint templates --lint --quiet
	$(BIN)/typos
	$(BIN)/deptry .
	@if [ -d node_modules ]; then npm run --silent lint; else echo "JavaScript not linted: Node.js is not installed"; fi
	@SECRET_KEY=lint-$$(head -c 40 /dev/urandom | od -An -tx1 | tr -d ' \n') $(BIN)/python manage.py check --deploy --fail-level WARNING
	@SECRET_KEY=lint $(BIN)/python manage.py makemigrations --check --dry-run

locks: .venv/dev ## Resolve the lock files anew from pyproject.toml
	$(BIN)/pip-compile --quiet $(LOCK) -o requirements/runtime.txt pyproject.toml
	$(BIN)/pip-compile --quiet $(LOCK) --extra providers -c requirements/runtime.txt -o requirements/providers.txt pyproject.toml
	$(BIN)/pip-compile --quiet $(LOCK) --extra scaled --extra providers --extra uvicorn --extra dev -c requirements/providers.txt -o requirements/dev.txt pyproject.toml
	$(BIN)/pip-compile --quiet $(LOCK) --extra bench -c requirements/dev.txt -o requirements/bench.txt pyproject.toml

LOCK := --generate-hashes --strip-extras --allow-unsafe --no-header --no-emit-index-url --no-emit-trusted-host --no-emit-find-links

screenshots: .venv/dev ## Take the README's screenshots from the running demo
	$(BIN)/python -m scripts.screenshots

clean: ## Remove what was built or installed; the database in var/ stays
	rm -rf .venv node_modules build .mypy_cache .pytest_cache .ruff_cache
