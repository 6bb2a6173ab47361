"""Requests as bytes, for those that no client library would send."""

import contextlib
import http.client
import select
import socket
import time

from service import Answer, answer

# The bytes of one round of pipelined requests: the service reads them while it answers.
ROUND_BYTES_MAX = 24_000


def request(method, target, headers=(), body=None, host=b"127.0.0.1", version=b"HTTP/1.1"):
    """Returns the bytes of a request. Texts are sent as UTF-8; bytes are sent unchanged."""
    lines = [b"%s %s %s" % (encoded(method), encoded(target), version)]
    if host is not None:
        lines.append(b"Host: " + host)
    lines += [b"%s: %s" % (encoded(name), encoded(value)) for name, value in headers]
    if body is not None:
        lines.append(b"Content-Length: %d" % len(body))
    return b"\r\n".join(lines) + b"\r\n\r\n" + (body or b"")


def unread(service, data, bytes_max=4096, timeout=30):
    """Opens a connection with a small buffer, set before connecting, and sends a request."""
    connection = socket.socket()
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, bytes_max)
    connection.settimeout(timeout)
    connection.connect(("127.0.0.1", service.port))
    connection.sendall(data)
    return connection


def read_answer(connection, method="GET"):
    """Returns the next answer of a raw connection, including 100; None if it has ended."""
    response = http.client.HTTPResponse(connection, method=method)
    # The library skips 1xx answers, which some tests wait for.
    with contextlib.suppress(ConnectionError):
        response.begin()
        return answer(response)
    return None


def read_to_end(connection, bytes_max=1 << 20):
    """Returns all bytes of a raw connection until it ends."""
    data = b""
    with contextlib.suppress(ConnectionError):
        while len(data) < bytes_max and (piece := connection.recv(65536)):
            data += piece
    return data


def encoded(text):
    return text if isinstance(text, bytes) else text.encode()


class Incomplete(Exception):
    """The connection ended in the middle of an answer, or the answer is not HTTP."""


class AnswerReader:
    """Splits the bytes of a connection into answers."""

    def __init__(self):
        self.data = b""

    def next(self, method="GET", is_open=True):
        """Returns the next whole answer, or `None` if bytes are missing."""
        end = self.data.find(b"\r\n\r\n")
        if end < 0:
            return None
        lines = self.data[:end].decode("latin-1").split("\r\n")
        words = lines[0].split(" ", 2)
        if not words[0].startswith("HTTP/1.") or not words[1].isdigit():
            raise Incomplete(f"not an answer: {lines[0]!r}")
        headers = {}
        for line in lines[1:]:
            name, value = line.split(":", 1)
            headers[name.lower()] = value.strip()
        status = int(words[1])
        rest = self.data[end + 4:]
        if status < 200 or status in (204, 304) or method == "HEAD":
            body = b""
        elif "chunked" in headers.get("transfer-encoding", ""):
            body, rest = unchunked(rest)
        elif "content-length" not in headers:
            # It ends with the connection.
            body, rest = (None if is_open else rest), b""
        else:
            length = int(headers["content-length"])
            body, rest = (rest[:length], rest[length:]) if len(rest) >= length else (None, b"")
        if body is None:
            return None
        self.data = rest
        return Answer(status, headers, body, words[2] if len(words) > 2 else "")


def unchunked(data):
    """The content of a whole chunked body and the bytes after it, or `None` for both."""
    body = b""
    while True:
        end = data.find(b"\r\n")
        if end < 0:
            return None, None
        length = int(data[:end].split(b";")[0], 16)
        if len(data) < end + 2 + length + 2:
            return None, None
        body += data[end + 2:end + 2 + length]
        data = data[end + 4 + length:]
        if length == 0:
            return body, data


class Peer:
    """A connection that writes requests and reads answers, whole ones only."""

    def __init__(self, service, timeout=10):
        self.connection = service.connect(timeout)
        # Small requests follow one another without waiting for acknowledgements.
        self.connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.reader = AnswerReader()
        self.timeout = timeout
        self.is_open = True

    def __enter__(self):
        return self

    def __exit__(self, *error):
        self.close()

    def close(self):
        self.connection.close()

    def send(self, data):
        """Sends as much as the service takes while it also answers."""
        self.connection.setblocking(False)
        end = time.monotonic() + self.timeout
        sent = 0
        # An answer sent before the connection broke can still be read.
        with contextlib.suppress(ConnectionError):
            while sent < len(data) and self.is_open and time.monotonic() < end:
                readable, writable, _ = select.select([self.connection], [self.connection], [], 1)
                if readable:
                    self._receive()
                if writable and self.is_open:
                    with contextlib.suppress(BlockingIOError):
                        sent += self.connection.send(data[sent:sent + 65536])
        self.connection.settimeout(self.timeout)
        return sent

    def _receive(self):
        try:
            piece = self.connection.recv(65536)
        except BlockingIOError:
            return
        except ConnectionError:
            piece = b""
        self.is_open = bool(piece)
        self.reader.data += piece

    def answer(self, method="GET"):
        """Returns the next answer except 100; `None` if the connection ended before one.

        Raises TimeoutError if neither happens in time, Incomplete for a partial answer.
        """
        while True:
            found = self.reader.next(method, self.is_open)
            if found and found.status != 100:
                return found
            if found:
                continue
            if not self.is_open:
                if self.reader.data:
                    raise Incomplete(f"half an answer: {self.reader.data[:200]!r}")
                return None
            self._receive()

    def finish(self, shut=True):
        """Returns all further answers until the connection ends or times out."""
        if shut:
            with contextlib.suppress(OSError):
                self.connection.shutdown(socket.SHUT_WR)
        found = []
        while True:
            try:
                one = self.answer()
            except TimeoutError:
                return found, False
            if one is None:
                return found, True
            found.append(one)


class Pipeline:
    """Answers to many requests, several of which are under way at a time.

    An answer with `Connection: close`, for example to an unread body, ends the
    connection; later requests are sent again on another.
    """

    def __init__(self, service, window=24):
        self.service, self.window = service, window
        self.peer = None

    def close(self):
        if self.peer:
            self.peer.close()
            self.peer = None

    def run(self, requests):
        """Yields each request's tag and answer, in order; `None` for no answer.

        `requests` are pairs of a tag and the bytes. A request without an
        answer is sent once more by itself, so that it isn't blamed for another.
        """
        waiting = []
        for one in requests:
            waiting.append(one)
            if len(waiting) == self.window or sum(len(data) for _, data in waiting) > ROUND_BYTES_MAX:
                yield from self._round(waiting)
                waiting = []
        yield from self._round(waiting)

    def _round(self, waiting):
        alone = False
        while waiting:
            if self.peer is None:
                self.peer = Peer(self.service)
            some = waiting[:1] if alone else waiting
            self.peer.send(b"".join(data for _, data in some))
            count = 0
            for tag, data in some:
                try:
                    found = self.peer.answer("HEAD" if data.startswith(b"HEAD ") else "GET")
                except (TimeoutError, Incomplete):
                    found = None
                if found is None:
                    break
                count += 1
                yield tag, found
                if found.header("connection", "").lower() == "close":
                    break
            ended = count < len(some) or not self.peer.is_open or (
                count and found.header("connection", "").lower() == "close")
            if ended:
                self.close()
            if count == 0:
                if alone:
                    yield some[0][0], None
                    count = 1
                else:
                    alone = True
                    continue
            alone = False
            waiting = waiting[count:]
