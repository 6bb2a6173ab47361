#!/usr/bin/env bash
# What `make test` leaves out, after it: tests that need programs, a browser or PostgreSQL, the
# packages, the benchmarks, the documentation, and `make demo` in an empty clone. Each part ends
# with a line of its seconds, and its output is in .build/test-rest.log and .build/test-builds.log.
set -euo pipefail
cd "$(dirname "$0")/.."

# Without its program a suite is skipped, in CI it fails.
required() {
  if timeout 600 "$@"; then return; fi
  [ -z "${CI:-}" ] || { echo "test-rest: failed in CI: $*" >&2; exit 1; }
  echo "test-rest: failed: $*; the tests that need it are skipped" >&2
  return 1
}
if required make browser; then export LAYOUTCACHE_REQUIRE_BROWSER=1; fi
if required sh Scripts/setup-cluster.sh; then export LAYOUTCACHE_REQUIRE_POSTGRES=1; fi
required sh Scripts/setup-service-tests.sh || true
required sh Scripts/setup-python.sh || true

build=$(make --no-print-directory products)
binary="$build/layoutcache"
rm -f .build/test-rest.log .build/test-builds.log
demo() {
  local folder
  folder=$(mktemp -d)
  git clone --quiet . "$folder/clone"
  make -C "$folder/clone" demo
  rm -rf "$folder"
}
export -f demo

# The builds run at a low priority next to the tests, many of which wait for deadlines and
# restarts. If one of the two fails, the other still runs to its end.
(
  part() { nice -n 19 python3 Scripts/progress.py .build/test-builds.log "$@"; }
  part "demo in an empty clone" bash -c demo
  part "benchmarks" make COMMAND="$binary" bench-test
  part "documentation" make docs
  part "counts" make counts
) &
builds=$!
(
  part() { python3 Scripts/progress.py .build/test-rest.log "$@"; }
  # Also the random tests, with other seeds, more kinds and more faults.
  LAYOUTCACHE_THOROUGH=1 python3 Scripts/run-tests.py \
    "$build/LayoutCachePackageTests.xctest" .build/test-rest.log \
    --only "$(make --no-print-directory rest)|PropertyTests"
  part "tests of the Python client" python3 Tests/PythonClientTests/run.py --binary "$binary"
  if [ -n "${LAYOUTCACHE_REQUIRE_BROWSER:-}" ]; then
    part "tests of the page" make COMMAND="$binary" page-test
  fi
  part "tests of the service over sockets" make COMMAND="$binary" service-test
  part "packages" make package-test BINARY="$binary"
  # The tests of the Python client have run with this command.
  part "wheel" make wheel-test BINARY="$binary" ONLY="test_queries test_documents"
) &
tests=$!
# `set -e` holds in both, as it would not in a list with ||.
status=0
wait "$builds" || status=$?
wait "$tests" || status=$?
[ "$status" = 0 ] || echo "test-rest: failed" >&2
exit "$status"
