#!/bin/sh
# Installs the dependencies of the comparison with a browser: the distribution's Chromium, and
# Playwright in .build/browser, without Playwright's own browsers. Prints the missing packages if
# they cannot be installed.
set -eu
cd "$(dirname "$0")/.."

missing=""
if ! command -v chromium >/dev/null 2>&1 && ! command -v chromium-browser >/dev/null 2>&1 &&
  ! command -v google-chrome >/dev/null 2>&1; then
  missing="$missing chromium"
fi
python3 -c 'import ensurepip, venv' >/dev/null 2>&1 || missing="$missing python3-venv"

if [ -n "$missing" ]; then
  . Scripts/packages.sh
  install_packages "$missing" --no-install-recommends
fi

browser=.build/browser
"$browser/bin/python3" -c 'import playwright' >/dev/null 2>&1 || {
  echo "setup: installing Playwright in $browser" >&2
  python3 -m venv --clear "$browser"
  "$browser/bin/pip" install --quiet --disable-pip-version-check 'playwright>=1.65,<2'
}

# An installed browser may fail to start: some sandboxes forbid it.
timeout 60 "$browser/bin/python3" Tests/BrowserTests/lay_out.py </dev/null >/dev/null || {
  echo "setup: Chromium is installed but does not start" >&2
  exit 1
}
