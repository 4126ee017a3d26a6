# Everything runs in .venv, which install.py sets up from pyproject.toml and constraints.txt.
PYTHON ?= python3
IN = .venv/bin/python
ARGS ?=
EXTRAS ?=

.PHONY: run install test test-all lint bench

run:
	@$(PYTHON) install.py $(EXTRAS)
	@$(IN) app.py serve $(ARGS)

install:
	@$(PYTHON) install.py $(EXTRAS)

# `make test` is for before each commit; `make test-all` has every step, provider, size and language too.
# Nothing is compiled twice: each process, and each server that the tests start, reads what another one has compiled.
PYTEST = env -u PYTHONDONTWRITEBYTECODE $(IN) -m pytest -n auto --dist loadfile --no-loadscope-reorder

test:
	@$(PYTHON) install.py dev
	@$(PYTEST) -m "not slow" $(ARGS)

test-all:
	@$(PYTHON) install.py dev
	@$(PYTEST) $(ARGS)

lint:
	@$(PYTHON) install.py dev
	@.venv/bin/ruff format --check .
	@.venv/bin/ruff check .
	@.venv/bin/mypy
	@.venv/bin/lint-imports --no-logo

bench:
	@$(PYTHON) install.py dev
	@$(IN) -m benchmarks $(ARGS)
