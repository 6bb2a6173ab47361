#!/bin/sh
# Installs what the tests of the service need in .build/service-tests: validators and
# schemathesis from PyPI, and, unpacked beside them so that no server is started, the nginx
# of Debian or Ubuntu. Without them those tests are skipped, and say so.
set -eu
cd "$(dirname "$0")/.."

environment=.build/service-tests
"$environment/bin/python3" -c 'import jsonschema, openapi_spec_validator, schemathesis' \
  >/dev/null 2>&1 || {
  . Scripts/packages.sh
  make_environment "$environment" 'jsonschema>=4.20,<5' 'openapi-spec-validator>=0.7,<1' \
    'schemathesis>=4,<5' || {
    echo "setup: PyPI can't be reached; tests that validate are skipped" >&2
    exit 1
  }
}

if ! command -v nginx >/dev/null 2>&1 && [ ! -x "$environment/nginx/usr/sbin/nginx" ]; then
  if command -v apt-get >/dev/null 2>&1 &&
    mkdir -p "$environment/packages" &&
    (cd "$environment/packages" && apt-get download -qq nginx >/dev/null 2>&1); then
    dpkg -x "$environment"/packages/nginx_*.deb "$environment/nginx"
  else
    echo "setup: there is no nginx; the tests through a proxy are skipped" >&2
  fi
fi
