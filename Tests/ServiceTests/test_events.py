"""The stream of commits: immediate, ordered, resumable, bounded."""

import json
import re

from service import NDJSON, ServiceCase
from waiting import wait_for

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
        stream = self.opened()
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

    def test_a_disconnected_client_frees_its_stream(self):
        service = self.started("--set", "limits.streamsMax=1")
        service.make_feed()
        for _ in range(3):
            held = self.opened(service=service)
            self.assertEqual(held.status, 200)
            self.assertEqual(self.opened(service=service).status, 503)
            held.close()
            wait_for(lambda: service.metric("event_streams") == 0, "the stream is free", 10)

    def test_a_hundred_streams_and_a_stalled_import_end_in_time(self):
        service = self.started("--set", "timeouts.drain=2")
        service.make_feed()
        streams = [self.opened(service=service) for _ in range(100)]
        connection = service.connect()
        self.addCleanup(connection.close)
        connection.sendall((
            "POST /v1/datasets/new/import HTTP/1.1\r\nHost: localhost\r\n"
            f"Content-Type: {NDJSON}\r\nContent-Length: 1000\r\n\r\n{{").encode())
        wait_for(lambda: service.metric("imports_running") == 1, "the import begins")
        self.assertEqual(service.stop(8), 0, service.log_text())
        with self.assertRaises(EOFError):
            streams[0].next()
