#!/bin/sh
# Installs what the comparison with a browser needs: the distribution's Chromium, and
# Playwright in .build/browser, without the browsers that it would download. Says what is
# missing where it cannot.
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

# What is installed must also start: some sandboxes forbid it.
timeout 60 "$browser/bin/python3" Tests/BrowserTests/lay_out.py </dev/null >/dev/null || {
  echo "setup: Chromium is installed and does not start here" >&2
  exit 1
}
