#!/bin/sh
# The page's tests against the service itself: a feed of two million items, imported, laid
# out and served by the command on a port of its own.
#
#   sh Scripts/page-test-real.sh LAYOUTCACHE [ONLY]
set -eu
cd "$(dirname "$0")/.."
layoutcache=$1
only=${2:-}
items=2000000
work=$(mktemp -d)
service=
trap '[ -z "$service" ] || kill "$service"; rm -rf "$work"' EXIT

export LAYOUTCACHE_DATABASE="$work/feed.sqlite"
awk -v items="$items" 'BEGIN {
  srand(7)
  for (i = 0; i < items; i++)
    printf "{\"key\":\"w%d\",\"width\":%d,\"height\":%d,\"section\":\"%d\",\"data\":{\"title\":\"Harbour %d\",\"artist\":\"Artist %d\"}}\n",
      i, 300 + rand() * 500, 250 + rand() * 700, 1800 + int(i * 200 / items), i, i % 997
}' | "$layoutcache" import - --format ndjson --dataset collection
"$layoutcache" layout set desktop --dataset collection --kind waterfall --width 1120 --columns 5 \
  --column-spacing 12 --line-spacing 12 --inset 12 --header 44 --pins-header
"$layoutcache" prepare --dataset collection
"$layoutcache" serve --port 0 2>"$work/log" &
service=$!
until url=$(grep -o "http://[^ ]*" "$work/log" 2>/dev/null); do sleep 0.1; done
LAYOUTCACHE_BINARY="$layoutcache" .build/browser/bin/python3 Tests/PageTests/run.py --server "$url" --only "$only"
