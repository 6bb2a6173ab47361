#!/bin/sh
# Installs the programs that build and check the Python package in .build/python: hatchling and
# mypy, from PyPI. Fails if PyPI cannot be reached; the client's tests then skip the check of
# types.
set -eu
cd "$(dirname "$0")/.."

environment=.build/python
"$environment/bin/python3" -c 'import hatchling, mypy' >/dev/null 2>&1 && exit 0
python3 -c 'import ensurepip, venv' >/dev/null 2>&1 || {
  . Scripts/packages.sh
  install_packages " python3-venv" --no-install-recommends
}
echo "setup: installing hatchling and mypy in $environment" >&2
python3 -m venv --clear "$environment"
"$environment/bin/pip" install --quiet --disable-pip-version-check --timeout 20 \
  'hatchling>=1.18,<2' 'mypy>=1.8,<3' || {
  rm -rf "$environment"
  echo "setup: PyPI cannot be reached; the Python package is not built or type-checked" >&2
  exit 1
}
