"""A proxy in front of the service that delays, fails, loses and cuts requests and answers.

Everything else passes through unchanged, as it arrives.

    with proxy.faults(status=503):            # every request to /v1/ is answered with 503
    with proxy.faults(under="/events", drop=True):
    FaultProxy(url, [Fault(lose=True), None])  # of the first request; all others pass
    proxy.cut()                                # ends all connections
"""

import contextlib
import dataclasses
import json
import select
import socket
import threading
import time
import urllib.parse
from collections.abc import Callable

END = b"\r\n\r\n"


@dataclasses.dataclass
class Fault:
    """A fault of one request, or of those whose path contains `under`."""

    under: str = "/v1/"
    delay: float = 0  # seconds before the request is passed on
    drop: bool = False  # the connection ends; the service never sees the request
    status: int = 0  # answered by the proxy; the service never sees the request
    problem: str = ""  # the kind of that answer, which is HTML of a proxy without one
    after: bool = False  # answered by the proxy after the service has answered
    lose: bool = False  # the connection ends after the service has answered
    call: Callable = None  # what is called before the answer is lost
    late: float = 0  # seconds before the answer is passed on
    share: float = 1  # the part of the answer's body after which the connection ends
    body_bytes_max: int = None  # as many bytes of the body
    piece_bytes: int = 0  # the body comes in pieces of that many bytes
    hits: int = 0  # the number of affected requests


class Message:
    """A request or the beginning of an answer, as bytes."""

    def __init__(self, head, rest):
        self.head, self.rest = head, rest
        first, *lines = head.decode("latin-1").split("\r\n")
        self.words = first.split(" ", 2)
        self.headers = dict(
            (name.strip().lower(), value.strip())
            for name, _, value in (line.partition(":") for line in lines if line))


def read_message(sock, rest=b""):
    """Returns the next message up to its body; `None` at the end of the connection."""
    while END not in rest:
        piece = sock.recv(65536)
        if not piece:
            return None
        rest += piece
    return Message(*rest.split(END, 1))


def body_pieces(message, receive):
    """Yields the pieces of a message's body; keeps what follows it in `message.rest`."""
    is_chunked = message.headers.get("transfer-encoding") == "chunked"
    left = int(message.headers.get("content-length", 0))
    # Long enough for the marker of the end to be found across pieces.
    tail = b"\r\n"
    while is_chunked or left:
        piece = message.rest or receive()
        if not piece:
            raise ConnectionError("the message ended early")
        message.rest = b""
        if is_chunked:
            tail = (tail + piece)[-7:]
            is_chunked = tail != b"\r\n0" + END
        else:
            piece, message.rest = piece[:left], piece[left:]
            left -= len(piece)
        yield piece


