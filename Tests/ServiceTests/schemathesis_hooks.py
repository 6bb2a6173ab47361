"""Makes schemathesis send text bodies unchanged, and wait little for streams."""

import schemathesis


@schemathesis.serializer("application/x-ndjson", "text/csv", "text/tab-separated-values")
def text(context, value):
    return value if isinstance(value, bytes) else str(value).encode("utf-8", "replace")


@schemathesis.hook
def before_call(context, case, kwargs):
    """Ends streams, which do not end by themselves, sooner than other requests."""
    if case.path.endswith("/events"):
        kwargs["timeout"] = 1
