# The two commands of the README are `make demo` and `make test`. Each sets up
# what it needs: `make setup` installs what a fresh Debian or Ubuntu lacks, or
# says what to install where it may not.

SWIFT ?= swift
PREFIX ?= /usr/local
DESTDIR ?=
SOURCES := Package.swift Sources Tests migrations Benchmarks/Package.swift Benchmarks/Sources \
  Benchmarks/Tests Examples/*/Package.swift Examples/*/Sources

# What `--version` says of a release; nothing where there is no git.
COMMIT := $(shell git describe --always --dirty --exclude '*' --abbrev=10 2>/dev/null)

.PHONY: demo release install deb tarball image package-test wheel wheel-test python-test \
  python-mutations quick test test-build test-users test-swift page-test service-test \
  service-mutations \
  cluster-test cluster-test-setup cluster-test-node cluster-test-checker clients bench counts \
  bench-cluster-log bench-cluster-nodes bench-cluster-import \
  docs symbols api check-workflows setup setup-cluster browser format format-check clean

# A command that is built already shows the demo; otherwise one without the service, whose
# packages are most of a first build. Pictures are drawn as PNG too where librsvg's program is;
# without it they are SVG.
ifneq ($(wildcard .build/release/layoutcache),)
DEMO := .build/release/layoutcache
demo: release
else
DEMO := .build/demo/release/layoutcache
demo: setup
	@echo "make: building the demo takes about 2 minutes on two cores the first time"
	LAYOUTCACHE_CORE=1 $(SWIFT) build -c release --product layoutcache --scratch-path .build/demo \
	  $$(SWIFT=$(SWIFT) sh Scripts/static-flags.sh)
endif
	-@sh Scripts/setup-pictures.sh
	$(DEMO) demo

# The command as one file that needs no libraries, where it can be had. CLUSTER=1 builds one that
# is a node of clusters too, which needs PostgreSQL's client library where it runs.
ifdef CLUSTER
release: setup-cluster
endif
release: setup
	@echo "make: building the command takes about 5 minutes on two cores the first time"
	$(if $(COMMIT),LAYOUTCACHE_COMMIT=$(COMMIT)) $(if $(CLUSTER),LAYOUTCACHE_CLUSTER=1) \
	  $(SWIFT) build -c release --product layoutcache \
	  $$(SWIFT=$(SWIFT) CLUSTER=$(CLUSTER) sh Scripts/static-flags.sh)
	@sh Scripts/sizes.sh "$$($(SWIFT) build -c release --show-bin-path)/layoutcache"

# The command, its manual page, completions and a systemd unit; for another place, or for who
# makes a package: make install PREFIX=/opt/layoutcache DESTDIR=root. BINARY=FILE installs one
# that has been built.
ifdef BINARY
install deb tarball image package-test wheel wheel-test:
else
BINARY = $$($(SWIFT) build -c release --show-bin-path)/layoutcache
install deb tarball image package-test wheel wheel-test: release
endif

install:
	sh Scripts/install.sh "$(BINARY)" "$(DESTDIR)" "$(PREFIX)"

# A package for Debian and Ubuntu, in .build.
deb:
	sh Scripts/deb.sh "$(BINARY)"

# An archive for every Linux, and its checksum, in .build.
tarball:
	sh Scripts/tarball.sh "$(BINARY)"

# The folder that a container engine builds an image from: .build/image.
image:
	sh Scripts/image.sh "$(BINARY)"

# Package, archive and image: installed in an empty system, and what is in them tried.
package-test:
	sh Tests/PackageTests/run.sh "$(BINARY)"

# A Python package in .build/wheel: the command, and a client of the service (docs/PYTHON.md).
wheel:
	sh Scripts/wheel.sh "$(BINARY)"

# The package, installed in a fresh virtual environment, and the client's tests with it. ONLY=events
# picks tests.
wheel-test:
	sh Tests/PythonClientTests/wheel.sh "$(BINARY)" $(ONLY)

# The Python client against the service, through a proxy that loses answers, and the blocks of its
# page. ONLY=events picks tests.
python-test:
	-@sh Scripts/setup-python.sh
	$(BUILD_COMMAND)
	python3 Tests/PythonClientTests/run.py --binary "$(COMMAND)" $(ONLY)

# Shows that these tests can fail: changes the client in one place after the other.
python-mutations:
	python3 Tests/PythonClientTests/mutations.py --binary "$(COMMAND)" $(ONLY)

