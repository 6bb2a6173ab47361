"""Requests to a node or the proxy, and the replies."""

import hashlib
import http.client
import json
import re
import time


class Reply:
    """The reply to a request; `status` is None if there was none."""

    def __init__(self, status=None, headers=None, body=b"", was_sent=True):
        self.status, self.headers, self.body = status, headers or {}, body
        self.was_sent = was_sent

    def header(self, name):
        return self.headers.get(name.lower())

    @property
    def json(self):
        return json.loads(self.body)

    @property
    def problem(self):
        """The name of the problem's type; empty if the answer has none."""
        if "problem+json" not in (self.header("content-type") or ""):
            return ""
        try:
            return self.json["type"].rpartition("#")[2]
        except (ValueError, KeyError):
            return ""

    @property
    def revision(self):
        text = self.header("layoutcache-revision")
        return int(text) if text else None

    @property
    def position(self):
        return self.header("layoutcache-position")

    @property
    def age(self):
        """The stated age, in nanoseconds."""
        text = self.header("layoutcache-age")
        return None if text is None else int(float(text) * 1e9)

    @property
    def is_done(self):
        return self.status is not None and 200 <= self.status < 300

    @property
    def is_refused(self):
        """Whether the request was rejected for good, without effect."""
        return self.status is not None and 400 <= self.status < 500 and self.status != 408

    @property
    def is_nothing_done(self):
        """Whether the request had no effect and can be retried."""
        if self.status is None:
            return not self.was_sent
        return self.status == 503 and bool(self.problem) and self.problem != "outcome-unknown"

    def outcome(self, is_unknown):
        """Returns the outcome of a change as its client knows it.

        - `is_unknown`: whether an earlier attempt may be under way.
        """
        if self.is_done:
            return "done"
        is_refused = self.is_refused or self.is_nothing_done
        return "refused" if is_refused and not is_unknown else "unknown"

    @property
    def digest(self):
        """The digest of the body without the incarnations, which a replay does not have."""
        body = re.sub(rb'"incarnation":"[^"]*",?', b"", self.body)
        return hashlib.sha256(body).hexdigest()[:24]

    def __repr__(self):
        return f"{self.status} {self.body[:300]!r}"


class Asker:
    """A persistent connection to one target, used by one thread."""

    def __init__(self, target, address, port, token, session):
        self.target, self.address, self.port = target, address, port
        self.token, self.session = token, session
        self.connection = None

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def close(self):
        if self.connection:
            self.connection.close()
        self.connection = None

    def open(self, seconds):
        if self.connection is None:
            connection = http.client.HTTPConnection(self.address, self.port, timeout=2)
            connection.connect()
            self.connection = connection
        self.connection.sock.settimeout(seconds)
        return self.connection

    def ask(self, method, path, body=None, headers=None, seconds=12):
        """Sends one request; returns the reply, also if none came."""
        everything = {"Authorization": f"Bearer {self.token}", **(headers or {})}
        was_sent = False
        try:
            connection = self.open(seconds)
            was_sent = True
            connection.request(method, path, body, everything)
            response = connection.getresponse()
            found = Reply(
                response.status,
                {name.lower(): value for name, value in response.getheaders()}, response.read())
            if found.header("connection") == "close":
                self.close()
            return found
        except (OSError, http.client.HTTPException):
            self.close()
            return Reply(was_sent=was_sent)


def now():
    """The time of the clock shared by all clients, in nanoseconds."""
    return time.monotonic_ns()
