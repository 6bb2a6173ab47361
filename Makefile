# The two commands of the README are `make demo` and `make test`. Both run `make setup` first. It
# installs missing packages of Debian or Ubuntu, or prints their names if it lacks the permission.

SWIFT ?= swift
PREFIX ?= /usr/local
DESTDIR ?=
SOURCES := Package.swift Sources Tests migrations Benchmarks/Package.swift Benchmarks/Sources \
  Benchmarks/Tests Examples/*/Package.swift Examples/*/Sources

# The commit that `--version` prints. Empty without git.
COMMIT := $(shell git describe --always --dirty --exclude '*' --abbrev=10 2>/dev/null)

.PHONY: help demo release install deb tarball image package-test wheel wheel-test python-test \
  python-mutations quick test test-all test-build test-rest products rest bench-test \
  page-test service-test service-mutations mutations \
  cluster-test cluster-test-setup cluster-test-node cluster-test-checker clients bench counts \
  bench-cluster-log bench-cluster-nodes bench-cluster-import \
  docs symbols api check-workflows setup setup-cluster browser format format-check clean

help:
	@echo "make demo          build the command, and see it work"
	@echo "make quick         format, build and unit tests of changed modules, for each save"
	@echo "make test          what a change must pass: engine, formats, command, service in process"
	@echo "make test-all      everything: make test, then programs, browser, packages, benchmarks"
	@echo "make release       the command as one file; make install, deb, tarball, image, wheel"
	@echo "make page-test     the page in a browser; make service-test, cluster-test, python-test"
	@echo "make bench         measure; make counts compares instructions with a table"
	@echo "make docs          the library's documentation; make api lists its public API"
	@echo "make format        format the sources; make clean removes the build"
	@echo "Options of each are described in the Makefile and in CONTRIBUTING.md."

# Uses an existing release build. Without one, builds the command without the service, whose
# packages are most of a first build. Pictures are SVG, and also PNG if rsvg-convert is installed.
ifneq ($(wildcard .build/release/layoutcache),)
DEMO := .build/release/layoutcache
demo: release
else
DEMO := .build/demo/release/layoutcache
demo: setup
	@echo "make: building the demo takes 2 to 5 minutes on two cores the first time"
	LAYOUTCACHE_CORE=1 $(SWIFT) build -c release --product layoutcache --scratch-path .build/demo \
	  $$(SWIFT=$(SWIFT) sh Scripts/static-flags.sh)
endif
	-@sh Scripts/setup-pictures.sh
	$(DEMO) demo

# The command as one file that needs no libraries, if the toolchain has the static ones. CLUSTER=1
# builds a command that can also be a node of a cluster; it needs libpq at run time.
ifdef CLUSTER
release: setup-cluster
endif
release: setup
	@echo "make: building the command takes about 5 minutes on two cores the first time"
	$(if $(COMMIT),LAYOUTCACHE_COMMIT=$(COMMIT)) $(if $(CLUSTER),LAYOUTCACHE_CLUSTER=1) \
	  $(SWIFT) build -c release --product layoutcache \
	  $$(SWIFT=$(SWIFT) CLUSTER=$(CLUSTER) sh Scripts/static-flags.sh)
	@sh Scripts/sizes.sh "$$($(SWIFT) build -c release --show-bin-path)/layoutcache"

# Installs the command, its completions and a systemd unit. For another location or
# for a package: make install PREFIX=/opt/layoutcache DESTDIR=root. BINARY=FILE uses an existing
# build.
ifdef BINARY
install deb tarball image package-test wheel wheel-test:
else
BINARY = $$($(SWIFT) build -c release --show-bin-path)/layoutcache
install deb tarball image package-test wheel wheel-test: release
endif

install:
	sh Scripts/install.sh "$(BINARY)" "$(DESTDIR)" "$(PREFIX)"

# A package for Debian and Ubuntu, and an archive for every Linux with its checksum, in .build. With
# CLUSTER=1, or the BINARY of such a build, they are named layoutcache-cluster and need libraries.
deb tarball:
	sh Scripts/$@.sh "$(BINARY)"

