# Everything runs in .venv, which install.py sets up from pyproject.toml and constraints.txt.
PYTHON ?= python3
IN = .venv/bin/python
ARGS ?=
EXTRAS ?=

.PHONY: run install test lint bench

run:
	@$(PYTHON) install.py $(EXTRAS)
	@$(IN) app.py serve $(ARGS)

install:
	@$(PYTHON) install.py $(EXTRAS)

# Twice as many processes as there are cores: a browser waits more than it works. The servers that the tests start
# compile nothing that another one has compiled.
test:
	@$(PYTHON) install.py dev
	@env -u PYTHONDONTWRITEBYTECODE $(IN) -m pytest -n auto $(ARGS)

lint:
	@$(PYTHON) install.py dev
	@.venv/bin/ruff format --check .
	@.venv/bin/ruff check .
	@.venv/bin/mypy
	@.venv/bin/lint-imports --no-logo

bench:
	@$(PYTHON) install.py dev
	@$(IN) -m benchmarks $(ARGS)
