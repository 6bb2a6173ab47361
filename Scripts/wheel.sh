#!/bin/sh
# Builds .build/wheel/layoutcache-VERSION-py3-none-PLATFORM.whl: the command and the Python client.
#
# wheel.sh BINARY
#   BINARY  the built layoutcache; a static one results in a wheel for every Linux of its architecture
set -eu

binary=$(realpath "$1")
cd "$(dirname "$0")/.."
sh Scripts/setup-python.sh

folder=$PWD/.build/wheel
rm -rf "$folder"
mkdir -p "$folder/bin"
cp "$binary" "$folder/bin/layoutcache"
strip "$folder/bin/layoutcache"
chmod 755 "$folder/bin/layoutcache"
(cd clients/python && LAYOUTCACHE_BINARY="$folder/bin/layoutcache" \
  "../../.build/python/bin/python3" -m hatchling build --target wheel --directory "$folder" \
  >"$folder/log" 2>&1) || { cat "$folder/log" >&2; exit 1; }
rm -rf "$folder/bin" "$folder/log"

wheel=$(ls "$folder"/*.whl)
case $wheel in
  *-linux_*) echo "wheel: the command needs libraries of this system; the wheel works only on systems that have them" >&2 ;;
esac
echo "created ${wheel#"$PWD/"}, $(du -h "$wheel" | cut -f 1)"
