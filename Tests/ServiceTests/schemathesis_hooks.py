"""Makes schemathesis send text bodies unchanged."""

import schemathesis


@schemathesis.serializer("application/x-ndjson", "text/csv", "text/tab-separated-values")
def text(context, value):
    return value if isinstance(value, bytes) else str(value).encode("utf-8", "replace")
