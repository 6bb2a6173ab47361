# Functions for the other scripts, which source this file.

# Installs packages of Debian or Ubuntu. Without apt-get or the permission, prints the packages and
# ends the script.
#
# $1: the packages, each preceded by a space. Further arguments are passed to apt-get install,
# which waits up to five minutes for another installation, such as an automatic upgrade.
install_packages() {
  missing="$1"
  shift
  if ! command -v apt-get >/dev/null 2>&1; then
    echo "setup: install these packages, whose names are Debian's, then try again:$missing" >&2
    exit 1
  fi
  if [ "$(id -u)" -eq 0 ]; then
    as_root=""
  elif command -v sudo >/dev/null 2>&1 && sudo -n true 2>/dev/null; then
    as_root="sudo"
  else
    echo "setup: run 'sudo apt-get install$missing', then try again" >&2
    exit 1
  fi
  echo "setup: installing$missing" >&2
  $as_root apt-get update -qq
  # shellcheck disable=SC2086 # a list of words
  DEBIAN_FRONTEND=noninteractive $as_root apt-get -o DPkg::Lock::Timeout=300 install -y -qq \
    "$@" $missing >/dev/null
}

# Creates a virtual environment of Python with packages from PyPI. If PyPI cannot be reached,
# removes the environment and fails.
#
# $1: the folder. Further arguments: the packages.
make_environment() {
  environment="$1"
  shift
  python3 -c 'import ensurepip, venv' >/dev/null 2>&1 ||
    install_packages " python3-venv" --no-install-recommends
  echo "setup: installing $* in $environment" >&2
  python3 -m venv --clear "$environment"
  "$environment/bin/pip" install --quiet --disable-pip-version-check --timeout 20 "$@" || {
    rm -rf "$environment"
    return 1
  }
}
