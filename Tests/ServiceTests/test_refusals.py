"""What is refused, how soon, and without reading what need not be read."""

import hashlib
import socket
import threading
import time

from service import NDJSON, ServiceCase, feed, read_answer, read_to_end

# What a refused client gets rid of: less than 1 MiB, and what the sockets buffer.
SENT_MAX = 2 << 20
GIGABYTES = 10 << 30


def token_file():
    """The tokens of these tests, each its own name: who may do what."""
    lines = ["# name scope datasets hash"]
    for name, scope, datasets in (
            ("writer", "write", "*"), ("reader", "read", "*"), ("shopper", "write", "shop-")):
        lines.append(f"{name} {scope} {datasets} {hashlib.sha256(name.encode()).hexdigest()}")
    return "\n".join(lines) + "\n"


def bearer(name):
    return {"Authorization": f"Bearer {name}"}


class Flood(threading.Thread):
    """Sends body bytes for as long as they are taken."""

    def __init__(self, connection):
        super().__init__(daemon=True)
        self.connection, self.sent = connection, 0

    def run(self):
        piece = b'{"key":"a","width":1,"height":1}\n' * 2000
        try:
            while True:
                self.sent += self.connection.send(piece)
        except OSError:
            pass


class BodyTests(ServiceCase):
    """Requests with bodies that are refused."""

    tokens = token_file()

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        made = cls.service.ndjson(
            "/v1/datasets/art/import", feed(10), bearer("writer"))
        assert made.status == 200, made

    def head(self, target, headers, length=GIGABYTES, method="POST"):
        lines = [f"{method} {target} HTTP/1.1", "Host: localhost", f"Content-Type: {NDJSON}"]
        if length is not None:
            lines.append(f"Content-Length: {length}")
        lines += [f"{name}: {value}" for name, value in headers.items()]
        return ("\r\n".join(lines) + "\r\n\r\n").encode()

    def refused(self, target, headers, status, method="POST"):
        """Sends 10 GiB with a small buffer; the answer, its seconds, and what was taken."""
        connection = self.service.connect()
        self.addCleanup(connection.close)
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 16384)
        begun = time.monotonic()
        connection.sendall(self.head(target, headers, method=method))
        flood = Flood(connection)
        flood.start()
        found = read_answer(connection)
        seconds = time.monotonic() - begun
        self.assert_problem(found, status)
        rest = read_to_end(connection)
        connection.close()
        flood.join(5)
        self.assertEqual(rest, b"")
        return found, seconds, flood.sent

    def test_ten_gigabytes_with_a_wrong_token_are_refused_at_once_and_unread(self):
        found, seconds, sent = self.refused(
            "/v1/datasets/new/import", bearer("wrong"), 401)
        self.assertEqual(found.header("connection"), "close")
        self.assertLess(seconds, 0.1)
        self.assertLess(sent, SENT_MAX)

    def test_bodies_are_not_read_where_the_header_says_enough(self):
        writer = bearer("writer")
        for target, headers, status in (
                ("/v1/datasets/new/import", {}, 401),
                ("/v1/datasets/new/import", bearer("reader"), 403),
                ("/v1/datasets/new/import", bearer("shopper"), 403),
                ("/v1/datasets/none/import?mode=append", writer, 404),
                ("/v1/datasets/art/import", writer, 409),
                ("/v1/datasets/art/import?mode=appendix", writer, 400),
                ("/v1/datasets/art/batches", writer, 413),
                ("/v1/nothing", writer, 404)):
            with self.subTest(target=target, status=status):
                _, seconds, sent = self.refused(target, headers, status)
                self.assertLess(seconds, 2)
                self.assertLess(sent, SENT_MAX)
        _, _, sent = self.refused("/v1/datasets/art/batches", writer, 405, method="PUT")
        self.assertLess(sent, SENT_MAX)

    def test_who_waits_to_be_asked_for_a_body_is_refused_before_it(self):
        expecting = {"Expect": "100-continue", "Connection": "close"}
        for target, headers, status in (
                ("/v1/datasets/new/import", {}, 401),
                ("/v1/datasets/art/import", bearer("writer"), 409),
                ("/v1/datasets/art/batches", bearer("writer"), 413)):
            with self.subTest(target=target), self.service.connect() as connection:
                connection.sendall(self.head(target, {**headers, **expecting}))
                self.assert_problem(read_answer(connection), status)

    def test_who_waits_to_be_asked_for_a_body_is_asked(self):
        body = b'{"op":"resize","key":"k1","width":7,"height":7}\n'
        with self.service.connect() as connection:
            connection.sendall(self.head(
                "/v1/datasets/art/batches", {**bearer("writer"), "Expect": "100-continue"},
                len(body)))
            asked = connection.recv(4096)
            self.assertTrue(asked.startswith(b"HTTP/1.1 100 "), asked)
            self.assertTrue(asked.endswith(b"\r\n\r\n"), asked)
            connection.sendall(body)
            self.assertEqual(read_answer(connection).status, 200)
