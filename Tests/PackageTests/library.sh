#!/bin/sh
# Builds a program that uses only the product CollectionLayout, and tests that the build contains
# neither SQLite nor the packages of the service.
set -eu

root=$(cd "$(dirname "$0")/../.." && pwd)
fail() { echo "library: $*" >&2; exit 1; }
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
# The same packages from the same places.
if [ -d "$root/.swiftpm/configuration" ]; then
  mkdir "$folder/.swiftpm"
  cp -R "$root/.swiftpm/configuration" "$folder/.swiftpm"
fi
mkdir -p "$folder/Sources/Stack"
cat >"$folder/Package.swift" <<END
// swift-tools-version: 6.2
import PackageDescription

let package = Package(
  name: "Stack", platforms: [.macOS(.v15)],
  dependencies: [.package(name: "LayoutCache", path: "$root", traits: [])],
  targets: [
    .executableTarget(
      name: "Stack", dependencies: [.product(name: "CollectionLayout", package: "LayoutCache")])
  ])
END
cat >"$folder/Sources/Stack/main.swift" <<'END'
import CollectionLayout
import LayoutGeometry

struct Stack: SectionLayout {
  static let kind = "stack"
  init(options: [String: ConfigurationValue], in space: SectionSpace) {}
  func place(
    _ item: LayoutItem, in context: ItemContext, state: inout [Int64]
  ) -> ItemPlacement {
    ItemPlacement(
      frame: Rect(x: 0, y: 0, width: 100, height: item.size.height), advance: item.size.height)
  }
}

let configuration = LayoutConfiguration(
  container: .init(width: 100, height: nil), layoutDirection: .rightToLeft,
  section: .waterfall(columns: 2))
print(configuration.layoutDirection, Stack.kind, Length(points: 2.5)!)
END
(cd "$folder" && swift build >build.log 2>&1 && swift run --skip-build Stack >output) ||
  fail "the program is not built: $(grep -m 3 error: "$folder/build.log")"
[ "$(cat "$folder/output")" = "rightToLeft stack 2.5" ] || fail "it prints $(cat "$folder/output")"
# Planning a build makes folders for all targets, too. Names with a hyphen are cached modules of the
# toolchain.
built=$(find "$folder/.build/" -name '*.swiftmodule' -exec basename {} .swiftmodule \; | sort -u |
  grep -v -e -)
[ "$(echo $built)" = "CollectionLayout JSONText LayoutGeometry Stack" ] || fail "it builds" $built
if ldd "$(cd "$folder" && swift build --show-bin-path)/Stack" | grep -q sqlite; then
  fail "it loads SQLite"
fi
echo "passed  a program uses CollectionLayout without SQLite and the service"
