"""Hostile framing: each request has one documented outcome, and no request is smuggled in."""

import json
import threading

from service import NDJSON, ServiceCase, feed
from sockets import Peer, request

IMPORT = "/v1/datasets/art/import?mode=replace&allowEmpty=true"
BATCHES = "/v1/datasets/art/batches"
TYPE = f"Content-Type: {NDJSON}".encode()
LINE = b'{"op":"delete","keys":["k1"]}\n'
# Sent after a request that must end the connection: it must never be executed.
SMUGGLED = b"DELETE /v1/datasets/art HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 0\r\n\r\n"


def head(*fields, target=BATCHES, method="POST", host=b"Host: 127.0.0.1", version="HTTP/1.1"):
    """Returns a request's head from complete lines."""
    first = f"{method} {target} {version}".encode()
    lines = [first] + ([host] if host else []) + [TYPE]
    lines += [field if isinstance(field, bytes) else field.encode() for field in fields]
    return b"\r\n".join(lines) + b"\r\n\r\n"


def chunk(size, data, extension=b""):
    size = size if isinstance(size, bytes) else b"%x" % size
    return size + extension + b"\r\n" + data + b"\r\n"


class FramingTests(ServiceCase):
    # Short, so that a request that never ends times out while the test waits.
    arguments = ("--set", "timeouts.header=1", "--set", "timeouts.answer=1")

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.service.make_feed()

    def setUp(self):
        if self.service.get("/v1/datasets/art").status == 404:
            # An earlier test failed.
            self.service.make_feed()
        self.before = self.state()

    def state(self):
        """Returns everything that a smuggled request could change."""
        datasets = self.service.get("/v1/datasets").json["datasets"]
        return datasets, self.service.get("/v1/datasets/art/export").body

    def send(self, data, close=True):
        """Returns the answers to some bytes, and whether the connection ended."""
        with Peer(self.service, timeout=6) as peer:
            peer.send(data)
            return peer.finish(shut=close)

    def refused(self, cases, statuses=(400,), ends=True):
        """Sends each case followed by a DELETE; the first answer must be a rejection.

        The connection must end: after bad framing no byte can be trusted. The cases run
        concurrently, since some wait for a time limit.
        """
        def run(name, data):
            try:
                answers, ended = self.send(data + SMUGGLED, close=False)
                for one in answers:
                    if one.status != json.loads(one.body)["status"]:
                        raise ValueError(f"not described: {one}")
                found[name] = [one.status for one in answers], ended
            except Exception as error:  # noqa: BLE001 - reported below with the case
                found[name] = error, False

        found = {}
        threads = [threading.Thread(target=run, args=case) for case in cases.items()]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(20)
        for name in cases:
            with self.subTest(case=name):
                status, ended = found[name]
                self.assertIsInstance(status, list, status)
                self.assertEqual(len(status), 1, f"{status}, connection ended: {ended}")
                self.assertIn(status[0], statuses)
                if ends:
                    self.assertTrue(ended, "the connection is still open")
        self.assert_unchanged()

    def assert_unchanged(self):
        self.assertIsNone(self.service.process.poll(), self.service.log_text()[-3000:])
        self.assertEqual(self.state(), self.before)

    # Content-Length

    def test_invalid_lengths_are_400(self):
        values = [str(value) for value in (
            2**63, 2**63 + 1, 2**64 - 1, 2**64, 2**64 + 5, 10**30, -1, -(2**63), "+5", "5, 6",
            "5,6", "0x5", "5.0", "5e0", "five", "", "1 2", "\u0665")]
        for target in (BATCHES, IMPORT):
            self.refused({
                f"{target} {value!r}": head(f"Content-Length: {value}", target=target)
                for value in values})

    def test_lengths_that_differ_are_400(self):
        self.refused({
            "two fields": head("Content-Length: 5", "Content-Length: 6"),
            "two fields, the second empty": head("Content-Length: 5", "Content-Length:"),
            "0 and more": head("Content-Length: 0", f"Content-Length: {len(SMUGGLED)}"),
            "one field": head("Content-Length: 0, 5"),
        })

    def test_the_same_length_twice_is_one_length_or_400(self):
        # RFC 9112, 6.3: a recipient may take the same value repeated.
        for fields in (("Content-Length: 30, 30",), ("Content-Length: 30", "Content-Length: 30")):
            with self.subTest(fields=fields):
                bad = b'{"op":"delete","keys":["no"]}\n'
                self.assertEqual(len(bad), 30)
                answers, _ = self.send(head(*fields) + bad)
                self.assertIn([one.status for one in answers], ([409], [400]))
        self.assert_unchanged()

    def test_a_length_beyond_the_limit_is_413_and_unread(self):
        self.refused({
            str(value): head(f"Content-Length: {value}")
            for value in (2**24 + 1, 2**40, 2**53, 2**62, 2**63 - 1)}, statuses=(413,))

    # Transfer-Encoding

    def test_length_and_encoding_together_are_400(self):
        body = b"0\r\n\r\n"
        self.refused({
            "length first": head("Content-Length: 5", "Transfer-Encoding: chunked") + body,
            "encoding first": head("Transfer-Encoding: chunked", "Content-Length: 5") + body,
            "length 0": head("Content-Length: 0", "Transfer-Encoding: chunked") + body,
            "in capitals": head("CONTENT-LENGTH: 5", "TRANSFER-ENCODING: Chunked") + body,
        })

    def test_encodings_other_than_chunked_are_501(self):
        cases = {
            value: head(f"Transfer-Encoding: {value}") + chunk(len(LINE), LINE) + chunk(0, b"")
            for value in ("gzip, chunked", "gzip,chunked", "deflate", "identity", "gzip",
                          "chunked, gzip", "chunked, chunked", "chunkedd", "x-chunked",
                          "identity, chunked")}
        for first in ("gzip", "chunked"):
            cases[f"{first} before chunked"] = head(
                f"Transfer-Encoding: {first}", "Transfer-Encoding: chunked") + chunk(0, b"")
        # RFC 9112, 6.1 allows 400 where chunked isn't the last encoding.
        self.refused(cases, statuses=(400, 501))
        answers, _ = self.send(head("Transfer-Encoding: gzip, chunked") + chunk(0, b""))
        self.assert_problem(answers[0], 501, "not-implemented")

    def test_invalid_chunk_sizes_are_400(self):
        sizes = (b"zz", b"-1", b"+5", b"", b" ", b"0x5", b"5 5", b"10000000000000000",
                 b"10000000000000005", b"1" * 100,
                 b"5\x00", b"5g")
        self.refused({
            repr(size): head("Transfer-Encoding: chunked") + chunk(size, b"abcde") + chunk(0, b"")
            for size in sizes})

    def test_chunks_too_long_to_ever_end_are_rejected(self):
        # The parser counts in 64 bits without a sign, so the body may end by the time limit.
        self.refused({
            f"{size:x}": head("Transfer-Encoding: chunked") + chunk(size, b"abcde")
            for size in (2**40, 2**62, 2**63 - 1, 2**63, 2**64 - 1)}, statuses=(400, 408, 413))

    def test_long_chunk_extensions_are_rejected_or_ignored(self):
        # A megabyte of extension in one chunk must not be stored.
        before = self.service.resident_bytes()
        answers, _ = self.send(
            head("Transfer-Encoding: chunked")
            + chunk(0, b"", extension=b";a=" + b"x" * (1 << 20)))
        self.assertLessEqual(len(answers), 1)
        for one in answers:
            self.assertLess(one.status, 500)
        self.assertLess(self.service.resident_bytes() - before, 8 << 20)
        self.assert_unchanged()

    def test_a_chunked_batch_without_its_last_chunk_is_not_committed(self):
        answers, ended = self.send(head("Transfer-Encoding: chunked") + chunk(len(LINE), LINE))
        self.assertTrue(ended)
        for one in answers:
            self.assertIn(one.status, (400, 408))
        # The client keeps the connection open; the time limit ends it.
        answers, ended = self.send(
            head("Transfer-Encoding: chunked") + chunk(len(LINE), LINE), close=False)
        self.assertTrue(ended)
        self.assertEqual([one.status for one in answers], [408])
        self.assert_unchanged()

    def test_chunk_ends_other_than_crlf_are_400(self):
        self.refused({
            "longer than stated": head("Transfer-Encoding: chunked")
            + b"3\r\nabcdef\r\n0\r\n\r\n",
            "no line end after the data": head("Transfer-Encoding: chunked")
            + b"5\r\nabcde0\r\n\r\n",
        })

    # Versions

    def test_http_1_0_closes_after_one_answer(self):
        for fields in ((), (b"Connection: keep-alive",)):
            one = b"GET /healthz HTTP/1.0\r\n" + b"".join(f + b"\r\n" for f in fields) + b"\r\n"
            with self.subTest(fields=fields):
                answers, ended = self.send(one, close=False)
                self.assertEqual(([one.status for one in answers], ended), ([200], True))
                answers, ended = self.send(one + SMUGGLED, close=False)
                # The parser may complain about bytes after the last request.
                self.assertIn([one.status for one in answers], ([200], [200, 400]))
                self.assertTrue(ended)
        self.assert_unchanged()

    def test_answers_to_http_1_0_have_a_length(self):
        for path, status in (
                ("", 200), ("/events?since=0&wait=0", 200), ("/events", 505), ("/export", 505)):
            with self.subTest(path=path):
                # A client's own field does not count.
                fields = "LayoutCache-Request-Version: 1.1\r\n"
                answers, ended = self.send(
                    f"GET /v1/datasets/art{path} HTTP/1.0\r\n{fields}\r\n".encode(), close=False)
                self.assertEqual(([one.status for one in answers], ended), ([status], True))
                self.assertIn("content-length", answers[0].headers)
                if status == 505:
                    self.assert_problem(answers[0], 505, "version-not-supported")

    def test_other_versions_are_rejected(self):
        self.refused({
            version: f"GET /healthz {version}\r\nHost: 127.0.0.1\r\n\r\n".encode()
            for version in ("HTTP/3.7", "HTTP/2.0", "HTTP/0.9", "HTTP/1.10", "HTTP/11", "HTTP/",
                            "HTP/1.1", "http/1.1", "HTTP/1.1 x", "HTTP/-1.1")},
            statuses=(400, 505))

    def test_the_preface_of_http_2_is_rejected(self):
        preface = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + bytes(9)
        answers, ended = self.send(preface, close=False)
        self.assertTrue(ended)
        self.assertTrue(all(one.status in (400, 505) for one in answers), answers)
        self.assert_unchanged()

    # Host

    def test_one_host_is_needed_on_1_1(self):
        for name, fields in (
                ("none", ""), ("two", "Host: 127.0.0.1\r\nHost: 127.0.0.1\r\n"),
                ("two that differ", "Host: 127.0.0.1\r\nHost: example.org\r\n"),
                ("two, the second empty", "Host: 127.0.0.1\r\nhost:\r\n")):
            for method, target in (("GET", "/v1/datasets"), ("GET", "/healthz"),
                                   ("DELETE", "/v1/datasets/art"), ("GET", "/v1/nothing")):
                with self.subTest(case=name, method=method, target=target):
                    answers, _ = self.send(f"{method} {target} HTTP/1.1\r\n{fields}\r\n".encode())
                    # Probes need not name a host.
                    status = 200 if name == "none" and target == "/healthz" else 400
                    self.assertEqual([one.status for one in answers], [status])
        self.refused({"a second host": head("Host: example.org")})

    # Targets and methods

    def test_connect_is_rejected(self):
        for target in ("127.0.0.1:22", "/v1/datasets", "example.org:443"):
            answers, _ = self.send(request("CONNECT", target) + b"SSH-2.0-x\r\n")
            with self.subTest(target=target):
                self.assertTrue(answers)
                self.assertTrue(all(400 <= one.status < 502 and one.status != 500
                                    for one in answers), answers)
        self.assert_unchanged()

    def test_other_forms_of_targets_are_rejected_or_mean_the_path(self):
        own = f"http://127.0.0.1:{self.service.port}"
        for target, statuses in (
                (own + "/v1/datasets/art", (200, 400, 404)),
                ("http://example.org/v1/datasets/art", (200, 400, 404, 421)),
                ("file:///etc/passwd", (400, 404)), ("*", (400, 404, 405)),
                ("//example.org/v1/datasets", (400, 404)),
                ("v1/datasets", (400, 404)), ("", (400, 404)),
                ("/v1/datasets/art#part", (400, 404)),
                ("/v1/datasets/../../etc/passwd", (400, 404)),
                ("/v1/datasets//art", (200, 400, 404)), ("/v1/datasets/art/", (200, 400, 404)),
                ("/v1/datasets/%2e%2e", (400, 404)), ("/v1/datasets/a%0d%0aX:%20y", (400, 404)),
                ("/v1/datasets/art?%00=1", (400,)), ("/v1/datasets/%ff", (400,)),
                ("/v1/datasets/%", (400,)), ("/v1/datasets/%a", (400,))):
            with self.subTest(target=target):
                answers, _ = self.send(request("GET", target))
                self.assertEqual(len(answers), 1)
                self.assertIn(answers[0].status, statuses, answers)
                if statuses == (400, 404):
                    self.assertNotIn(b"root:", answers[0].body)
        answers, _ = self.send(request("OPTIONS", "*"))
        self.assertIn([one.status for one in answers], ([200], [204], [400], [404]))
        self.assert_unchanged()

    # Header fields

    def test_malformed_header_lines_are_400(self):
        start = b"GET /v1/datasets HTTP/1.1\r\nHost: 127.0.0.1\r\n"
        self.refused({
            name: start + line + b"\r\n\r\n" for name, line in (
                ("no colon", b"Connection close"), ("no name", b": a"),
                ("space before the colon", b"Content-Length : 5"),
                ("tab before the colon", b"Content-Length\t: 5"),
                ("space in the name", b"X Y: a"), ("NUL in the value", b"X: a\x00b"),
                ("NUL in the name", b"X\x00: a"), ("CR in the value", b"X: a\rb"),
                ("folded", b"X: a\r\n b"), ("folded with a tab", b"X: a\r\n\tb"),
                ("folded length", b"Content-Length:\r\n 5"), ("first line folded", b" X: a"),
                ("control character", b"X: a\x01b"), ("DEL", b"X: a\x7fb"))})

    def test_long_headers_are_400(self):
        long = "a" * (33 << 10)
        self.refused({
            "path": head(target=f"/{long}"), "query": head(target=f"/v1/datasets?offset={long}"),
            "value": head(f"X: {long}"), "name": head(f"{long}: x"),
            "fields": head(*["X: a"] * 101)})

    def test_bare_line_feeds_split_no_request(self):
        # A line feed alone ends a line for some parsers. Either reading executes no second
        # request: the DELETE is part of one head.
        bare = b"GET /healthz HTTP/1.1\nHost: 127.0.0.1\nX: " + SMUGGLED.replace(b"\r\n", b"\n")
        answers, _ = self.send(bare)
        self.assertLessEqual(len(answers), 1)
        mixed = b"GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\nX: a\n\n" + SMUGGLED
        answers, _ = self.send(mixed)
        self.assertTrue(answers)
        self.assertIn(answers[0].status, (200, 400))
        if answers[0].status == 200:
            # The blank line ended the head, so that the DELETE is a request by itself.
            self.assertEqual(answers[1].status, 204)
            self.service.make_feed()
            self.before = self.state()
        self.assert_unchanged()

    def test_too_many_or_too_long_fields_are_rejected(self):
        start = b"GET /v1/datasets HTTP/1.1\r\nHost: 127.0.0.1\r\n"
        for name, fields in (
                ("101 fields", b"".join(b"X%d: a\r\n" % n for n in range(101))),
                ("1 MB in a value", b"X: " + b"a" * (1 << 20) + b"\r\n"),
                ("1 MB in a name", b"a" * (1 << 20) + b": a\r\n"),
                ("1 MB in all", b"".join(b"X%d: %s\r\n" % (n, b"a" * 16000) for n in range(64)))):
            with self.subTest(case=name):
                answers, ended = self.send(start + fields + b"\r\n" + SMUGGLED, close=False)
                self.assertTrue(ended)
                # Where the service ends the connection first, its answer may be lost.
                self.assertIn([one.status for one in answers], ([], [400], [431]))
        answers, ended = self.send(
            b"GET /" + b"a" * (1 << 20) + b" HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n" + SMUGGLED,
            close=False)
        self.assertTrue(ended)
        self.assertIn([one.status for one in answers], ([], [400], [414], [431]))
        self.assert_unchanged()

    def test_values_from_a_request_add_no_header_to_its_answer(self):
        for target, fields in (
                ("/v1/datasets/a%0d%0aX-Injected:%20yes", ()),
                ("/v1/datasets/none?x=%0d%0aX-Injected:%20yes", ()),
                ("/v1/datasets/art/import?id=%0d%0aX-Injected:%20yes&mode=append", ()),
                ("/v1/datasets", (("Origin", "http://a\tX-Injected: yes"),)),
                ("/v1/datasets", (("Accept", "text/html\tX-Injected: yes"),))):
            answers, _ = self.send(request("GET", target, fields))
            for one in answers:
                self.assertIsNone(one.header("x-injected"), target)
                self.assertNotIn("Injected", json.dumps(one.headers))
        self.assert_unchanged()

    # Sequences

    def test_after_a_bad_first_request_no_other_is_executed(self):
        good = request("GET", "/healthz")
        self.refused({
            name: bad + good for name, bad in (
                ("bad line", b"GET\r\n\r\n"), ("bad field", b"GET / HTTP/1.1\r\nHost x\r\n\r\n"),
                ("bad length", head("Content-Length: x")),
                ("bad chunk", head("Transfer-Encoding: chunked") + b"zz\r\n"),
                ("NUL", b"\x00"), ("TLS", b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03"))})

    def test_a_body_is_not_taken_for_a_request(self):
        # Each body is a request. A rejection leaves it unread; otherwise it is read
        # completely.
        for method, target, statuses in (
                ("GET", "/v1/datasets/art", (200,)), ("DELETE", "/v1/datasets/none", (404,)),
                ("POST", BATCHES, (422,)), ("POST", "/v1/nothing", (404,)),
                ("PUT", BATCHES, (405,)), ("POST", BATCHES + "?no=1", (400,)),
                ("POST", "/v1/datasets/art/layouts/none/prepare", (404,)),
                ("GET", "/healthz", (200,))):
            for chunked in (False, True):
                with self.subTest(target=target, chunked=chunked):
                    if chunked:
                        data = request(method, target, [("Transfer-Encoding", "chunked")])
                        data += chunk(len(SMUGGLED), SMUGGLED) + chunk(0, b"")
                    else:
                        data = request(method, target, body=SMUGGLED)
                    answers, _ = self.send(data)
                    self.assertEqual(len(answers), 1)
                    self.assertIn(answers[0].status, statuses)
        self.assert_unchanged()

    def test_truncated_requests_change_nothing(self):
        whole = request("POST", BATCHES, [("Content-Type", NDJSON)], LINE)
        for end in range(1, len(whole) - 1, 7):
            with self.service.connect() as connection:
                connection.sendall(whole[:end])
        self.assert_unchanged()

    def test_consecutive_good_requests_are_all_executed(self):
        # The checks above are meaningful only if the second request would be executed.
        service = self.started()
        service.make_feed(items=feed(4))
        with Peer(service) as peer:
            peer.send(request("GET", "/healthz") + SMUGGLED)
            answers, _ = peer.finish()
        self.assertEqual([one.status for one in answers], [200, 204])
        self.assertEqual(service.get("/v1/datasets").json["datasets"], [])
