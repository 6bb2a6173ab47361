#!/bin/sh
# Prints what has changed since the last commit, for `make quick`.
#
#   changed.sh files   the Swift files
#   changed.sh tests   the pattern of the test targets: those of changed modules, and changed ones;
#                      for other changes, such as of Package.swift, all but the service's and the
#                      command's
set -eu
cd "$(dirname "$0")/.."
changed=$(git diff --name-only --diff-filter=d HEAD; git ls-files --others --exclude-standard)
case $1 in
  files) printf '%s\n' "$changed" | grep '\.swift$' || true ;;
  tests)
    # Modules whose tests have another name; tests of supporting modules are those that use them.
    printf '%s\n' "$changed" | awk -F/ '
      BEGIN {
        other["LayoutCacheService"] = other["ServicePage"] = "LayoutServiceTests"
        other["DemoSample"] = other["BuildStamp"] = "LayoutCacheCommandTests"
      }
      $1 == "Sources" { found[$2 in other ? other[$2] : $2 "Tests"]; next }
      $1 == "Tests" && $2 ~ /Tests$/ { found[$2]; next }
      /\.swift$/ || /\.sql$/ { all = 1 }
      END {
        for (name in found) pattern = pattern "|" name
        print all || pattern == "" ? "^(?!LayoutServiceTests|LayoutCacheCommandTests)" : "^(TidyTests" pattern ")[.]"
      }'
    ;;
esac
