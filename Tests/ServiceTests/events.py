"""The client of an event stream."""

import json
import re

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
