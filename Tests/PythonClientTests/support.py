"""A service for tests, and a proxy in front of it that breaks requests and answers."""

import contextlib
import json
import os
import random
import socket
import tempfile
import threading
import unittest

import layoutcache

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
CONFIGURATION = {
    "container": {"width": 390, "height": 844},
    "section": {"kind": "waterfall", "columns": 2, "header": 44, "pinsHeader": True}}
QUICK = layoutcache.Retries(attempts=6, delay=0.01, delay_max=0.3)


def feed(count, sections=3):
    """Returns items of various sizes, in sections."""
    return [
        layoutcache.Item(
            f"k{number}", 3 + number % 5, 2 + number % 7, f"s{number * sections // count}",
            data={"number": number})
        for number in range(count)]


def free_port():
    """Returns a port that the system does not give to clients in the meantime."""
    for _ in range(1000):
        port = random.randrange(20000, 32000)
        with contextlib.suppress(OSError), socket.create_server(("127.0.0.1", port)):
            return port
    raise RuntimeError("there is no free port")


class ClientCase(unittest.TestCase):
    """Tests that share a service, each with a dataset of its name."""

    maxDiff = None

    @classmethod
    def setUpClass(cls):
        cls.service = layoutcache.serve()
        cls.addClassCleanup(cls.service.stop)
        cls.client = cls.service.client(retries=QUICK)
        cls.addClassCleanup(cls.client.close)

    def make_feed(self, count=60, client=None):
        """Creates a dataset named after the test, with a layout `phone`; returns its name."""
        client = client or self.client
        name = self.id().rpartition(".")[2]
        client.import_items(name, feed(count), mode="replace")
        client.set_layout(name, "phone", CONFIGURATION)
        return name

    def new_folder(self):
        """Returns the path of a temporary folder."""
        folder = tempfile.TemporaryDirectory(prefix="layoutcache-")
        self.addCleanup(folder.cleanup)
        return folder.name

    def proxied(self, faults=(), url=None, **options):
        """Returns a proxy that applies one fault per request, and a client of it."""
        proxy = Proxy(url or self.service.url, faults)
        self.addCleanup(proxy.close)
        client = layoutcache.Client(proxy.url, **{"retries": QUICK, "timeout": 20, **options})
        self.addCleanup(client.close)
        return proxy, client

    def assert_is_pending(self, call):
        """Asserts that a call has no result for a while; returns a function that waits for it."""
        found = []
        thread = threading.Thread(target=lambda: found.append(call()), daemon=True)
        thread.start()
        thread.join(0.2)
        self.assertEqual(found, [])

        def result():
            thread.join(20)
            self.assertEqual(len(found), 1, "the call has not returned")
            return found[0]
        return result


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
    while b"\r\n\r\n" not in rest:
        piece = sock.recv(65536)
        if not piece:
            return None
        rest += piece
    head, rest = rest.split(b"\r\n\r\n", 1)
    return Message(head, rest)


def body_pieces(sock, message):
    """Yields the pieces of a message's body; keeps what follows it in `message.rest`."""
    if message.headers.get("transfer-encoding") == "chunked":
        # Long enough for the marker of the end to be found across pieces.
        tail = b""
        while True:
            piece, message.rest = message.rest, b""
            if piece:
                tail = (tail + piece)[-5:]
                yield piece
                if tail == b"0\r\n\r\n" or piece == b"0\r\n\r\n":
                    return
            message.rest = sock.recv(65536)
            if not message.rest:
                raise ConnectionError("the message ended early")
    left = int(message.headers.get("content-length", 0))
    while left:
        if not message.rest:
            message.rest = sock.recv(65536)
            if not message.rest:
                raise ConnectionError("the message ended early")
        piece, message.rest = message.rest[:left], message.rest[left:]
        left -= len(piece)
        yield piece


