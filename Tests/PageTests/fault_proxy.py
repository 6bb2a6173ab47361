"""A proxy in front of the service that delays, fails and cuts answers.

Everything else passes through byte by byte, one request per connection.

    with proxy.faults(status=503):            # every request to /v1/ is answered with 503
    with proxy.faults(under="/events", drop=True):
    proxy.cut()                               # ends the answers under way
"""

import contextlib
import dataclasses
import json
import re
import socket
import threading
import time
import urllib.parse

END = b"\r\n\r\n"


@dataclasses.dataclass
class Fault:
    """Applies to requests whose path contains `under`."""
    under: str = "/v1/"
    delay: float = 0  # seconds before the request is passed on
    status: int = 0  # answered by the proxy; the service never sees the request
    drop: bool = False  # the connection ends without an answer
    body_bytes_max: int | None = None  # the answer's body ends after that many bytes
    piece_bytes: int = 0  # the answer's body comes in pieces of that many bytes
    hits: int = 0  # the number of affected requests


class FaultProxy:
    """Listens on a free port of this machine; `streams` counts the event streams under way."""

    def __init__(self, service_url):
        address = urllib.parse.urlsplit(service_url)
        assert address.scheme == "http", "the proxy speaks HTTP without TLS"
        self.target = address.hostname, address.port or 80
        self.streams = 0
        self._faults, self._sockets, self._lock = [], set(), threading.Lock()
        self._listener = socket.create_server(("127.0.0.1", 0), backlog=128)
        self.url = f"http://127.0.0.1:{self._listener.getsockname()[1]}"
        threading.Thread(target=self._accept, daemon=True).start()

    def close(self):
        # Wakes the thread that waits in accept; close by itself does not.
        with contextlib.suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        self.cut()

    @contextlib.contextmanager
    def faults(self, **settings):
        """Breaks requests until the block ends, which fails if no request was met."""
        fault = Fault(**settings)
        self._faults.append(fault)
        try:
            yield fault
            assert fault.hits > 0, f"no request was met by {fault}"
        finally:
            self._faults.remove(fault)

    def cut(self):
        """Ends every answer under way, complete or not."""
        with self._lock:
            for each in self._sockets:
                with contextlib.suppress(OSError):
                    each.shutdown(socket.SHUT_RDWR)

    def _accept(self):
        with contextlib.suppress(OSError):
            while True:
                client, _ = self._listener.accept()
                threading.Thread(target=self._serve, args=(client,), daemon=True).start()

    def _serve(self, client):
        with client:
            with self._lock:
                self._sockets.add(client)
            try:
                self._answer(client)
            except OSError:
                pass  # A tab that was closed, or a service that has ended.
            finally:
                with self._lock:
                    self._sockets.discard(client)
                # Wakes the thread that reads the rest of the request.
                with contextlib.suppress(OSError):
                    client.shutdown(socket.SHUT_RDWR)

    def _answer(self, client):
        request = _head(client)
        if not request:
            return
        path = request.split(b" ", 2)[1].decode()
        fault = next((each for each in self._faults if each.under in path), Fault())
        fault.hits += 1
        time.sleep(fault.delay)
        if fault.status:
            # An unread body would reset the connection.
            _read_body(client, request)
            client.sendall(_problem(fault.status))
        elif not fault.drop:
            self._pass_on(client, request, fault)

    def _pass_on(self, client, request, fault):
        head, _, body = request.partition(END)
        head = re.sub(rb"\r\nconnection:[^\r]*", b"", head, flags=re.IGNORECASE)
        with socket.create_connection(self.target) as service:
            service.sendall(head + b"\r\nConnection: close" + END + body)
            threading.Thread(target=_copy, args=(client, service), daemon=True).start()
            head, _, piece = _head(service).partition(END)
            is_stream = b"text/event-stream" in head.lower()
            self._count_streams(is_stream)
            try:
                client.sendall(head + END)
                left = fault.body_bytes_max
                while left != 0 and (piece := piece or service.recv(65536)):
                    if left is not None:
                        piece = piece[:left]
                        left -= len(piece)
                    _send(client, piece, fault.piece_bytes)
                    piece = b""
            finally:
                self._count_streams(-is_stream)

    def _count_streams(self, change):
        with self._lock:
            self.streams += change


def _head(connection):
    """Returns the head of a request or answer, and the bytes after it; empty at the end."""
    data = b""
    while END not in data:
        piece = connection.recv(65536)
        if not piece:
            return b""
        data += piece
    return data


def _read_body(client, request):
    head, _, body = request.partition(END)
    length = re.search(rb"\r\ncontent-length: *(\d+)", head, flags=re.IGNORECASE)
    left = int(length.group(1)) - len(body) if length else 0
    while left > 0 and (piece := client.recv(65536)):
        left -= len(piece)


def _send(client, data, piece_bytes):
    for start in range(0, len(data), piece_bytes or len(data)):
        client.sendall(data[start:start + (piece_bytes or len(data))])
        if piece_bytes:
            time.sleep(0.002)


def _copy(client, service):
    """Forwards the rest of a request, and the client's disconnection."""
    with contextlib.suppress(OSError):
        while piece := client.recv(65536):
            service.sendall(piece)
    with contextlib.suppress(OSError):
        service.shutdown(socket.SHUT_RDWR)


def _problem(status):
    body = json.dumps({"type": "about:blank", "title": "Refused by the proxy", "status": status})
    return (f"HTTP/1.1 {status} Refused\r\nContent-Type: application/problem+json\r\n"
            f"Content-Length: {len(body)}\r\nConnection: close\r\n\r\n{body}").encode()
