#!/bin/sh
# Installs hatchling and mypy, which build and check the Python package, from PyPI into
# .build/python. Fails if PyPI cannot be reached; the client's tests then skip the type check.
set -eu
cd "$(dirname "$0")/.."

environment=.build/python
"$environment/bin/python3" -c 'import hatchling, mypy' >/dev/null 2>&1 && exit 0
. Scripts/packages.sh
make_environment "$environment" 'hatchling>=1.18,<2' 'mypy>=1.8,<3' || {
  echo "setup: PyPI cannot be reached; the Python package is not built or type-checked" >&2
  exit 1
}