# The folder that a container engine builds an image from: .build/image.
image:
	sh Scripts/image.sh "$(BINARY)"

# Tests the package, the archive and the image in an empty system, and the library's products in
# another package.
package-test:
	sh Tests/PackageTests/run.sh "$(BINARY)"
	sh Tests/PackageTests/library.sh

# A Python package in .build/wheel: the command, and a client of the service (docs/PYTHON.md).
wheel:
	sh Scripts/wheel.sh "$(BINARY)"

# Runs the client's tests with the package, installed in a fresh virtual environment. ONLY=events
# selects tests.
wheel-test:
	sh Tests/PythonClientTests/wheel.sh "$(BINARY)" $(ONLY)

# Tests the Python client against the service, through a proxy that loses answers, and the blocks
# of its page. ONLY=events selects tests.
python-test:
	-@sh Scripts/setup-python.sh
	$(BUILD_COMMAND)
	python3 Tests/PythonClientTests/run.py --binary "$(COMMAND)" $(ONLY)

# Shows that these tests can fail: runs them on versions of the client with one mutation each.
python-mutations:
	python3 Tests/PythonClientTests/mutations.py --binary "$(COMMAND)" $(ONLY)

# The checks that a change must pass before it is committed: format, a build without warnings, and the tests
# of the engine, the formats, the command and the service within the process. `make test-all` has
# everything.
#
# LOG has the whole output. The log in PostgreSQL is built and tested if libpq is installed or can
# be installed.
LOG = .build/test.log
PROGRESS = python3 Scripts/progress.py $(LOG)
# The variables of every build that is tested: with others, everything would be built again.
TESTED = env LAYOUTCACHE_STRICT=1 \
  $$(pkg-config --exists libpq 2>/dev/null && echo LAYOUTCACHE_CLUSTER=1)
BUILD_COMMAND = $(TESTED) $(SWIFT) build --product layoutcache
PRODUCTS = $$($(TESTED) $(SWIFT) build --show-bin-path)
COMMAND = $(PRODUCTS)/layoutcache
# Importing a module that the target does not depend on works or fails by the order of the build.
BUILD_TESTS = $(SWIFT) build --build-tests --explicit-target-dependency-import-check error
RUN_TESTS = $(TESTED) python3 Scripts/run-tests.py \
  "$(PRODUCTS)/LayoutCachePackageTests.xctest" $(LOG)
# Left to `test-all`: programs that may not be installed, and the nodes of a cluster.
REST = ^(BrowserTests|LayoutClusterTests|PostgresLogTests)
# `quick` also skips the tests of processes and programs, the random runs and extremes, and the
# slowest unit tests.
SLOW = LayoutCachePropertyTests|LayoutCacheScaleTests|LayoutCacheProcessTests|LayoutClusterTests
RANDOM = PropertyTests|SumTreeWorkTests|SortedUpdateTests
LARGE = RebalanceTests|PreparationTests|RequestTests|QueryWorkTests|ArchiveTests
LARGER = ImportTests|ChangedOptionsTests|ChangeStreamTests
QUICK_SKIP = $(SLOW)|$(RANDOM)|$(LARGE)|$(LARGER)|$(REST)

# For each save: the format of changed files, the build, and the unit tests of changed modules, of
# all modules without a change.
quick: setup
	@rm -f $(LOG)
	@$(PROGRESS) "format" sh -c 'sh Scripts/changed.sh files | xargs -r $(SWIFT) format lint --strict'
	@$(TESTED) $(PROGRESS) "build" $(BUILD_TESTS)
	@$(RUN_TESTS) --only "$$(sh Scripts/changed.sh tests)" --skip "$(QUICK_SKIP)"

test: test-build
	@$(PROGRESS) "tests of the scripts" python3 -m unittest discover Tests/ScriptTests
	@$(PROGRESS) "a program that uses the library" "$(PRODUCTS)/Client"
	@$(RUN_TESTS) --skip "$(REST)"
	@echo "make: all passed; \`make test-all\` also runs the tests of programs, packages and the page"

