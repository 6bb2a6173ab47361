#!/bin/sh
# Builds the wheel of a built layoutcache, installs it in a fresh virtual environment, and runs the
# client's tests with the installed package and command.
#
# wheel.sh BINARY [NAME ...]
#   NAME  a part of the names of tests to run; without one all are run
set -eu

binary=$(realpath "$1")
shift
cd "$(dirname "$0")/../.."
fail() { echo "wheel: $1" >&2; exit 1; }
passed() { echo "passed  $1"; }

made=$(sh Scripts/wheel.sh "$binary") || fail "wheel.sh printed no file name"
echo "$made"
wheel=$(echo "$made" | sed -n 's/^created \(.*\.whl\), .*/\1/p')

# Each file is listed with its hash, and only the command is executable.
python3 - "$wheel" <<'END'
import base64, hashlib, sys, zipfile

archive = zipfile.ZipFile(sys.argv[1])
record = next(name for name in archive.namelist() if name.endswith(".dist-info/RECORD"))
listed = {line.split(",")[0]: line.split(",")[1]
          for line in archive.read(record).decode().splitlines()}
assert set(listed) == set(archive.namelist()), set(listed) ^ set(archive.namelist())
for name, hash in listed.items():
    digest = base64.urlsafe_b64encode(hashlib.sha256(archive.read(name)).digest()).decode()
    assert name == record or hash == "sha256=" + digest.rstrip("="), name
executable = [entry.filename for entry in archive.infolist() if entry.external_attr >> 16 & 0o111]
assert executable == ["layoutcache/bin/layoutcache"], executable
for needed in ("layoutcache/py.typed", "layoutcache/operations.py"):
    assert needed in listed, needed
assert any(name.endswith("/LICENSE") for name in listed), "no licence"
END
passed "the wheel lists its files with their hashes"

again=$(mktemp -d)
trap 'rm -rf "$again"' EXIT
cp "$wheel" "$again/first.whl"
sh Scripts/wheel.sh "$binary" >/dev/null
cmp "$wheel" "$again/first.whl" || fail "a second build differs from the first"
passed "a second build is equal"

environment=$again/environment
python3 -m venv "$environment"
# Without an index: the package has no dependencies.
"$environment/bin/pip" install --quiet --disable-pip-version-check --no-index "$wheel" ||
  fail "pip does not install it"
passed "pip installs it in a fresh environment, without an index"

expected=$("$binary" --version)
printed=$(cd / && "$environment/bin/layoutcache" --version) || fail "the command does not start"
[ "$printed" = "$expected" ] || fail "the command prints '$printed', not '$expected'"
(cd / && PATH="$environment/bin:$PATH" layoutcache demo --items 1000 \
  --database "$again/demo.sqlite" >"$again/demo" 2>&1) || fail "the demo fails: $(cat "$again/demo")"
number=$("$environment/bin/python3" -c 'import layoutcache; print(layoutcache.__version__)')
normal=$(echo "$expected" | cut -d ' ' -f 2 | sed -e 's/-alpha\./a/; s/-beta\./b/; s/-rc\./rc/')
[ "$number" = "$normal" ] || fail "the version is '$number', not '$normal'"
passed "the command runs; its version and the package's are equal"

# The command, and no other, is the one in the package.
(unset LAYOUTCACHE_BINARY; "$environment/bin/python3" Tests/PythonClientTests/run.py --installed "$@" \
  >"$again/tests") || { grep -v '^passed' "$again/tests" >&2; fail "tests fail"; }
passed "the client's tests, with the installed package: $(tail -n 1 "$again/tests")"

"$environment/bin/pip" uninstall --quiet --yes layoutcache
[ ! -e "$environment/bin/layoutcache" ] || fail "pip does not uninstall the command"
passed "pip uninstalls it"
