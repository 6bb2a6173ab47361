"""The command: the bundled binary. This module imports little, so that the command starts soon."""

from __future__ import annotations

import os
import sys


def binary_path() -> str:
    """Returns the path of the `layoutcache` command.

    It is that of `LAYOUTCACHE_BINARY`, or the one in this package, or, if the package was built
    without it, the one in `PATH`. Raises a `FileNotFoundError` if there is none.
    """
    named = os.environ.get("LAYOUTCACHE_BINARY")
    if named:
        if not os.access(named, os.X_OK):
            raise FileNotFoundError(f"LAYOUTCACHE_BINARY is '{named}', which is not a command")
        return named
    bundled = os.path.join(os.path.dirname(os.path.abspath(__file__)), "bin", "layoutcache")
    if os.path.exists(bundled):
        return bundled
    import shutil  # a third of the time that the command takes to start

    found = shutil.which("layoutcache")
    # The script of this package, which calls this function, has that name too.
    if found and _is_program(found):
        return found
    raise FileNotFoundError(
        "this package was built without the layoutcache command; install a wheel for this "
        "platform, or name the command in LAYOUTCACHE_BINARY")


def _is_program(path: str) -> bool:
    with open(path, "rb") as file:
        return file.read(2) != b"#!"


def main() -> None:
    """Runs the command in place of this process."""
    try:
        binary = binary_path()
    except FileNotFoundError as error:
        print(f"layoutcache: {error}", file=sys.stderr)
        sys.exit(66)
    os.execv(binary, ["layoutcache", *sys.argv[1:]])
