"""Requests over HTTP: connections, timeouts and retries."""

from __future__ import annotations

import contextlib
import http.client
import json
import logging
import os
import random
import select
import socket
import ssl
import threading
import time
import urllib.parse
from collections import OrderedDict
from dataclasses import dataclass
from typing import (
    Any, Callable, Dict, Iterable, Iterator, List, Mapping, Optional, Sequence, Tuple, Union)

from ._errors import (
    ConnectionFailedError, InvalidAnswerError, ProblemError, TimedOutError, problem_of_answer)
from ._version import version

logger = logging.getLogger("layoutcache")

Query = Sequence[Tuple[str, Union[None, bool, int, str]]]
Body = Union[None, bytes, Iterable[bytes]]

# The service closes a connection after 75 seconds without a request, by default.
IDLE_SECONDS_MAX = 50.0
IDLE_CONNECTIONS_MAX = 16
# The number of datasets whose positions are remembered.
POSITIONS_MAX = 10_000
# 503 is of the service; the others are of proxies, which limit requests or lost the service.
PASSING_STATUSES = (429, 502, 503, 504)


@dataclass(frozen=True)
class Retries:
    """How often and when a request is sent again.

    A request is sent again if it was certainly not applied (no connection, or 503), and after any
    lost connection or timeout if a repetition cannot do harm: queries, settings, and changes with
    an idempotency key. The delay doubles each time, and varies by half so that clients do not
    return together. A longer `Retry-After` of the service replaces it, up to `delay_max`.
    """

    attempts: int = 6
    """The number of times that a request is sent, the first included."""
    delay: float = 0.1
    """The first delay, in seconds."""
    delay_max: float = 10.0
    """The longest delay, in seconds."""

    def seconds(self, failures: int, retry_after: float = 0.0) -> float:
        """Returns the delay after a number of failures."""
        growing = min(self.delay * 2.0 ** min(failures - 1, 30), self.delay_max)
        return min(max(growing * random.uniform(0.5, 1.0), retry_after), self.delay_max)


@dataclass(frozen=True)
class Answer:
    """A complete successful answer."""

    status: int
    headers: Mapping[str, str]
    """By lowercase name."""
    body: bytes

    def json(self) -> Any:
        """Returns the decoded body."""
        try:
            return json.loads(self.body)
        except ValueError as error:
            raise InvalidAnswerError(
                f"the answer is not JSON, but begins with {self.body[:40]!r}") from error


class SendingError(Exception):
    """One attempt failed without a complete answer."""

    def __init__(self, cause: BaseException, is_sent: bool) -> None:
        super().__init__(str(cause))
        self.cause = cause
        self.is_sent = is_sent
        """Whether the service may have received the request."""

    @property
    def is_timeout(self) -> bool:
        # `socket.timeout` is a separate class before Python 3.10.
        return isinstance(self.cause, (TimeoutError, socket.timeout))


class AnsweredEarly(Exception):
    """The service has answered before the end of the body."""


class Pieces:
    """A body that is produced as it is sent, and can be sent again until it is long."""

    BYTES_KEPT = 4 << 20

    def __init__(self, pieces: Iterable[bytes]) -> None:
        self._rest = iter(pieces)
        self._sent: List[bytes] = []
        self._size = 0

    @property
    def can_repeat(self) -> bool:
        return self._size <= self.BYTES_KEPT

    def __iter__(self) -> Iterator[bytes]:
        yield from self._sent
        for piece in self._rest:
            self._size += len(piece)
            if self.can_repeat:
                self._sent.append(piece)
            else:
                self._sent.clear()
            yield piece


