# Everything a person or a CI runs. Needs Python 3.11 or later and make; the rest is installed into .venv.
#
#   make demo            fetch a Neo4j, load a small corpus, index it, ask it
#   make test            every test
#   make lint            format, lint, types, import floors, names
#   make bench           measure the retrievers on BENCH_DATA (default: the demo corpus)
#   make wheel           build what is published, into dist/
#   make lock            resolve requirements.lock anew from pyproject.toml
#   make clean           remove caches and dist/ (.venv stays)
#
# PYTHON=python3.12 picks another interpreter; BENCH_DATA="FOLDER…" and BENCH_OPTIONS="--json" go to `overstory bench`.

PYTHON ?= python3
BENCH_DATA ?= examples/hotpotqa
BENCH_OPTIONS ?=
BIN := .venv/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check
SOURCES := platform/overstory loaders/overstory_loaders tests $(wildcard scripts/*.py benchmarks/*.py)

.PHONY: help demo test lint bench wheel lock clean .venv
.NOTPARALLEL:

help:
	@sed -n '/^#   /s/^# //p' Makefile

demo: .venv/installed
	$(BIN)/overstory demo

test: .venv/installed
	$(BIN)/python -m pytest

lint: .venv/installed
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy $(SOURCES)
	PYRIGHT_PYTHON_IGNORE_WARNINGS=1 $(BIN)/pyright --pythonpath $(BIN)/python
	$(BIN)/lint-imports
	$(BIN)/python scripts/check_names.py

bench: .venv/installed
	@for data in $(BENCH_DATA); do $(BIN)/overstory bench "$$data" $(BENCH_OPTIONS) || exit; done

wheel: .venv/installed
	rm -rf dist
	$(BIN)/python -m hatchling build -d dist

lock: .venv/locked
	$(BIN)/uv pip compile pyproject.toml --group dev --extra all --universal --python-version 3.11 \
		--generate-hashes --no-emit-index-url --no-header -q -o requirements.lock

clean:
	rm -rf dist .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache
	find platform loaders tests scripts benchmarks -name __pycache__ -type d -prune -exec rm -rf {} +

.venv: .venv/installed

.venv/locked: requirements.lock
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { \
		echo "Overstory needs Python 3.11 or later, and $(PYTHON) is: $$($(PYTHON) --version 2>&1 || true)" >&2; \
		echo "Name another one: make PYTHON=python3.12 $(MAKECMDGOALS)" >&2; exit 1; }
	$(PYTHON) -m venv .venv
	$(PIP) install --quiet --require-hashes -r requirements.lock
	@touch $@

.venv/installed: .venv/locked pyproject.toml
	$(PIP) install --quiet --no-deps --no-build-isolation --editable .
	@$(PIP) check || { echo "requirements.lock does not fit pyproject.toml: run make lock" >&2; exit 1; }
	@touch $@
