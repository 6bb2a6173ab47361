"""The version of the installed package."""

from __future__ import annotations

import functools
import importlib.metadata


@functools.lru_cache(maxsize=None)
def version() -> str:
    """Returns the version; "0" for a source tree that is not installed."""
    try:
        return importlib.metadata.version("layoutcache")
    except importlib.metadata.PackageNotFoundError:
        return "0"
