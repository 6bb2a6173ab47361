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

# As type checkers know it from `typing`, whose import takes as long as Python's start.
TYPE_CHECKING = False

if TYPE_CHECKING:
    from . import operations
    from ._client import Client
    from ._command import binary_path
    from ._errors import (
        ConflictError, ConnectionFailedError, InvalidAnswerError, LayoutCacheError, NotFoundError,
        ProblemError, RevisionMismatchError, TimedOutError)
    from ._events import EventStream
    from ._service import Service, ServiceStartError, serve
    from ._transport import Answer, Retries
    from ._types import (
        Carousel, Changes, Commit, Dataset, Element, Elements, Event, ImportOutcome, Item,
        ItemUpdate, LaggingLayout, Layout, LayoutChange, LayoutDefinition, LogEntry, Mark, NamedView,
        Point, Preparation, Rect, Section, SectionInvalidation, SectionUpdate, Size, SkippedRow,
        StoredItem, Template, Undone, Updates)

__all__ = [
    "Answer", "Carousel", "Changes", "Client", "Commit", "ConflictError", "ConnectionFailedError",
    "Dataset", "Element", "Elements", "Event", "EventStream", "ImportOutcome",
    "InvalidAnswerError", "Item", "ItemUpdate", "LaggingLayout", "Layout", "LayoutCacheError",
    "LayoutChange", "LayoutDefinition", "LogEntry", "Mark", "NamedView", "NotFoundError", "Point", "Preparation", "ProblemError", "Rect", "Retries",
    "RevisionMismatchError", "Section", "SectionInvalidation", "SectionUpdate", "Service",
    "ServiceStartError", "Size", "SkippedRow", "StoredItem", "Template", "TimedOutError", "Undone", "Updates",
    "binary_path", "operations", "serve",
]

_MODULES = ("_client", "_command", "_errors", "_events", "_service", "_transport", "_types")

if not TYPE_CHECKING:
    # The command imports this package too, and needs none of this.
    def __getattr__(name):
        import importlib

        if name == "__version__":
            return importlib.import_module("._version", __name__).version()
        if name == "operations":
            return importlib.import_module(".operations", __name__)
        if name in __all__:
            for module in _MODULES:
                members = vars(importlib.import_module(f".{module}", __name__))
                if name in members:
                    globals()[name] = members[name]
                    return members[name]
        raise AttributeError(f"module 'layoutcache' has no attribute '{name}'")

    def __dir__():
        return [*globals(), *__all__, "__version__"]
else:
    __version__: str