class Transport:
    """Sends requests to one service. Threads may share it."""

    def __init__(
        self, url: str, token: Union[None, str, Callable[[], Optional[str]]], timeout: float,
        retries: Retries, ssl_context: Optional[ssl.SSLContext], reads_own_writes: bool,
    ) -> None:
        parts = urllib.parse.urlsplit(url)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise ValueError(f"'{url}' is not an address such as http://127.0.0.1:8080")
        if parts.query or parts.fragment or parts.username is not None:
            raise ValueError(f"'{url}' has more than a host, a port and a path")
        if not timeout > 0:
            raise ValueError(f"the timeout is {timeout}; it must be above 0")
        self.host, self.port, self.scheme = parts.hostname, parts.port, parts.scheme
        self.prefix = parts.path.rstrip("/")
        self.url = f"{parts.scheme}://{parts.netloc}{self.prefix}"
        self.token = token
        self.timeout = timeout
        self.retries = retries
        self.ssl_context = ssl_context
        self._lock = threading.Lock()
        self._idle: List[Tuple[float, http.client.HTTPConnection]] = []
        self._process = os.getpid()
        # The position in the shared log of this client's latest change to each dataset.
        self._positions: Optional[OrderedDict[str, str]] = (
            OrderedDict() if reads_own_writes else None)

    # Connections

    def close(self) -> None:
        """Closes idle connections."""
        with self._lock:
            idle, self._idle = self._idle, []
        for _, connection in idle:
            connection.close()

    def _new_connection(self, timeout: float) -> http.client.HTTPConnection:
        if self.scheme == "https":
            return http.client.HTTPSConnection(
                self.host, self.port, timeout=timeout, context=self.ssl_context)
        return http.client.HTTPConnection(self.host, self.port, timeout=timeout)

    def _connection(self, timeout: float) -> http.client.HTTPConnection:
        """Returns an idle connection, or a new one that is not connected yet."""
        while True:
            with self._lock:
                if self._process != os.getpid():
                    # A fork: the parent uses these sockets.
                    self._idle, self._process = [], os.getpid()
                if not self._idle:
                    break
                since, connection = self._idle.pop()
            if time.monotonic() - since < IDLE_SECONDS_MAX and not has_ended(connection):
                connection.sock.settimeout(timeout)
                return connection
            connection.close()
        return self._new_connection(timeout)

    def _store(self, connection: http.client.HTTPConnection) -> None:
        with self._lock:
            if len(self._idle) < IDLE_CONNECTIONS_MAX and connection.sock is not None:
                self._idle.append((time.monotonic(), connection))
                return
        connection.close()

    # Requests

    def target(self, path: Sequence[str], query: Query = ()) -> str:
        """Returns the target of a request: each part of the path is percent-encoded."""
        target = self.prefix + "".join("/" + quoted(part) for part in path)
        pairs = [
            (name, ("true" if value else "false") if isinstance(value, bool) else str(value))
            for name, value in query if value is not None]
        return target + ("?" + urllib.parse.urlencode(pairs) if pairs else "")

    def _headers(self, headers: Mapping[str, str]) -> Dict[str, str]:
        sent = {"User-Agent": f"layoutcache-python/{version()}", **headers}
        token = self.token() if callable(self.token) else self.token
        if token is not None:
            sent["Authorization"] = f"Bearer {token}"
        return sent

    # Positions in a shared log

    def require_position(
        self, path: Sequence[str], headers: Mapping[str, str],
    ) -> Mapping[str, str]:
        """Returns headers that require an answer after the changes by this client."""
        if self._positions is None or len(path) < 3:
            return headers
        with self._lock:
            position = self._positions.get(path[2])
        return headers if position is None else {"Min-Revision": position, **headers}

    def record_position(self, path: Sequence[str], answer: Answer) -> None:
        """Records the position of a change by this client."""
        position = answer.headers.get("layoutcache-position")
        if self._positions is None or len(path) < 3 or position is None:
            return
        with self._lock:
            self._positions[path[2]] = position
            self._positions.move_to_end(path[2])
            if len(self._positions) > POSITIONS_MAX:
                self._positions.popitem(last=False)

    def forget_position(self, path: Sequence[str]) -> None:
        """Forgets the position of a dataset, which may have another history now."""
        if self._positions is not None and len(path) > 2:
            with self._lock:
                self._positions.pop(path[2], None)

    def send(
        self, connection: http.client.HTTPConnection, method: str, target: str, body: Body,
        headers: Mapping[str, str],
    ) -> http.client.HTTPResponse:
        """Sends a request and returns the answer before its body."""
        sent = self._headers(headers)
        if connection.sock is None:
            connect(connection)
        is_stream = body is not None and not isinstance(body, bytes)
        if body is not None and not isinstance(body, bytes):
            sent["Transfer-Encoding"] = "chunked"
            body = until_answered(body, connection.sock)
        try:
            try:
                connection.request(method, target, body, sent, encode_chunked=is_stream)
            except (AnsweredEarly, BrokenPipeError, ConnectionResetError):
                # A service that rejects a body does not read all of it: there may be an answer.
                return connection.getresponse()
            return connection.getresponse()
        except (OSError, http.client.HTTPException) as error:
            raise SendingError(error, is_sent=True) from error

    def once(
        self, method: str, target: str, body: Body, headers: Mapping[str, str], timeout: float,
        *, is_new: bool = False,
    ) -> Answer:
        """Sends a request once, over a new connection or any.

        Raises a `SendingError` without a complete answer, a `ProblemError` for an error.
        """
        connection = self._new_connection(timeout) if is_new else self._connection(timeout)
        done = False
        try:
            response = self.send(connection, method, target, body, headers)
            try:
                content = response.read()
            except (OSError, http.client.HTTPException) as error:
                raise SendingError(error, is_sent=True) from error
            done = not response.will_close
        finally:
            if done:
                self._store(connection)
            else:
                connection.close()
        return checked(response, content)

    def request(
        self, method: str, path: Sequence[str], query: Query = (), *,
        body: Optional[bytes] = None, headers: Mapping[str, str] = {},
        is_repeatable: Optional[bool] = None,
        timeout: Optional[float] = None, idempotency_key: Optional[str] = None,
    ) -> Answer:
        """Sends a request, again if necessary and safe."""
        if is_repeatable is None:
            is_repeatable = method in ("GET", "HEAD", "PUT")
        target = self.target(path, query)
        # A preview is a query with a body.
        is_query = method in ("GET", "HEAD") or path[-1] == "elements"
        if is_query and method != "HEAD":
            headers = self.require_position(path, headers)
        seconds = self.timeout if timeout is None else timeout
        failures = 0
        # Whether an attempt may have been applied.
        unknown = False
        while True:
            error: Exception
            try:
                answer = self.once(method, target, body, headers, seconds)
                if method == "DELETE" or path[-1] == "rename":
                    self.forget_position(path)
                elif not is_query:
                    self.record_position(path, answer)
                return answer
            except ProblemError as problem:
                if method == "GET" and problem.status in (404, 409):
                    # Perhaps another client created the dataset again, with another history.
                    self.forget_position(path)
                error, retry_after = problem, problem.retry_after
                rejected = is_certainly_rejected(problem)
                again = problem.status in PASSING_STATUSES and (is_repeatable or rejected)
                unknown = unknown or not rejected
            except SendingError as failure:
                error, retry_after = failure, 0.0
                again = (is_repeatable or not failure.is_sent) and not isinstance(
                    failure.cause, ssl.SSLCertVerificationError)
                unknown = unknown or failure.is_sent
            # A layout that is being brought up to date is no failure.
            failures += getattr(error, "kind", None) != "preparing"
            if not again or failures >= self.retries.attempts:
                break
            delay = self.retries.seconds(failures, retry_after)
            logger.info(
                "%s %s failed: %s; attempt %d in %.1f s", method, target.partition("?")[0], error,
                failures + 1, delay)
            time.sleep(delay)
        unknown = unknown and method not in ("GET", "HEAD")
        if isinstance(error, SendingError):
            raise failed(
                error, self.url, seconds, failures, unknown, idempotency_key) from error.cause
        if isinstance(error, ProblemError):
            # A repetition that is rejected for another reason was not applied before either: a
            # key is recognised first. A setting has none: another client may have replaced it.
            is_passing = error.status in PASSING_STATUSES or error.status >= 500
            is_setting = method == "PUT" and error.status == 412
            error.outcome_unknown = unknown and (is_passing or is_setting)
            error.idempotency_key = idempotency_key
        raise error

    @contextlib.contextmanager
    def stream(
        self, path: Sequence[str], query: Query = (), *, headers: Mapping[str, str] = {},
        timeout: Optional[float] = None,
    ) -> Iterator[Tuple[socket.socket, http.client.HTTPResponse]]:
        """Opens an answer of any length, over a separate connection, without retries."""
        connection = self._new_connection(self.timeout if timeout is None else timeout)
        try:
            # If the answer closes the connection, the connection no longer has the socket.
            sock = connect(connection)
            response = self.send(
                connection, "GET", self.target(path, query), None,
                self.require_position(path, headers))
            if response.status >= 300:
                if response.status in (404, 409):
                    self.forget_position(path)
                try:
                    checked(response, response.read())
                except (OSError, http.client.HTTPException) as error:
                    raise SendingError(error, is_sent=True) from error
            with response:
                yield sock, response
        finally:
            connection.close()


