"""A client of LayoutCache, and the `layoutcache` command itself.

    import layoutcache
    from layoutcache import operations

    client = layoutcache.Client("http://127.0.0.1:8080")
    client.apply("museum", operations.resize("A00184", 4, 3))
    for element in client.elements("museum", "phone", (0, 20000, 390, 844)):
        print(element.key, element.frame)

`docs/PYTHON.md` is a tutorial; `docs/HTTP.md` describes the routes.
"""

from __future__ import annotations

from . import operations
from ._client import Client
from ._errors import (
    ConflictError, ConnectionFailedError, InvalidAnswerError, LayoutCacheError, NotFoundError,
    ProblemError, RevisionMismatchError, TimedOutError)
from ._events import EventStream
from ._service import Service, ServiceStartError, binary_path, serve
from ._transport import Answer, Retries
from ._types import (
    Changes, Commit, Dataset, Element, Elements, Event, ImportOutcome, Item, ItemUpdate,
    LaggingLayout, Layout, LayoutChange, LogEntry, Mark, Point, Preparation, Rect, Section,
    SectionInvalidation, SectionUpdate, Size, SkippedRow, StoredItem, Updates)
from ._version import version as _version

__all__ = [
    "Answer", "Changes", "Client", "Commit", "ConflictError", "ConnectionFailedError", "Dataset",
    "Element", "Elements", "Event", "EventStream", "ImportOutcome", "InvalidAnswerError", "Item",
    "ItemUpdate", "LaggingLayout", "Layout", "LayoutCacheError", "LayoutChange", "LogEntry", "Mark",
    "NotFoundError", "Point", "Preparation", "ProblemError", "Rect", "Retries",
    "RevisionMismatchError", "Section", "SectionInvalidation", "SectionUpdate", "Service",
    "ServiceStartError", "Size", "SkippedRow", "StoredItem", "TimedOutError", "Updates",
    "binary_path", "operations", "serve",
]


def __getattr__(name: str) -> str:
    # Reading the metadata takes longer than the rest of the import.
    if name == "__version__":
        return _version()
    raise AttributeError(f"module 'layoutcache' has no attribute '{name}'")
