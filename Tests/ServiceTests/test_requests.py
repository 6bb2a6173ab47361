"""Malformed requests, and what they must not cause."""

import http.client
import json
import socket

from service import ServiceCase, read_to_end


class RequestTests(ServiceCase):
    """Malformed requests."""

    arguments = ("--set", "limits.headerBytesMax=8192")

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.service.make_feed()

    def send(self, data):
        """Returns the status of each answer to some bytes, until the connection ends or is idle."""
        with self.service.connect(timeout=20) as connection:
            connection.sendall(data)
            connection.shutdown(socket.SHUT_WR)
            text = read_to_end(connection)
        return [int(part[:3]) for part in text.split(b"HTTP/1.1 ")[1:]]

    def assert_alive(self):
        self.assertEqual(self.service.get("/healthz").status, 200)

    def test_bodies_of_other_formats_are_415(self):
        for path in ("/v1/datasets/art/batches", "/v1/datasets/art/import?mode=append"):
            found = self.service.request(
                "POST", path, "<a/>", {"Content-Type": "application/xml"})
            self.assert_problem(found, 415, "unsupported-format")

    def test_a_header_that_is_too_large_is_rejected(self):
        for header in (f"X: {'a' * 9000}", "\r\n".join(f"X{n}: {'a' * 100}" for n in range(90)),
                       "\r\n".join(f"X{n}: a" for n in range(200))):
            found = self.send(
                f"GET /healthz HTTP/1.1\r\nHost: localhost\r\n{header}\r\n\r\n".encode())
            self.assertIn(found, ([], [400], [431]), header[:40])
        self.assertIn(self.send(f"GET /{'a' * 20000} HTTP/1.1\r\n\r\n".encode()),
                      ([], [400], [414], [431]))
        self.assert_alive()

    def test_malformed_requests_end_the_connection(self):
        for data in (
                b"\x00\x01\x02\r\n\r\n", b"GET\r\n\r\n", b"GET / HTTP/9.9\r\n\r\n",
                b"GET / HTTP/1.1\r\nHost test\r\n\r\n", b"GET /%zz HTTP/1.1\r\nHost: localhost\r\n\r\n",
                b"POST /v1/datasets/art/batches HTTP/1.1\r\nHost: localhost\r\nContent-Length: -1\r\n\r\n",
                b"POST /v1/datasets/art/batches HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1\r\n"
                b"Content-Length: 2\r\n\r\nab",
                b"POST /v1/datasets/art/batches HTTP/1.1\r\nHost: localhost\r\n"
                b"Transfer-Encoding: chunked\r\n\r\nzz\r\n",
                b"GET / HTTP/1.1\r\nHost: localhost\r\nX: a\x00b\r\n\r\n", b"\x16\x03\x01\x02\x00\x01\x00"):
            with self.subTest(data=data):
                found = self.send(data)
                self.assertTrue(all(400 <= status < 500 for status in found), found)
        self.assert_alive()

    def test_truncated_requests_change_nothing(self):
        before = self.service.get("/v1/datasets/art").json
        line = b'{"op":"delete","keys":["k1"]}\n'
        whole = (b"POST /v1/datasets/art/batches HTTP/1.1\r\nHost: localhost\r\nContent-Type: "
                 b"application/x-ndjson\r\nContent-Length: %d\r\n\r\n" % len(line)) + line
        for end in range(1, len(whole) - 1, 7):
            with self.service.connect() as connection:
                connection.sendall(whole[:end])
        self.assert_alive()
        self.assertEqual(self.service.get("/v1/datasets/art").json, before)

    def test_pipelined_requests_are_answered_in_order(self):
        paths = ["/healthz", "/v1/datasets/none", "/v1/datasets?no=1", "/v1/datasets"] * 8
        data = "".join(f"GET {path} HTTP/1.1\r\nHost: localhost\r\n\r\n" for path in paths)
        with self.service.connect() as connection:
            connection.sendall(data.encode())
            file = connection.makefile("rb")
            found = []
            for _ in paths:
                # One reader for all answers: it may read ahead into the next answer.
                response = http.client.HTTPResponse(Fixed(file))
                response.begin()
                response.read()
                found.append(response.status)
        self.assertEqual(found, [200, 404, 400, 200] * 8)

    def test_rejections_show_nothing_of_the_machine(self):
        folder = self.service.folder
        for method, path, body in (
                ("GET", "/v1/datasets/none", None), ("GET", "/page/..%2F..%2Fetc%2Fpasswd", None),
                ("POST", "/v1/datasets/art/batches", "{"), ("GET", "/../../etc/passwd", None),
                ("PUT", "/v1/datasets/art/layouts/x", "[" * 100_000)):
            found = self.service.request(method, path, body)
            self.assertGreaterEqual(found.status, 400)
            text = found.body.decode()
            for word in (folder, ".swift", "/tmp", "sqlite"):
                self.assertNotIn(word, text)
            json.loads(text)

    def test_listening_publicly_needs_a_token(self):
        with self.assertRaisesRegex(RuntimeError, "needs a token"):
            self.started("--host", "0.0.0.0")

    def test_other_origins_must_be_allowed(self):
        found = self.service.get("/v1/datasets", Origin="https://example.org")
        self.assertIsNone(found.header("access-control-allow-origin"))
        service = self.started("--allow-origin", "https://example.org")
        for origin, allowed in (("https://example.org", True), ("https://example.com", False)):
            found = service.get("/v1/datasets", Origin=origin)
            self.assertEqual(
                found.header("access-control-allow-origin"), origin if allowed else None)


class Fixed:
    """A socket stand-in for HTTPResponse: a file that stays open."""

    def __init__(self, file):
        self.file = file

    def makefile(self, mode):
        return Open(self.file)


class Open:
    def __init__(self, file):
        self.file = file

    def __getattr__(self, name):
        return getattr(self.file, name)

    def close(self):
        pass
