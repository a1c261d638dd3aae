# Everything starts from Python 3.11, gcc and a package index: `make serve` and `make test`.
PYTHON ?= python3.11
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready
BUILT := $(VENV)/.built
SOURCES := setup.py $(shell find core_ext -name '*.pyx' -o -name '*.pxd' -o -name '*.h')

.PHONY: help build serve test lint format gen bench load fuzz sanitize clean

help: ## Show this list
	@grep -E '^[a-z]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 12

$(READY): pyproject.toml clients/python/pyproject.toml constraints.txt
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/pip install -q -c constraints.txt setuptools cython
	$(BIN)/pip install -q -c constraints.txt -e clients/python
	$(BIN)/pip install -q -c constraints.txt --no-build-isolation -e '.[dev]'
	touch $@ $(BUILT)

$(BUILT): $(READY) $(SOURCES)
	$(BIN)/python setup.py -q build_ext --inplace -j 2
	touch $@

build: $(BUILT) ## Install what is needed and compile the core

serve: build ## Serve gRPC and REST on loopback
	$(BIN)/tablier serve

test: build ## Run the tests
	$(BIN)/pytest

lint: build ## Check style and types
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/cython-lint core_ext
	$(BIN)/mypy

format: $(READY) ## Rewrite the Python sources in the house style
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

gen: $(READY) ## Generate the client's stubs from the protos
	$(BIN)/python proto/generate.py

bench: build ## Measure the core beside OpenSpiel, in one run
	$(BIN)/python -m bench

clean: ## Remove what was built
	rm -rf build $(VENV)
	find core_ext -name '*.so' -delete
