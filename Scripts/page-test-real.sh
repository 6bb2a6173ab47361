#!/bin/sh
# Runs the page's tests against the service on free ports, with a feed of two million items and a
# small one for the other directions. All tests run in two parts next to each other, each with a
# copy of the feeds: tests edit them.
#
#   sh Scripts/page-test-real.sh LAYOUTCACHE [ONLY]
set -eu
cd "$(dirname "$0")/.."
layoutcache=$1
only=${2:-}
items=2000000
work=$(mktemp -d)
services=
trap '[ -z "$services" ] || kill $services; rm -rf "$work"' EXIT

export LAYOUTCACHE_DATABASE="$work/feed.sqlite"
awk -v items="$items" 'BEGIN {
  srand(7)
  for (i = 0; i < items; i++)
    printf "{\"key\":\"w%d\",\"width\":%d,\"height\":%d,\"section\":\"%d\",\"data\":{\"title\":\"Harbour %d\",\"artist\":\"Artist %d\"}}\n",
      i, 300 + rand() * 500, 250 + rand() * 700, 1800 + int(i * 200 / items), i, i % 997
}' | "$layoutcache" import - --format ndjson --dataset collection
"$layoutcache" layout set desktop --dataset collection --kind waterfall --width 1120 --columns 5 \
  --column-spacing 12 --line-spacing 12 --inset 12 --header 44 --pins-header
"$layoutcache" layout set phone --dataset collection --kind waterfall --width 390 --columns 2 \
  --column-spacing 8 --line-spacing 8 --inset 8 --header 44 --pins-header
awk 'BEGIN {
  for (i = 0; i < 3000; i++)
    printf "{\"key\":\"s%d\",\"width\":100,\"height\":%d,\"section\":\"%d\"}\n",
      i, 62 + i * 37 % 128, 1990 + int(i / 100)
}' | "$layoutcache" import - --format ndjson --dataset strip
strip() {
  "$layoutcache" layout set "$@" --dataset strip --kind waterfall --column-spacing 8 \
    --line-spacing 8 --inset 8 --header 44 --pins-header
}
strip across --scroll-direction horizontal --width 640 --height 640 --columns 3 \
  --footer 24 --pins-footer
strip across-rtl --scroll-direction horizontal --layout-direction rightToLeft --width 640 \
  --height 640 --columns 3
strip down --width 800 --columns 4 --footer 24 --pins-footer
"$layoutcache" prepare --dataset collection
"$layoutcache" prepare --dataset strip
runs=
parts=2
[ -z "$only" ] || parts=1
for part in $(seq "$parts"); do
  database="$work/feed-$part.sqlite"
  cp "$LAYOUTCACHE_DATABASE" "$database"
  "$layoutcache" serve --database "$database" --port 0 2>"$work/log-$part" &
  service=$!
  services="$services $service"
  until url=$(grep -o "http://[^ ]*" "$work/log-$part" 2>/dev/null); do
    kill -0 "$service" || { cat "$work/log-$part"; exit 1; }
    sleep 0.1
  done
  LAYOUTCACHE_BINARY="$layoutcache" LAYOUTCACHE_PAGE_DATABASE="$database" \
    .build/browser/bin/python3 Tests/PageTests/run.py --server "$url" --only "$only" \
    --part "$part/$parts" &
  runs="$runs $!"
done
status=0
for run in $runs; do wait "$run" || status=1; done
exit "$status"