class Proxy:
    """A proxy at a free port, with a fault for each request, in order; later ones pass.

    A fault is `None`; `drop`, which closes the connection instead of passing the request on;
    `lose`, which closes it after the service has answered, without passing the answer on;
    `truncate`, which passes half of the answer on; `late`, which holds the answer back for
    `late_seconds`; `busy` and `unknown`, answers 503 of the service; `html`, an answer 502 of a
    proxy; `gateway`, an answer 504 of a proxy instead of that of the service. It may also be a function, which is called after the service has answered; then the
    answer is lost.
    """

    late_seconds = 1.5
    # The context of a proxy that is reached by TLS.
    tls = None
    # If it is a list, the answers are appended to it.
    record = None

    def __init__(self, url, faults=()):
        self.service = ("127.0.0.1", int(url.rpartition(":")[2]))
        # Where requests go, in turn.
        self.services = [self.service]
        self.faults = iter(faults)
        self.requests = []
        self.accepted = 0
        self.lock = threading.Lock()
        self.open = set()
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self.listener.getsockname()[1]}"
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        with contextlib.suppress(OSError):
            while True:
                sock, _ = self.listener.accept()
                self.accepted += 1
                threading.Thread(target=self.relay, args=(sock,), daemon=True).start()

    def close(self):
        # Closing alone does not end a waiting `accept`.
        with contextlib.suppress(OSError):
            self.listener.shutdown(socket.SHUT_RDWR)
        self.listener.close()
        self.cut()

    def cut(self):
        """Closes all connections."""
        with self.lock:
            for sock in self.open:
                with contextlib.suppress(OSError):
                    sock.shutdown(socket.SHUT_RDWR)

    def relay(self, client):
        if self.tls is not None:
            try:
                client = self.tls.wrap_socket(client, server_side=True)
            except OSError:
                return
        with self.lock:
            self.open.add(client)
        try:
            rest = b""
            while True:
                request = read_message(client, rest)
                if request is None:
                    return
                if not self.answer(client, request):
                    return
                rest = request.rest
        except OSError:
            pass
        finally:
            with self.lock:
                self.open.discard(client)
            client.close()

    def answer(self, client, request):
        """Returns whether the connection can be used again."""
        with self.lock:
            self.requests.append((request.words[0], request.words[1], request.headers))
            fault = next(self.faults, None)
            at = self.services[len(self.requests) % len(self.services)]
        if fault == "drop":
            return False
        if fault in ("busy", "unknown", "html"):
            for _ in body_pieces(client, request):
                pass
            client.sendall(self.canned(fault))
            return True
        with contextlib.closing(socket.create_connection(at)) as service:
            service.sendall(request.head + b"\r\n\r\n")
            for piece in body_pieces(client, request):
                service.sendall(piece)
            answer = read_message(service)
            if answer is None:
                return False
            head = answer.head + b"\r\n\r\n"
            if callable(fault) or fault in ("lose", "gateway"):
                for _ in body_pieces(service, answer):
                    pass
                if fault == "gateway":
                    client.sendall(self.canned(fault))
                    return True
                if callable(fault):
                    fault()
                return False
            if fault == "late":
                threading.Event().wait(self.late_seconds)
            if fault == "truncate":
                body = b"".join(body_pieces(service, answer))
                client.sendall(head + body[:len(body) // 2])
                return False
            sent = [head]
            client.sendall(head)
            if self.record is not None:
                # As far as an endless answer has come.
                service.settimeout(0.3)
            with contextlib.suppress(TimeoutError, socket.timeout):
                for piece in body_pieces(service, answer):
                    sent.append(piece)
                    client.sendall(piece)
            if self.record is not None:
                self.record.append(b"".join(sent))
            return True

    @staticmethod
    def canned(fault):
        if fault in ("html", "gateway"):
            line = "502 Bad Gateway" if fault == "html" else "504 Gateway Timeout"
            body, kind = b"<html>Bad gateway</html>", "text/html"
        else:
            kind, line = "application/problem+json", "503 Service Unavailable"
            name = "busy" if fault == "busy" else "outcome-unknown"
            body = json.dumps({
                "type": f"/problems#{name}", "title": name, "status": 503,
                "detail": f"the answer is {name}"}).encode()
        return (
            f"HTTP/1.1 {line}\r\nContent-Type: {kind}\r\nContent-Length: {len(body)}\r\n"
            "Retry-After: 0\r\n\r\n").encode() + body
