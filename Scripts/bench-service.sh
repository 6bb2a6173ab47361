#!/bin/sh
# The service's throughput for a visible rectangle of about 30 elements, as a ratio to the
# same framework answering a fixed body of the same size; both from release builds, in turns.
#
#   sh Scripts/bench-service.sh [ROUNDS [SECONDS]]
set -eu
cd "$(dirname "$0")/.."
rounds=${1:-5}
seconds=${2:-5}
command -v wrk >/dev/null || { . Scripts/packages.sh; install_packages wrk; }
swift build -c release --product layoutcache >&2
swift build -c release --product FixedBody >&2
bin=$(swift build -c release --show-bin-path)
work=$(mktemp -d)
trap 'kill $service $fixed 2>/dev/null; rm -rf "$work"' EXIT
service= fixed=

awk 'BEGIN {srand(1); for (i = 0; i < 1000000; i++)
  printf "{\"key\":\"item-%d\",\"width\":%d,\"height\":%d,\"section\":\"s%d\"}\n",
    i, 200 + rand() * 600, 200 + rand() * 900, i / 5000}' > "$work/items.ndjson"
"$bin/layoutcache" import "$work/items.ndjson" --dataset feed --database "$work/feed.sqlite" >&2
"$bin/layoutcache" layout set phone --dataset feed --database "$work/feed.sqlite" \
  --kind waterfall --columns 3 --width 390 --column-spacing 8 --line-spacing 8 >&2
"$bin/layoutcache" prepare --dataset feed --database "$work/feed.sqlite" >&2

"$bin/layoutcache" serve --database "$work/feed.sqlite" --port 18080 2>"$work/log" & service=$!
path='/v1/datasets/feed/layouts/phone/elements?rect=0,20000,390,1500'
until bytes=$(curl -s "localhost:18080$path" | wc -c) && [ "$bytes" -gt 0 ]; do sleep 0.1; done
elements=$(curl -s "localhost:18080$path" | grep -o '"category"' | wc -l)
"$bin/FixedBody" 18081 "$bytes" 2>/dev/null & fixed=$!
until curl -s localhost:18081/ >/dev/null; do sleep 0.1; done
echo "$elements elements, $bytes bytes; requests a second, p99"

# Random places, so that no answer is the last one again.
cat > "$work/random.lua" <<'L'
request = function()
  local y = math.random(0, 4000) * 1000
  return wrk.format("GET", "/v1/datasets/feed/layouts/phone/elements?rect=0," .. y .. ",390,1500")
end
L
measure() { wrk -t1 -c16 -d"${seconds}s" --latency "$@" |
  awk '/99%/ {p = $2} /Requests\/sec/ {print $2, p}'; }
measure "http://localhost:18080$path" >/dev/null
for round in $(seq "$rounds"); do
  a=$(measure http://localhost:18081/)
  b=$(measure "http://localhost:18080$path")
  c=$(measure -s "$work/random.lua" http://localhost:18080/)
  echo "$a $b $c" | awk '{printf "fixed %s (%s)  same rect %s (%s) %.2f  random %s (%s) %.2f\n",
    $1, $2, $3, $4, $3 / $1, $5, $6, $5 / $1}'
done
