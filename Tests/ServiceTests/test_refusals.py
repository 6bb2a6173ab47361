"""Rejected requests: they are answered before their bodies, which are not read."""

import socket
import threading

from service import NDJSON, ServiceCase, feed, token_line
from sockets import read_answer, read_to_end

# The most that a rejected client can send: less than 1 MiB, plus the socket buffers.
SENT_MAX = 2 << 20
GIGABYTES = 10 << 30


def bearer(name):
    return {"Authorization": f"Bearer {name}"}


class Flood(threading.Thread):
    """Sends body bytes for as long as they are accepted."""

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
    """Rejected requests with bodies."""

    tokens = ("# name scope datasets hash\n" + token_line("writer") + token_line("reader", "read")
              + token_line("shopper", prefix="shop-"))

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        made = cls.service.ndjson("/v1/datasets/art/import", feed(10), bearer("writer"))
        assert made.status == 200, made

    def head(self, target, headers, length=GIGABYTES, method="POST"):
        lines = [f"{method} {target} HTTP/1.1", "Host: localhost", f"Content-Type: {NDJSON}"]
        if length is not None:
            lines.append(f"Content-Length: {length}")
        lines += [f"{name}: {value}" for name, value in headers.items()]
        return ("\r\n".join(lines) + "\r\n\r\n").encode()

    def refused(self, target, headers, status, method="POST"):
        """Sends 10 GiB with a small buffer, of which little is taken; returns the answer."""
        connection = self.service.connect()
        self.addCleanup(connection.close)
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 16384)
        connection.sendall(self.head(target, headers, method=method))
        flood = Flood(connection)
        flood.start()
        found = read_answer(connection)
        self.assert_problem(found, status)
        rest = read_to_end(connection)
        connection.close()
        flood.join(5)
        self.assertEqual(rest, b"")
        self.assertLess(flood.sent, SENT_MAX)
        return found

    def test_a_huge_body_with_a_wrong_token_is_rejected_unread(self):
        found = self.refused("/v1/datasets/new/import", bearer("wrong"), 401)
        self.assertEqual(found.header("connection"), "close")

    def test_bodies_are_not_read_if_the_header_decides(self):
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
                self.refused(target, headers, status)
        self.refused("/v1/datasets/art/batches", writer, 405, method="PUT")

    def test_expect_continue_is_rejected_before_the_body(self):
        expecting = {"Expect": "100-continue", "Connection": "close"}
        for target, headers, status in (
                ("/v1/datasets/new/import", {}, 401),
                ("/v1/datasets/art/import", bearer("writer"), 409),
                ("/v1/datasets/art/batches", bearer("writer"), 413)):
            with self.subTest(target=target), self.service.connect() as connection:
                connection.sendall(self.head(target, {**headers, **expecting}))
                self.assert_problem(read_answer(connection), status)
