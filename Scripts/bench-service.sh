#!/bin/sh
# The service's throughput, as ratios to measurements in the same rounds. Queries for a visible
# rectangle of about 30 elements are compared with the same framework answering a fixed body of
# the same size; batches of one operation from 64 clients with those of one client.
#
#   sh Scripts/bench-service.sh [ROUNDS [SECONDS]]
#
# CONFIGURATION=debug measures existing debug builds, to test this script. The syncs are counted
# with strace, in separate runs.
set -eu
cd "$(dirname "$0")/.."
rounds=${1:-5}
seconds=${2:-5}
items=${ITEMS:-1000000}
configuration=${CONFIGURATION:-release}
for program in wrk strace; do
  command -v "$program" >/dev/null || { . Scripts/packages.sh; install_packages wrk strace; }
done
if [ "$configuration" = release ]; then
  swift build -c release --product layoutcache >&2
  swift build -c release --product FixedBody >&2
fi
bin=$(swift build -c "$configuration" --show-bin-path)
work=$(mktemp -d)
service= fixed=
trap 'kill $service $fixed 2>/dev/null; rm -rf "$work"' EXIT

awk -v items="$items" 'BEGIN {srand(1); for (i = 0; i < items; i++)
  printf "{\"key\":\"item-%d\",\"width\":%d,\"height\":%d,\"section\":\"s%d\"}\n",
    i, 200 + rand() * 600, 200 + rand() * 900, i / 5000}' > "$work/items.ndjson"
"$bin/layoutcache" import "$work/items.ndjson" --dataset feed --database "$work/feed.sqlite" >&2
"$bin/layoutcache" layout set phone --dataset feed --database "$work/feed.sqlite" \
  --kind waterfall --columns 3 --width 390 --column-spacing 8 --line-spacing 8 >&2
"$bin/layoutcache" prepare --dataset feed --database "$work/feed.sqlite" >&2

elements=/v1/datasets/feed/layouts/phone/elements
path="$elements?rect=0,20000,390,1500"
gzip='Accept-Encoding: gzip'

# serve DURABILITY [PROGRAM...]: starts the service, under another program if one is given.
serve() {
  durability=$1
  shift
  "$@" "$bin/layoutcache" serve --database "$work/feed.sqlite" --port 18080 \
    --set "durability=$durability" 2>"$work/log" & service=$!
  until curl -sf "localhost:18080$path" >/dev/null; do sleep 0.1; done
}
stop() {
  # Under strace the service is the child.
  kill $(pgrep -P "$service" -x layoutcache || echo "$service")
  wait "$service" || true
  service=
}
# measure CONNECTIONS ARGUMENTS...: prints the requests per second and their 99th percentile.
measure() {
  connections=$1
  shift
  wrk -t1 "-c$connections" "-d${seconds}s" --latency "$@" |
    awk '/99%/ {p = $2} /Requests\/sec/ {r = $2} /Non-2xx/ {print "failed requests:", $NF > "/dev/stderr"}
      END {print r, p}'
}
row() { echo "$@" | awk '{printf "  %-30s %8s (%s)  %.2f\n", $1, $2, $3, $2 / $4}'; }

serve process
bytes=$(curl -s "localhost:18080$path" | wc -c)
echo "$(curl -s "localhost:18080$path" | grep -o '"category"' | wc -l) elements," \
  "$bytes bytes; gzip $(curl -s -H "$gzip" "localhost:18080$path" | wc -c)"
"$bin/FixedBody" 18081 "$bytes" 2>/dev/null & fixed=$!
until curl -s localhost:18081/ >/dev/null; do sleep 0.1; done

# Random positions: very few repeat, so that the cache of answers has no effect.
cat > "$work/random.lua" <<L
request = function()
  local y = math.random(0, $((items * 40)))
  return wrk.format("GET", "$elements?rect=0," .. y .. ",390,1500")
end
L
# The seed differs between runs, because a repeated resize changes nothing and is not a commit.
cat > "$work/batch.lua" <<'L'
math.randomseed(os.time())
request = function()
  local item = math.random(0, ITEMS - 1)
  local body = string.format('{"op":"resize","key":"item-%d","width":400,"height":%d}\n',
    item, math.random(200, 1100))
  return wrk.format("POST", "/v1/datasets/feed/batches?layout=phone", nil, body)
end
L
sed -i "s/ITEMS/$items/" "$work/batch.lua"
url=http://localhost:18080
echo "queries per second, 16 connections (p99), ratio to the fixed body"
measure 16 "$url$path" >/dev/null
for round in $(seq "$rounds"); do
  echo "round $round"
  base=$(measure 16 http://localhost:18081/)
  row fixed-body $base $base
  row same-position $(measure 16 "$url$path") $base
  row same-position,gzip $(measure 16 -H "$gzip" "$url$path") $base
  row random-positions $(measure 16 -s "$work/random.lua" "$url/") $base
  row random-positions,gzip $(measure 16 -H "$gzip" -s "$work/random.lua" "$url/") $base
done
stop
for durability in process power; do
  echo "batches of one resize per second, durability $durability (p99), ratio to one client"
  serve "$durability"
  for round in $(seq "$rounds"); do
    base=$(measure 1 -s "$work/batch.lua" "$url/")
    row 1-client $base $base
    row 64-clients $(measure 64 -s "$work/batch.lua" "$url/") $base
  done
  stop
done
echo "syncs with durability power, counted by strace"
revision() { curl -s localhost:18080/v1/datasets/feed | grep -o '"revision":[0-9]*' | head -1 | cut -d: -f2; }
for clients in 1 64; do
  serve power strace --seccomp-bpf -f -c -e trace=fsync,fdatasync -o "$work/syncs"
  before=$(revision)
  measure "$clients" -s "$work/batch.lua" "$url/" >/dev/null
  batches=$(($(revision) - before))
  stop
  awk -v clients="$clients" -v batches="$batches" '/f(data)?sync/ {syncs += $4}
    END {printf "  %2d clients: %d batches, %d syncs, %.1f batches per sync\n",
      clients, batches, syncs, batches / syncs}' "$work/syncs"
done
