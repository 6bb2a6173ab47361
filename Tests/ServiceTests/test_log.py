"""The access log: one line per request, when the body of the answer has ended."""

import json
import re

from service import ServiceCase, feed
from sockets import read_to_end
from waiting import wait_for

D = "/v1/datasets/art"


class AccessLogTests(ServiceCase):
    starts_own = True

    def setUp(self):
        self.service = self.started("--log-level", "info", "--set", "log.format=json")
        self.service.make_feed(items=feed(300))

    def lines(self, route):
        lines = [json.loads(line) for line in self.service.log_text().splitlines()
                 if line.startswith("{") and line.endswith("}")]
        return [line for line in lines if line.get("route") == route]

    def one_line(self, route):
        """Waits for the line of the only request to a route."""
        wait_for(lambda: self.lines(route), self.service.log_text)
        found = self.lines(route)
        self.assertEqual(len(found), 1, self.service.log_text())
        self.assertIsInstance(found[0]["milliseconds"], (int, float))
        return found[0]

    def test_a_streamed_answer_is_logged_with_its_bytes(self):
        body = self.service.get(D + "/export").body
        self.assertGreater(len(body), 1000)
        line = self.one_line("/v1/datasets/{dataset}/export")
        self.assertEqual([line[name] for name in ("bytes", "method", "status", "client")],
                         [len(body), "GET", 200, "127.0.0.1"])
        self.assertNotIn("aborted", line)

    def test_an_event_stream_is_logged_when_it_has_ended(self):
        route = "/v1/datasets/{dataset}/events"
        with self.service.connect() as client:
            client.sendall(f"GET {D}/events HTTP/1.1\r\nHost: localhost\r\n\r\n".encode())
            self.assertIn(b"200", client.recv(1 << 16))
            # Later requests are logged before.
            self.service.get(D + "/log")
            self.one_line("/v1/datasets/{dataset}/log")
            self.assertEqual(self.lines(route), [])
        self.assertEqual(self.one_line(route)["status"], 200)

    def test_a_request_without_a_handler_has_a_line(self):
        service = self.started(
            "--log-level", "info", "--set", "timeouts.header=1", "--set", "timeouts.answer=1",
            "--set", "limits.batchBytesMax=1024")
        service.make_feed(items=feed(3))

        def lines(status, route="", count=1):
            """Waits for a number of lines, which other threads write before the answer."""
            def found():
                all = [dict(re.findall(r"(\w+)='?([^' ]*)'?", line))
                       for line in service.log_text().split("\n")
                       if re.search(rf"status='?{status}\b", line)]
                return [line for line in all if line["route"] == (route or line["route"])]
            wait_for(lambda: len(found()) >= count, service.log_text)
            return found()

        def sent(data):
            with service.connect(timeout=10) as connection:
                connection.sendall(data)
                return read_to_end(connection)

        head = f"POST {D}/batches HTTP/1.1\r\nHost: localhost\r\nContent-Length: ".encode()
        for data, status in (
                (b"GET /healthz HTTP/1.1\r\nX: ", 408), (b"GET /healthz HTTX/9\r\n\r\n", 400)):
            with self.subTest(status=status):
                answer = sent(data)
                self.assertTrue(answer.startswith(f"HTTP/1.1 {status} ".encode()), answer)
                (line,) = lines(status)
                self.assertEqual((line["method"], line["route"]), ("-", "-"))
                self.assertEqual(line["bytes"], str(len(answer.partition(b"\r\n\r\n")[2])))
        for data, status in ((head + b"9\r\n\r\n{", 408), (head + b"2000\r\n\r\n", 413)):
            with self.subTest(status=status, handled=True):
                answer = sent(data)
                self.assertTrue(answer.startswith(f"HTTP/1.1 {status} ".encode()), answer)
                (line,) = lines(status, "/v1/datasets/{dataset}/batches")
                self.assertEqual(line["method"], "POST")
        answer = sent(b"GET /healthz HTTP/1.1\r\nX: " + b"a" * 200000 + b"\r\n\r\n")
        self.assertTrue(not answer or answer.startswith(b"HTTP/1.1 400 "), answer)
        self.assertEqual([len(lines(400, count=2)), len(lines(408)), len(lines(413))], [2, 2, 1])
        # The first 408 and both 400.
        self.assertIn(
            'layoutcache_http_requests_total{route="-",method="-",status="4xx"} 3\n',
            service.get("/metrics").body.decode())

    def test_an_answer_without_its_body_is_logged(self):
        answer = self.service.request("HEAD", D + "/export")
        self.assertEqual(answer.body, b"")
        line = self.one_line("/v1/datasets/{dataset}/export")
        self.assertEqual((line["method"], line["bytes"]), ("HEAD", 0))

    def await_text(self, text):
        """Waits for a text in the log, where a request's line follows its answer."""
        wait_for(lambda: text in self.service.log_text(), text, 10)

    def test_the_request_id_is_that_of_the_answer(self):
        for sent in (None, "proxy-7_A", "x" * 64, "x" * 65, "two words", "ä", "a;b", ""):
            with self.subTest(sent=sent):
                headers = {} if sent is None else {"X-Request-Id": sent.encode()}
                found = self.service.request("GET", D + "/nowhere", headers=headers)
                self.assertEqual(found.status, 404)
                own = found.header("x-request-id")
                is_plain = re.fullmatch(r"[A-Za-z0-9_-]{1,64}", sent or "", re.ASCII)
                self.assertEqual(own == sent, bool(is_plain))
                self.assertRegex(own, r"^[A-Za-z0-9_-]{1,64}$")
                self.await_text(f'"request":"{own}"')
        self.assertNotIn("hb.request", self.service.log_text())

    def test_every_answer_has_a_separate_id(self):
        ids = [self.service.request(method, path).header("x-request-id")
               for method, path in (("GET", "/healthz"), ("PATCH", D), ("OPTIONS", D),
                                    ("GET", D), ("GET", D), ("POST", D + "/undo"))]
        self.assertEqual(len(set(ids) - {None}), len(ids), ids)