# Everything a change must pass: format, a build without warnings, all tests, the
# benchmarks on a little input, so that they cannot rot, and a package that uses the
# library as its users do. The service's tests run by themselves: others compute for
# seconds on the few threads that its handlers and its clients share.
#
# What passes is counted, what fails is shown whole; the file LOG has everything. The log in
# PostgreSQL is built and tested where its client library is, or can be installed.
LOG = .build/test.log
PROGRESS = python3 Scripts/progress.py $(LOG)
# The variables of every build that is tested: with others, everything would be built again.
TESTED = env LAYOUTCACHE_STRICT=1 \
  $$(pkg-config --exists libpq 2>/dev/null && echo LAYOUTCACHE_CLUSTER=1)
BUILD_COMMAND = $(TESTED) $(SWIFT) build --product layoutcache
COMMAND = $$($(TESTED) $(SWIFT) build --show-bin-path)/layoutcache
# Packages that use the library. The compiler writes its symbols for `docs`: what reads them out
# of a built module gives up on those that are imported internally.
USERS = --package-path Benchmarks -Xswiftc -emit-symbol-graph -Xswiftc -emit-symbol-graph-dir \
  -Xswiftc $(CURDIR)/.build/symbols
# Swift Testing starts all tests of a run before it ends the first, unless their number at a time
# is limited. A toolchain without the option runs them all the same.
TEST = $(SWIFT) test --skip-build $$($(SWIFT) test --help-hidden | \
  grep -q -e --experimental-maximum-parallelization-width && \
  echo --experimental-maximum-parallelization-width 8)
# A module that a target imports without naming it is there or not by the order of the build.
BUILD_TESTS = $(SWIFT) build --build-tests --explicit-target-dependency-import-check error
SLOW = LayoutCachePropertyTests|LayoutCacheScaleTests|LayoutCacheProcessTests|LayoutClusterTests
ALONE = LayoutServiceTests|PostgresLogTests
# `quick` leaves these out too: programs and the browser, random runs and extremes of the other
# modules, the tests of the oracle, and the suites of units that take longest.
RANDOM = PropertyTests|NumberTextTests|FoundationComparisonTests|SumTreeWorkTests|SortedUpdateTests
LARGE = RebalanceTests|PreparationTests|RequestTests|QueryWorkTests|ScrollingFrameTests|ArchiveTests
LARGER = ImportTests|CustomReflowTests|ChangedOptionsTests|HostileNodeTests|ChangeStreamTests
QUICK_SKIP = $(SLOW)|$(ALONE)|$(RANDOM)|$(LARGE)|$(LARGER)|TestSupportTests|BrowserTests|LayoutCacheCommandTests

# For each save: the format, the build and the tests of units. Under a minute on two cores where
# nothing has changed since the last build.
quick: setup
	@rm -f $(LOG)
	@$(PROGRESS) "format" $(MAKE) --no-print-directory format-check
	@$(TESTED) $(PROGRESS) "build" $(BUILD_TESTS)
	@$(TESTED) $(PROGRESS) "quick tests" $(TEST) --skip "$(QUICK_SKIP)"

test:
	@$(MAKE) --no-print-directory test-build
	@$(MAKE) --no-print-directory test-users
	@$(MAKE) --no-print-directory test-swift
	@echo "make: all passed"

test-build: setup
	-@sh Scripts/setup-cluster.sh
	@pkg-config --exists libpq 2>/dev/null || \
	  echo "make: there is no libpq; the log in PostgreSQL is left out"
	@echo "make: building and testing takes about 20 minutes on two cores the first time"
	@rm -f $(LOG)
	@$(PROGRESS) "format" $(MAKE) --no-print-directory format-check
	@$(TESTED) $(PROGRESS) "build" $(BUILD_TESTS)

# Packages that use the library and the command. CI runs this next to the other tests.
test-users:
	@mkdir -p .build/symbols
	@LAYOUTCACHE_STRICT=1 $(PROGRESS) "benchmarks' tests" $(SWIFT) test $(USERS)
	@$(PROGRESS) "benchmarks on a little input" $(SWIFT) run --skip-build \
	  --package-path Benchmarks LayoutCacheBenchmark smoke "$(COMMAND)"
	@$(PROGRESS) "a package that uses the library" $(SWIFT) run --skip-build \
	  --package-path Benchmarks Client

test-swift:
	@$(PROGRESS) "tests of the scripts" python3 -m unittest discover Tests/ScriptTests
	@$(TESTED) $(PROGRESS) "tests" $(TEST) --skip "$(SLOW)|$(ALONE)"
	@$(TESTED) $(PROGRESS) "slow tests" $(TEST) --filter "$(SLOW)"
	@$(TESTED) $(PROGRESS) "tests of the service" $(TEST) --filter LayoutServiceTests
	@$(PROGRESS) "tests of the Python client" python3 Tests/PythonClientTests/run.py \
	  --binary "$(COMMAND)"
	@$(TESTED) $(PROGRESS) "tests of the log in PostgreSQL" $(TEST) --filter PostgresLogTests

