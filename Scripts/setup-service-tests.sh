#!/bin/sh
# Installs the dependencies of the tests of the service into .build/service-tests: validators from
# PyPI, and nginx of Debian or Ubuntu, which is only unpacked, so that no server is started. The
# tests that need a missing one are skipped with a message.
set -eu
cd "$(dirname "$0")/.."

environment=.build/service-tests
"$environment/bin/python3" -c 'import jsonschema, openapi_spec_validator' \
  >/dev/null 2>&1 || {
  . Scripts/packages.sh
  make_environment "$environment" 'jsonschema>=4.20,<5' 'openapi-spec-validator>=0.7,<1' || {
    echo "setup: PyPI cannot be reached; tests that validate are skipped" >&2
    exit 1
  }
}

if ! command -v nginx >/dev/null 2>&1 && [ ! -x "$environment/nginx/usr/sbin/nginx" ]; then
  if command -v apt-get >/dev/null 2>&1 &&
    mkdir -p "$environment/packages" &&
    (cd "$environment/packages" && apt-get download -qq nginx >/dev/null 2>&1); then
    dpkg -x "$environment"/packages/nginx_*.deb "$environment/nginx"
  else
    echo "setup: nginx is not installed; the tests through a proxy are skipped" >&2
  fi
fi
