#!/bin/sh
# Creates .build/image, the folder from which a container engine builds an image.
#
# image.sh BINARY
#   BINARY  the built layoutcache, which must be static: the image has no libraries
set -eu

binary=$1
cd "$(dirname "$0")/.."
if readelf -d "$binary" | grep -q NEEDED; then
  echo "image: $binary needs libraries, and the image has none; build a static one with" \
    "make release, on a system with static libraries" >&2
  exit 1
fi
folder=.build/image
rm -rf "$folder"
mkdir -p "$folder/data" "$folder/tmp"
cp packaging/Containerfile "$folder/"
cp "$binary" "$folder/layoutcache"
strip "$folder/layoutcache"
chmod 755 "$folder/layoutcache"
echo "created $folder"