test-build: setup
	-@sh Scripts/setup-cluster.sh
	@pkg-config --exists libpq 2>/dev/null || \
	  echo "make: there is no libpq; the log in PostgreSQL is left out"
	@echo "make: the first build takes about 10 minutes on two cores, the tests as long"
	@rm -f $(LOG)
	@$(PROGRESS) "format" $(MAKE) --no-print-directory format-check
	@$(TESTED) $(PROGRESS) "build" $(BUILD_TESTS)

# Everything, as CI runs it.
test-all: test test-rest

# What `test` leaves out. The parts that wait run next to those that build.
test-rest:
	@bash Scripts/test-rest.sh

products:
	@echo "$(PRODUCTS)"

rest:
	@echo "$(REST)"

# Tests the HTTP service from outside: over sockets, through nginx, with random requests.
service-test:
	-@sh Scripts/setup-service-tests.sh
	-@sh Scripts/setup-cluster.sh
	$(BUILD_COMMAND)
	python3 Tests/ServiceTests/run.py --binary "$(COMMAND)" --jobs 2

# Shows that these tests can fail: builds the service with one mutation after the other, in
# .build/mutations, and runs the test that must detect it. ONLY=tokens selects mutations.
service-mutations:
	-@sh Scripts/setup-service-tests.sh
	python3 Tests/ServiceTests/mutations.py $(ONLY)

# The same for the engine, with the worlds and the tests of the tree, the store and the processes.
mutations:
	python3 Scripts/mutations.py $(ONLY)

# Tests nodes that share a log in PostgreSQL under Patroni, on three machines simulated by network
# namespaces, with ten minutes of changes, reads and faults. SEED=7 repeats the faults of that
# seed, DURATION=3600 lasts longer, DURATION=60 FAULTS=none has no faults. BUILD=debug builds
# faster and runs slower. BINARY=FILE and CHECKER=FILE use existing builds.
DURATION ?= 600
FAULTS ?= all
BUILD ?= release
BUILD_NODE = LAYOUTCACHE_CLUSTER=1 $(SWIFT) build -c $(BUILD)
NODE = $(BINARY)
ifeq ($(origin BINARY),file)
NODE = $$($(BUILD_NODE) --show-bin-path)/layoutcache
cluster-test: cluster-test-node
endif
ifndef CHECKER
CHECKER = $$($(BUILD_NODE) --show-bin-path)/CheckHistory
cluster-test: cluster-test-checker
endif
cluster-test: cluster-test-setup
	python3 Tests/ClusterTests/run.py --binary "$(NODE)" --checker "$(CHECKER)" \
	  --duration "$(DURATION)" --faults "$(FAULTS)" $(if $(SEED),--seed "$(SEED)")

cluster-test-setup:
	sh Scripts/setup-cluster-test.sh

cluster-test-node: cluster-test-setup
	$(BUILD_NODE) --product layoutcache

cluster-test-checker: cluster-test-setup
	$(BUILD_NODE) --product CheckHistory

# Generates clients in Python and TypeScript from openapi.json, and tests them.
clients:
	$(BUILD_COMMAND)
	sh Scripts/generate-clients.sh "$(COMMAND)"

# The tests of the benchmarks run the build that measures.
BENCHMARKS = -c release --package-path Benchmarks
BUILD_BENCHMARKS = LAYOUTCACHE_STRICT_BENCHMARKS=1 $(SWIFT) build $(BENCHMARKS) --build-tests

# Measures on this machine: make bench ARGS="--json --items 10000". ARGS="--help" lists the
# subcommands.
bench: setup
	@$(SWIFT) run -c release --package-path Benchmarks LayoutCacheBenchmark $(ARGS)

