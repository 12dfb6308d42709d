# Ridepass. `make run` and `make test` need Python 3.11 or newer and nothing else.
PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
# Absolute, so that a shell elsewhere cannot change what is meant.
export PIP_DISABLE_PIP_VERSION_CHECK = 1

.DEFAULT_GOAL := help
.PHONY: help run test check lint types layers contract web bench bench-search eval replay promises clean

help:  ## Show this list
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*##/\t/' | expand -t 12

$(VENV)/.run: pyproject.toml constraints.txt
	$(PYTHON) -c 'import sys; sys.exit("Ridepass needs Python 3.11 or newer; try make PYTHON=python3.12") if sys.version_info < (3, 11) else None'
	$(PYTHON) -m venv $(VENV)
	$(BIN)/pip install --quiet --constraint constraints.txt --editable .
	@touch $@

$(VENV)/.dev: $(VENV)/.run
	$(BIN)/pip install --quiet --constraint constraints.txt --editable '.[dev]'
	@touch $@

run: $(VENV)/.run  ## Set up and serve the demo on http://127.0.0.1:8000 (RIDEPASS_PORT changes the port)
	$(BIN)/ridepass serve

test: $(VENV)/.dev  ## Set up and run the tests
	$(BIN)/pytest $(PYTEST_ARGS)

lint: $(VENV)/.dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: $(VENV)/.dev
	$(BIN)/mypy

layers: $(VENV)/.dev
	$(BIN)/lint-imports

contract: $(VENV)/.dev
	$(BIN)/ridepass contract --check

web:
	@if command -v npm >/dev/null; then cd renderers/web && npm ci --silent && npm run check; \
	else echo "web: skipped, npm is not there (the committed bundle is used)"; fi

check: lint types layers contract web test  ## Everything that CI checks

bench: $(VENV)/.dev  ## Measure a turn, the floor, start, memory
	$(BIN)/python -m tests.bench

bench-search: $(VENV)/.dev  ## Measure search with up to 100,000 vehicles (WRITE=README.md; PostgreSQL by RIDEPASS_BENCH_POSTGRES_URL)
	$(BIN)/python -m tests.bench.search $(if $(WRITE),--write $(WRITE))

eval: $(VENV)/.dev  ## Measure understanding against the data in ../shared/data; WRITE=FILE keeps the table
	$(BIN)/python -m tests.eval $(if $(WRITE),--write $(WRITE))

replay: $(VENV)/.dev  ## Play the golden conversations with all that can happen to them, and the null agents (K=8 plays each so often)
	$(BIN)/python -m tests.replay --all --k $(or $(K),1)

clean:  ## Remove the virtual environment and the demo's data
	rm -rf $(VENV) .ridepass