def connect(connection: http.client.HTTPConnection) -> socket.socket:
    """Connects, and returns the socket."""
    try:
        connection.connect()
    except (OSError, http.client.HTTPException) as error:
        raise SendingError(error, is_sent=False) from error
    sock: socket.socket = connection.sock
    # A body follows its header without waiting for an acknowledgement.
    sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return sock


def failed(
    failure: SendingError, url: str, timeout: float, attempts: int, unknown: bool,
    idempotency_key: Optional[str],
) -> ConnectionFailedError:
    """Returns the exception for a failure after the last attempt."""
    times = f" ({attempts} attempts)" if attempts > 1 else ""
    after = "; the outcome is unknown" if unknown else ""
    if failure.is_timeout:
        return TimedOutError(
            f"{url} did not answer within {timeout:g} s{times}{after}", outcome_unknown=unknown,
            idempotency_key=idempotency_key)
    event = f"the connection to {url} ended" if failure.is_sent else f"{url} cannot be reached"
    return ConnectionFailedError(
        f"{event}{times}: {failure}{after}", outcome_unknown=unknown,
        idempotency_key=idempotency_key)


def checked(response: http.client.HTTPResponse, content: bytes) -> Answer:
    """Returns a complete answer, or raises the problem that it describes."""
    headers = {name.lower(): value for name, value in response.getheaders()}
    if response.status < 300:
        return Answer(response.status, headers, content)
    reason = response.reason
    if response.status < 400 and "location" in headers:
        reason += f" to {headers['location']}"
    error = problem_of_answer(
        response.status, reason, headers.get("content-type", ""), content)
    error.retry_after = retry_after(headers)
    raise error