# Compares the work of one call of each of ten operations with Benchmarks/Counts.txt: instructions
# and allocations under valgrind, bytes and nodes. UPDATE=1 writes the table.
counts: setup
	-@sh Scripts/setup-valgrind.sh
	$(BUILD_BENCHMARKS)
	python3 Scripts/counts.py "$$($(BUILD_BENCHMARKS) --show-bin-path)/LayoutCacheBenchmark" \
	  Benchmarks/Counts.txt $(if $(UPDATE),--update)

# Measures appends to the log in PostgreSQL compared with plain inserts, with and without a standby.
bench-cluster-log:
	sh Scripts/bench-cluster-log.sh

# Measures three nodes over that log compared with plain inserts, and a node that loads a long
# dataset.
bench-cluster-nodes:
	sh Scripts/bench-cluster-nodes.sh

# Measures commits through nodes during an import of 10,000,000 items, with a release build.
bench-cluster-import: setup-cluster
	LAYOUTCACHE_CLUSTER=1 $(SWIFT) build -c release --product layoutcache
	place=$$(LAYOUTCACHE_CLUSTER=1 $(SWIFT) build -c release --show-bin-path) && \
	  python3 Scripts/bench-cluster-import.py $$place/layoutcache $(ARGS)

# Tests the benchmarks, which use the library as a package, and runs each on a small input.
bench-test: setup
	$(BUILD_BENCHMARKS)
	LAYOUTCACHE_STRICT_BENCHMARKS=1 $(SWIFT) test $(BENCHMARKS) --skip-build
	"$$($(BUILD_BENCHMARKS) --show-bin-path)/LayoutCacheBenchmark" smoke "$(COMMAND)"

# The library's documentation as a static site, in .build/docs. The build for tests writes the symbol
# graphs.
docs: symbols
	python3 Scripts/public-symbols.py .build/api-symbols docs/api.txt
	docc convert Sources/LayoutCache/LayoutCache.docc \
	  --additional-symbol-graph-dir .build/docs-symbols --warnings-as-errors \
	  --fallback-display-name LayoutCache --fallback-bundle-identifier LayoutCache \
	  --output-path .build/docs

symbols: setup
	@mkdir -p .build/docs-symbols .build/api-symbols
	$(BUILD_COMMAND)
	cp .build/symbols/LayoutCache.symbols.json .build/symbols/LayoutCache@*.symbols.json \
	  .build/docs-symbols
	cp $(foreach module,LayoutCache CollectionLayout LayoutGeometry,\
	  .build/symbols/$(module).symbols.json) .build/api-symbols

# Writes the list of the library's public API, after a change to it. `make docs` compares the list.
api: symbols
	python3 Scripts/public-symbols.py .build/api-symbols docs/api.txt --update

# Checks the workflows of GitHub against their published schema.
check-workflows:
	python3 -m venv .build/check-jsonschema
	.build/check-jsonschema/bin/pip install --quiet check-jsonschema
	.build/check-jsonschema/bin/check-jsonschema --builtin-schema vendor.github-workflows \
	  .github/workflows/*.yml

setup:
	@sh Scripts/setup.sh

# Installs the dependencies of the log in PostgreSQL.
setup-cluster:
	@sh Scripts/setup-cluster.sh

# Tests the inspector page and the client module in a headless Chromium, against the service with
# two million items, through a proxy that delays and breaks answers. For a running service:
# make page-test SERVER=http://127.0.0.1:8080 (see Tests/PageTests/run.py). ONLY=text selects tests.
page-test: browser
ifdef SERVER
	.build/browser/bin/python3 Tests/PageTests/run.py --server $(SERVER) --only "$(ONLY)"
else
	$(BUILD_COMMAND)
	sh Scripts/page-test-real.sh "$(COMMAND)" "$(ONLY)"
endif

# Installs the dependencies of the comparison with a browser and of the page's tests, which are
# skipped without them.
browser:
	@sh Scripts/setup-browser.sh

format:
	$(SWIFT) format --in-place --parallel --recursive $(SOURCES)

format-check:
	@$(SWIFT) format lint --strict --parallel --recursive $(SOURCES)

clean:
	$(SWIFT) package clean
