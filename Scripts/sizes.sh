#!/bin/sh
# Prints the size of a built program: as built, installed (stripped), and downloaded (compressed).
#
# sizes.sh BINARY
set -eu

stripped=$(mktemp)
trap 'rm -f "$stripped"' EXIT
strip -o "$stripped" "$1"
megabytes() { awk -v bytes="$1" 'BEGIN { printf "%.1f MB", bytes / 1e6 }'; }
echo "$1: $(megabytes "$(wc -c <"$1")"), installed $(megabytes "$(wc -c <"$stripped")")," \
  "compressed $(megabytes "$(gzip -c "$stripped" | wc -c)")"