class FaultProxy:
    """Listens on a free port of this machine; `streams` counts the event streams under way."""

    # The context of a proxy that is reached by TLS.
    tls = None
    # If it is a list, the answers are appended to it.
    record = None

    def __init__(self, url, faults=(), keeps_alive=True):
        """`faults` are those of the first requests, in order: a `Fault` or `None` for each."""
        address = urllib.parse.urlsplit(url)
        # Where requests go, in turn.
        self.services = [(address.hostname, address.port)]
        self.keeps_alive, self.sequence, self.by_path = keeps_alive, iter(faults), []
        self.requests, self.accepted, self.streams = [], 0, 0
        self.open, self._lock = set(), threading.Lock()
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
        self.by_path.append(fault)
        try:
            yield fault
            assert fault.hits > 0, f"no request was met by {fault}"
        finally:
            self.by_path.remove(fault)

    def cut(self):
        """Ends every connection, with an answer under way or not."""
        with self._lock:
            for each in self.open:
                with contextlib.suppress(OSError):
                    each.shutdown(socket.SHUT_RDWR)

    def _accept(self):
        with contextlib.suppress(OSError):
            while True:
                client, _ = self._listener.accept()
                self.accepted += 1
                threading.Thread(target=self._relay, args=(client,), daemon=True).start()

    def _relay(self, client):
        # A client that leaves, or a service that has ended, ends the connection.
        with contextlib.suppress(OSError), client:
            if self.tls is not None:
                client = self.tls.wrap_socket(client, server_side=True)
            with self._lock:
                self.open.add(client)
            try:
                rest = b""
                while (request := read_message(client, rest)) and self._answer(client, request):
                    rest = request.rest
            finally:
                with self._lock:
                    self.open.discard(client)
                client.close()

    def _fault(self, request):
        with self._lock:
            self.requests.append((request.words[0], request.words[1], request.headers))
            path = request.words[1]
            fault = next(self.sequence, None) or next(
                (each for each in self.by_path if each.under in path), None) or Fault()
            fault.hits += 1
            return fault, self.services[len(self.requests) % len(self.services)]

    def _answer(self, client, request):
        """Returns whether the connection can be used again."""
        fault, address = self._fault(request)
        time.sleep(fault.delay)
        if fault.drop:
            return False
        body = body_pieces(request, lambda: client.recv(65536))
        if fault.status and not fault.after:
            # An unread body would reset the connection.
            for _ in body:
                pass
            client.sendall(made_up(fault))
            return self.keeps_alive
        with socket.create_connection(address) as service:
            service.sendall(request.head + END)
            for piece in body:
                service.sendall(piece)
            answer = read_message(service)
            if answer is None:
                return False
            return self._pass_on(client, service, request, answer, fault)

    def _pass_on(self, client, service, request, answer, fault):
        if request.words[0] == "HEAD" or answer.words[1] in ("204", "304"):
            body = iter(())
        else:
            body = body_pieces(answer, lambda: self._received(service, client))
        if fault.after or fault.lose or fault.call:
            for _ in body:
                pass
            if fault.call:
                fault.call()
            if fault.after:
                client.sendall(made_up(fault))
            return fault.after
        time.sleep(fault.late)
        is_stream = "text/event-stream" in answer.headers.get("content-type", "")
        left = fault.body_bytes_max
        if fault.share < 1:
            whole = b"".join(body)
            body, left = iter([whole]), int(len(whole) * fault.share)
        if self.record is not None:
            # As far as an endless answer has come.
            service.settimeout(0.3)
        sent = [answer.head + (b"" if self.keeps_alive else b"\r\nConnection: close") + END]
        self._count_streams(is_stream)
        try:
            client.sendall(sent[0])
            with contextlib.suppress(TimeoutError):
                for piece in body if left != 0 else ():
                    sent.append(piece[:left])
                    send(client, sent[-1], fault.piece_bytes)
                    if left is not None and (left := left - len(sent[-1])) <= 0:
                        break
        finally:
            self._count_streams(-is_stream)
        if self.record is not None:
            self.record.append(b"".join(sent))
        return self.keeps_alive and left is None

    def _received(self, service, client):
        """Returns the next bytes of the service; none once the client has left."""
        if self.tls is None and self.record is None:
            readable, _, _ = select.select([service, client], [], [])
            if service not in readable and not client.recv(1, socket.MSG_PEEK):
                return b""
        return service.recv(65536)

    def _count_streams(self, change):
        with self._lock:
            self.streams += change


def send(client, data, piece_bytes):
    for start in range(0, len(data), piece_bytes or len(data)):
        client.sendall(data[start:start + (piece_bytes or len(data))])
        if piece_bytes:
            time.sleep(0.002)


def made_up(fault):
    """Returns an answer of the proxy: a problem of the service, or a page of a proxy."""
    body, kind = b"<html>Bad gateway</html>", "text/html"
    if fault.status not in (502, 504):
        kind, name = "application/problem+json", fault.problem or "none"
        body = json.dumps({
            "type": f"/problems#{name}" if fault.problem else "about:blank", "title": name,
            "status": fault.status, "detail": f"the answer is {name}"}).encode()
    again = "Retry-After: 0\r\n" if fault.problem or kind == "text/html" else ""
    reason = {502: "Bad Gateway", 504: "Gateway Timeout"}.get(fault.status, "Refused")
    return (f"HTTP/1.1 {fault.status} {reason}\r\nContent-Type: {kind}\r\n"
            f"Content-Length: {len(body)}\r\n{again}\r\n").encode() + body
