"""The stream of commits: immediate, ordered, resumable, bounded."""

import json
import re
import time

from described import TO_COME, load
from service import NDJSON, ServiceCase, wait_until

EVENTS = "/v1/datasets/art/events"


class Stream:
    """An open stream of events, over a separate connection."""

    def __init__(self, service, query="", headers=""):
        self.connection = service.connect(timeout=10)
        self.connection.sendall(
            f"GET {EVENTS}{query} HTTP/1.1\r\nHost: localhost\r\n{headers}\r\n".encode())
        self.raw, self.text = b"", b""
        while b"\r\n\r\n" not in self.raw:
            self.receive()
        head, self.raw = self.raw.split(b"\r\n\r\n", 1)
        self.status = int(head.split()[1])
        self.head = head.decode().lower()
        self.decode()

    def receive(self):
        piece = self.connection.recv(65536)
        if not piece:
            raise EOFError(f"the stream ended after {self.text!r}")
        self.raw += piece

    def decode(self):
        """Moves complete chunks from the received bytes to the text: a long event has several."""
        while b"\r\n" in self.raw:
            size, rest = self.raw.split(b"\r\n", 1)
            count = int(size, 16)
            if len(rest) < count + 2:
                return
            self.text, self.raw = self.text + rest[:count], rest[count + 2:]

    def read_until(self, done):
        while not done(self.text):
            self.receive()
            self.decode()

    def next(self):
        """Returns the next event: its name, id and data."""
        # There are comments and retry fields between the events.
        pattern = re.compile(rb"event: (\w+)\n(?:id: (\d+)\.[0-9a-f]+\n)?(?:data: ([^\n]*)\n)?")
        self.read_until(lambda text: pattern.search(text) and text.rstrip(b"\r\n") != text
                        and b"\n\n" in text[pattern.search(text).start():])
        found = pattern.search(self.text)
        self.text = self.text[found.end():]
        name, number, data = found.groups()
        return name.decode(), number and int(number), data and json.loads(data)

    def close(self):
        self.connection.close()


class EventTests(ServiceCase):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.service.make_feed()

    def setUp(self):
        if load()["paths"][EVENTS.replace("art", "{dataset}")]["get"].get(TO_COME):
            self.skipTest("the service has no events yet")

    def opened(self, query="", headers="", service=None):
        stream = Stream(service or self.service, query, headers)
        self.addCleanup(stream.close)
        return stream

    def commit(self, height, service=None):
        line = {"op": "resize", "key": "k1", "width": 1, "height": height}
        found = (service or self.service).ndjson("/v1/datasets/art/batches", [line])
        self.assertEqual(found.status, 200, found)
        return found.json

    def test_commits_are_streamed_immediately_and_in_order(self):
        stream, seconds = self.shortest(self.opened)
        self.assertLess(seconds, 1)
        self.assertEqual(stream.status, 200, stream.head)
        for field in ("content-type: text/event-stream", "cache-control: no-cache, no-transform",
                      "x-accel-buffering: no"):
            self.assertIn(field, stream.head)
        self.assertNotIn("content-encoding", stream.head)
        for height in range(1, 6):
            committed = self.commit(height)
            name, number, data = stream.next()
            self.assertEqual((name, number), ("commit", committed["revision"]))
            self.assertEqual(data["updates"], committed["updates"])

    def test_a_resumed_stream_delivers_missed_commits(self):
        described = self.service.get("/v1/datasets/art").json
        start = described["revision"]
        wanted = [self.commit(20 + height)["revision"] for height in range(4)]
        for stream in (self.opened(f"?since={start}"),
                       self.opened("", f"Last-Event-ID: {start}.{described['incarnation']}\r\n")):
            # One event may combine several commits: the last id counts.
            last = start
            while last < wanted[-1]:
                name, number, _ = stream.next()
                self.assertEqual(name, "commit")
                self.assertGreater(number, last)
                last = number
            self.assertEqual(last, wanted[-1])

    def test_another_history_is_a_reset(self):
        name, _, _ = self.opened("?since=1&incarnation=abc").next()
        self.assertEqual(name, "reset")

    def test_a_removed_dataset_ends_its_streams(self):
        service = self.started()
        service.make_feed()
        stream = self.opened(service=service)
        self.assertEqual(service.request("DELETE", "/v1/datasets/art").status, 204)
        self.assertEqual(stream.next()[0], "gone")

    @staticmethod
    def shortest(body):
        """Returns the last result of three calls, and the seconds of the shortest: a call may
        have to wait for a processor, but not each one."""
        shortest = float("inf")
        for _ in range(3):
            begun = time.monotonic()
            result = body()
            shortest = min(shortest, time.monotonic() - begun)
        return result, shortest

    def test_a_disconnected_client_frees_its_stream_in_a_second(self):
        service = self.started("--set", "limits.streamsMax=1")
        service.make_feed()
        held = [self.opened(service=service)]
        self.assertEqual(held[0].status, 200)

        def reopen():
            self.assertEqual(self.opened(service=service).status, 503)
            held[0].close()

            def is_open():
                held[0] = self.opened(service=service)
                return held[0].status == 200
            wait_until(is_open, "the stream is not free", 10)
        _, seconds = self.shortest(reopen)
        self.assertLess(seconds, 1)

    def test_long_polling_waits_for_commits(self):
        now = self.service.get("/v1/datasets/art").json["revision"]
        begun = time.monotonic()
        found = self.service.get(f"{EVENTS}?since={now}&wait=1")
        self.assertEqual(found.status, 200, found)
        self.assertGreater(time.monotonic() - begun, 0.5)
        committed = self.commit(40)
        found = self.service.get(f"{EVENTS}?since={now}&wait=20")
        self.assertEqual(found.json["revision"], committed["revision"])

    def test_a_hundred_streams_and_a_stalled_import_end_in_time(self):
        service = self.started("--set", "timeouts.drain=2")
        service.make_feed()
        streams = [self.opened(service=service) for _ in range(100)]
        connection = service.connect()
        self.addCleanup(connection.close)
        connection.sendall((
            "POST /v1/datasets/new/import HTTP/1.1\r\nHost: localhost\r\n"
            f"Content-Type: {NDJSON}\r\nContent-Length: 1000\r\n\r\n{{").encode())
        time.sleep(0.2)
        begun = time.monotonic()
        self.assertEqual(service.stop(), 0, service.log_text())
        self.assertLess(time.monotonic() - begun, 8)
        with self.assertRaises(EOFError):
            streams[0].next()
