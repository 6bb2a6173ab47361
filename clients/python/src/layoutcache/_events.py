"""Streams of commits: server-sent events that resume after interruptions."""

from __future__ import annotations

import contextlib
import http.client
import json
import socket
import threading
import time
from typing import Dict, Iterator, List, NamedTuple, Optional, Tuple

from ._errors import InvalidAnswerError, ProblemError
from ._transport import PASSING_STATUSES, Query, SendingError, Transport, failed, logger
from ._types import Commit, Event

# The service sends a comment every 15 seconds.
SILENCE_SECONDS_MAX = 50.0
# A connection that lasted longer had not failed.
STABLE_SECONDS = 10.0


class ServerSentEvent(NamedTuple):
    """An event by the HTML standard."""

    kind: str
    data: str
    id: Optional[str]


class EventParser:
    """Reads server-sent events from pieces of bytes, which may end anywhere."""

    def __init__(self) -> None:
        self._rest = b""
        self._skips_line_feed = False
        self._kind, self._id = "", None  # type: Tuple[str, Optional[str]]
        self._data: List[str] = []

    def feed(self, piece: bytes) -> Iterator[ServerSentEvent]:
        """Yields the events that the piece completes."""
        if self._skips_line_feed and piece:
            # The second half of a line's end.
            piece = piece[1:] if piece[:1] == b"\n" else piece
            self._skips_line_feed = False
        if piece[-1:] == b"\r":
            self._skips_line_feed = True
        # Only these two end lines; `splitlines` knows others.
        *lines, self._rest = (
            (self._rest + piece).replace(b"\r\n", b"\n").replace(b"\r", b"\n").split(b"\n"))
        for line in lines:
            event = self._line(line.decode("utf-8", "replace"))
            if event:
                yield event

    def _line(self, line: str) -> Optional[ServerSentEvent]:
        if not line:
            data, self._data = self._data, []
            kind, self._kind = self._kind, ""
            return ServerSentEvent(kind or "message", "\n".join(data), self._id) if data else None
        name, _, value = line.partition(":")
        value = value[1:] if value.startswith(" ") else value
        if name == "event":
            self._kind = value
        elif name == "data":
            self._data.append(value)
        elif name == "id" and "\0" not in value:
            self._id = value
        return None


class EventStream:
    """The commits of a dataset, as they happen. It is an iterator, and a context manager.

    After an interruption it continues with the commits that it has not delivered yet. A `reset`
    says that commits are missing: query everything again; commits after its `revision` follow.
    The stream ends with `gone` if the dataset is removed.
    """

    def __init__(
        self, transport: Transport, dataset: str, query: Query, revision: int,
        incarnation: str, reconnect_seconds: Optional[float], exists: bool,
    ) -> None:
        self._transport = transport
        self._path = ("v1", "datasets", dataset, "events")
        self._query = query
        self.revision = revision
        """The revision up to which commits were delivered."""
        self.incarnation = incarnation
        """The incarnation of the dataset that `revision` belongs to."""
        self._reconnect_seconds = reconnect_seconds
        # Whether the dataset is known to have existed.
        self._exists = exists
        self._closed = threading.Event()
        self._lock = threading.Lock()
        self._socket: Optional[socket.socket] = None
        self._events = self._followed()

    def __iter__(self) -> EventStream:
        return self

    def __next__(self) -> Event:
        return next(self._events)

    def __enter__(self) -> EventStream:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Ends the stream, also from another thread: a waiting iteration then stops."""
        self._closed.set()
        with self._lock:
            if self._socket is not None:
                # Closing the socket would not end a read of another thread.
                with contextlib.suppress(OSError):
                    self._socket.shutdown(socket.SHUT_RDWR)

    def _followed(self) -> Iterator[Event]:
        failures = 0
        away_since: Optional[float] = None
        while not self._closed.is_set():
            begun = time.monotonic()
            try:
                for event in self._connected():
                    away_since, self._exists = None, True
                    if event is None:
                        continue
                    if self._closed.is_set():
                        return
                    failures = 0
                    yield event
                    if event.kind == "gone":
                        return
                # The service stops, or a proxy ends long answers.
                failure: Exception = SendingError(EOFError("the stream ended"), is_sent=True)
            except ProblemError as problem:
                if self._exists and problem.status == 404 and problem.kind == "not-found":
                    # It was removed while there was no stream.
                    yield Event("gone")
                    return
                if problem.status not in PASSING_STATUSES:
                    raise
                failure = problem
            except SendingError as error:
                failure = error
            if self._closed.is_set():
                return
            now = time.monotonic()
            failures = 1 if now - begun > STABLE_SECONDS else failures + 1
            away_since = now if away_since is None else away_since
            delay = self._transport.retries.seconds(
                failures, failure.retry_after if isinstance(failure, ProblemError) else 0.0)
            if self._reconnect_seconds is not None:
                left = self._reconnect_seconds - (now - away_since)
                if left <= 0:
                    raise self._raised(failure, failures)
                delay = min(delay, left)
            logger.info("events of %s: %s; connecting in %.1f s", self._path[2], failure, delay)
            self._closed.wait(delay)

    def _raised(self, failure: Exception, attempts: int) -> Exception:
        if not isinstance(failure, SendingError):
            return failure
        transport = self._transport
        error = failed(failure, transport.url, transport.timeout, attempts, False, None)
        error.__cause__ = failure.cause
        return error

    def _connected(self) -> Iterator[Optional[Event]]:
        """Yields the events of one connection, and `None` once it is open."""
        headers: Dict[str, str] = {"Accept": "text/event-stream"}
        query = self._query
        if self.incarnation:
            headers["Last-Event-ID"] = f"{self.revision}.{self.incarnation}"
        else:
            query = [*query, ("since", self.revision)]
        with self._transport.stream(self._path, query, headers=headers) as (sock, response):
            with self._lock:
                self._socket = sock
            try:
                if self._closed.is_set():
                    return
                yield None
                sock.settimeout(SILENCE_SECONDS_MAX)
                parser = EventParser()
                while True:
                    try:
                        piece = response.read1(1 << 16)
                    except (OSError, http.client.HTTPException) as error:
                        raise SendingError(error, is_sent=True) from error
                    if not piece:
                        return
                    for event in parser.feed(piece):
                        understood = self._understood(event)
                        if understood:
                            yield understood
            finally:
                with self._lock:
                    self._socket = None

    def _understood(self, event: ServerSentEvent) -> Optional[Event]:
        """Returns an event, and remembers where to resume."""
        if event.kind == "gone":
            return Event("gone")
        if event.kind not in ("commit", "reset", "layout"):
            return None
        try:
            members = json.loads(event.data)
            if event.kind == "layout":
                return Event("layout", None, members["incarnation"], layout=members["layout"])
            revision, incarnation = members["revision"], members.get("incarnation")
            commit = Commit.from_json(members) if event.kind == "commit" else None
        except (AttributeError, LookupError, TypeError, ValueError) as error:
            raise InvalidAnswerError(
                f"an event is not a LayoutCache service's: {event.data[:40]!r}") from error
        self.revision = revision
        self.incarnation = incarnation or self.incarnation
        return Event(event.kind, revision, self.incarnation, commit)