def is_certainly_rejected(problem: ProblemError) -> bool:
    """Whether nothing of the request was applied."""
    if problem.status == 503:
        return problem.kind not in ("", "outcome-unknown")
    return problem.status < 500


def retry_after(headers: Mapping[str, str]) -> float:
    """Returns the seconds of `Retry-After`; 0 without it, or for a date."""
    text = headers.get("retry-after", "")
    return float(text) if text.isascii() and text.isdigit() and len(text) < 10 else 0.0


def has_ended(connection: http.client.HTTPConnection) -> bool:
    """Whether the peer of an idle connection has closed it, or sent bytes without a request."""
    sock: Optional[socket.socket] = connection.sock
    return sock is None or is_readable(sock)


def until_answered(pieces: Iterable[bytes], sock: socket.socket) -> Iterator[bytes]:
    """Yields the pieces of a body until the service answers, then raises `AnsweredEarly`."""
    for piece in pieces:
        # A TLS connection may have received bytes that are no answer.
        if not isinstance(sock, ssl.SSLSocket) and is_readable(sock):
            raise AnsweredEarly
        yield piece


def is_readable(sock: socket.socket) -> bool:
    """Whether the peer has sent bytes, or closed the connection."""
    if hasattr(select, "poll"):  # without the limit of `select` to descriptors below 1,024
        poll = select.poll()
        poll.register(sock, select.POLLIN)
        return bool(poll.poll(0))
    return bool(select.select([sock], [], [], 0)[0])


def quoted(part: str) -> str:
    """Returns a part of a path, percent-encoded."""
    if part in (".", ".."):
        # Unencoded, they would be steps in the path.
        return part.replace(".", "%2E")
    return urllib.parse.quote(part, safe="")
