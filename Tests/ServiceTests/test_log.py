"""The access log: one line per request, when the body of the answer has ended."""

import re
import time

from service import ServiceCase, feed

D = "/v1/datasets/art"


class AccessLogTests(ServiceCase):
    @classmethod
    def setUpClass(cls):
        pass

    def setUp(self):
        self.service = self.started("--log-level", "info")
        self.service.make_feed(items=feed(300))

    def lines(self, route):
        return [line for line in self.service.log_text().split("\n")
                if re.search(rf"route='?{re.escape(route)}'? ", line + " ")]

    def one_line(self, route):
        """Waits for the line of the only request to a route."""
        end = time.monotonic() + 20
        while not self.lines(route) and time.monotonic() < end:
            time.sleep(0.01)
        found = self.lines(route)
        self.assertEqual(len(found), 1, self.service.log_text())
        return dict(re.findall(r"(\w+)='?([^' ]*)'?", found[0]))

    def test_a_streamed_answer_is_logged_with_its_bytes(self):
        body = self.service.get(D + "/export").body
        self.assertGreater(len(body), 1000)
        line = self.one_line("/v1/datasets/{dataset}/export")
        self.assertEqual(line["bytes"], str(len(body)))
        self.assertEqual((line["method"], line["status"]), ("GET", "200"))
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
        self.assertEqual(self.one_line(route)["status"], "200")

    def test_an_answer_without_its_body_is_logged(self):
        answer = self.service.request("HEAD", D + "/export")
        self.assertEqual(answer.body, b"")
        line = self.one_line("/v1/datasets/{dataset}/export")
        self.assertEqual((line["method"], line["bytes"]), ("HEAD", "0"))

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
                self.assertIn(f"request={own}", self.service.log_text().replace("'", ""))
        self.assertNotIn("hb.request", self.service.log_text())

    def test_every_answer_has_a_separate_id(self):
        ids = [self.service.request(method, path).header("x-request-id")
               for method, path in (("GET", "/healthz"), ("PATCH", D), ("OPTIONS", D),
                                    ("GET", D), ("GET", D), ("POST", D + "/undo"))]
        self.assertEqual(len(set(ids)), len(ids), ids)
        self.assertNotIn(None, ids)