# The HTTP service as its users meet it: over sockets, through nginx, by random requests.
service-test:
	-@sh Scripts/setup-service-tests.sh
	-@sh Scripts/setup-cluster.sh
	$(BUILD_COMMAND)
	python3 Tests/ServiceTests/run.py --binary "$(COMMAND)" --jobs 2

# Shows that these tests can fail: builds the service with one change after the other, in
# .build/mutations, and runs the test that must find it. ONLY=tokens picks changes.
service-mutations:
	-@sh Scripts/setup-service-tests.sh
	python3 Tests/ServiceTests/mutations.py $(ONLY)

# Nodes that share a log in PostgreSQL under Patroni, on three machines of network namespaces,
# with changes, reads and faults: ten minutes of them, and some around. SEED=7 chooses the same
# faults again, DURATION=3600 more of them, DURATION=60 FAULTS=none has none. BUILD=debug is
# built sooner, and slower. BINARY=FILE and CHECKER=FILE have been built: nothing is then.
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

# Clients in Python and TypeScript, from the service's description.
clients:
	$(BUILD_COMMAND)
	sh Scripts/generate-clients.sh "$(COMMAND)"

# This machine's figures: make bench ARGS="--json --items 10000"; ARGS="feed --help" says
# what there is.
bench: setup
	@$(SWIFT) run -c release --package-path Benchmarks LayoutCacheBenchmark $(ARGS)

# What one call of each of ten operations does, compared with Benchmarks/Counts.txt: instructions
# and allocations under valgrind, bytes and nodes. UPDATE=1 writes the table.
counts: setup
	-@sh Scripts/setup-valgrind.sh
	$(SWIFT) build -c release --package-path Benchmarks --product LayoutCacheBenchmark
	python3 Scripts/counts.py "$$($(SWIFT) build -c release --package-path Benchmarks \
	  --show-bin-path)/LayoutCacheBenchmark" Benchmarks/Counts.txt $(if $(UPDATE),--update)

# Appends to the log in PostgreSQL beside plain inserts, without and with a standby.
bench-cluster-log:
	sh Scripts/bench-cluster-log.sh

# Three nodes over that log beside plain inserts, and a node that comes to a long dataset.
bench-cluster-nodes:
	sh Scripts/bench-cluster-nodes.sh

# Commits through nodes beside an import of 10,000,000 items, by a release build with the cluster.
bench-cluster-import: setup-cluster
	LAYOUTCACHE_CLUSTER=1 $(SWIFT) build -c release --product layoutcache
	place=$$(LAYOUTCACHE_CLUSTER=1 $(SWIFT) build -c release --show-bin-path) && \
	  python3 Scripts/bench-cluster-import.py $$place/layoutcache $(ARGS)

# The library's documentation as a static site, in .build/docs.
docs: symbols
	python3 Scripts/public-symbols.py .build/api-symbols docs/api.txt
	docc convert Sources/LayoutCache/LayoutCache.docc \
	  --additional-symbol-graph-dir .build/docs-symbols --warnings-as-errors \
	  --fallback-display-name LayoutCache --fallback-bundle-identifier LayoutCache \
	  --output-path .build/docs

symbols: setup
	@mkdir -p .build/symbols .build/docs-symbols .build/api-symbols
	LAYOUTCACHE_STRICT=1 $(SWIFT) build --product Client $(USERS)
	cp .build/symbols/LayoutCache.symbols.json .build/symbols/LayoutCache@*.symbols.json \
	  .build/docs-symbols
	cp $(foreach module,LayoutCache CollectionLayout LayoutGeometry,\
	  .build/symbols/$(module).symbols.json) .build/api-symbols

# Lists the public API of the library after a change to it. `make docs` compares the list.
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

# What the log in PostgreSQL needs.
setup-cluster:
	@sh Scripts/setup-cluster.sh

# The inspector page and the client module in a headless Chromium, against the service with two
# million items, through a proxy that delays and breaks answers; or
# make page-test SERVER=http://127.0.0.1:8080 (Tests/PageTests/run.py says more). ONLY=text
# picks tests.
page-test: browser
ifdef SERVER
	.build/browser/bin/python3 Tests/PageTests/run.py --server $(SERVER) --only "$(ONLY)"
else
	$(BUILD_COMMAND)
	sh Scripts/page-test-real.sh "$(COMMAND)" "$(ONLY)"
endif

# What the comparison with a browser and the page's tests need; without it that is skipped.
browser:
	@sh Scripts/setup-browser.sh

format:
	$(SWIFT) format --in-place --parallel --recursive $(SOURCES)

format-check:
	@$(SWIFT) format lint --strict --parallel --recursive $(SOURCES)

clean:
	$(SWIFT) package clean
