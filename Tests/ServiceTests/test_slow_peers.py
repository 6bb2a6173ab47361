"""Clients that keep the service waiting: they are cut off, and cost little until then."""

import concurrent.futures
import contextlib
import itertools
import os
import re
import socket
import threading
import time

from service import ServiceCase, feed, free_ports, token_line
from sockets import read_to_end, unread
from waiting import allow_files, wait_for

MIB = 1 << 20
EXPORT = b"GET /v1/datasets/art/export HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"
QUERY = "/v1/datasets/art/layouts/phone/elements?rect=0,0,390,5000"


class SlowPeerTests(ServiceCase):
    arguments = ("--set", "timeouts.header=1", "--set", "timeouts.answer=1")

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.service.make_feed(items=feed(3000))

    def test_a_thousand_idle_connections_cost_little(self):
        service = self.started("--set", "timeouts.header=60")
        service.make_feed()
        allow_files(1100)
        before = service.resident_bytes()
        with contextlib.ExitStack() as connections:
            for _ in range(1000):
                connections.enter_context(service.connect())
            for _ in range(20):
                self.assertEqual(service.request("GET", QUERY, timeout=5).status, 200)
            self.assertLess(service.resident_bytes() - before, 128 * MIB)

    def test_at_the_limit_of_connections_the_port_for_health_answers(self):
        port, = free_ports(1)
        service = self.started(
            "--admin-port", str(port), "--set", "limits.connectionsMax=20",
            "--set", "timeouts.header=60")
        with contextlib.ExitStack() as connections:
            for _ in range(40):
                connections.enter_context(service.connect())
            wait_for(lambda: not quiet(service.request, "GET", "/healthz", timeout=1),
                     "the limit is reached")
            service.port, main = port, service.port
            for path in ("/healthz", "/readyz", "/metrics"):
                self.assertEqual(service.get(path).status, 200)
            self.assertEqual(service.get("/v1/datasets").status, 404)
            service.port = main
        wait_for(lambda: quiet(service.request, "GET", "/healthz", timeout=1),
                 "closed connections free their slots", 5)


class SlowReaderTests(ServiceCase):
    """Readers above the minimum rate are served to the end, slower ones are cut off."""

    # The system takes up to 128 KiB at once.
    PATIENCE, RATE_MIN = 3, 64 << 10
    arguments = (
        "--set", f"timeouts.transfer={PATIENCE}",
        "--set", f"timeouts.transferRateMin={RATE_MIN}", "--set", "limits.exportsMax=8")

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        # More than the buffers of both sides hold.
        cls.service.make_feed(items=feed(150_000))
        cls.whole = cls.service.get("/v1/datasets/art/export").body
        assert len(cls.whole) > 8 * MIB

    def export(self, rate, is_over, first=0):
        """Reads the first bytes of an export, further ones at a rate until a condition is true, then
        the rest; returns if it is complete."""
        # A small buffer, so that reads are acknowledged soon.
        with unread(self.service, EXPORT, 16 << 10) as connection:
            text = [read_to_end(connection, max(first, 1))]
            begun, taken = time.monotonic(), 0
            with contextlib.suppress(ConnectionError):
                while text[-1] and not is_over():
                    due = int((time.monotonic() - begun) * rate) - taken
                    if due > 0:
                        text.append(connection.recv(due))
                        taken += len(text[-1])
                    time.sleep(0.02)
                text.append(read_to_end(connection, 32 * MIB))
            return b"".join(text).endswith(b"\r\n0\r\n\r\n")

    def test_readers_above_the_minimum_rate_are_served_to_the_end(self):
        end = time.monotonic() + 3 * self.PATIENCE
        with concurrent.futures.ThreadPoolExecutor() as pool:
            found = pool.map(
                lambda rate: self.export(rate * self.RATE_MIN, lambda: time.monotonic() > end),
                [3, 16])
            self.assertEqual(list(found), [True, True])

    def test_readers_below_the_minimum_rate_are_cut_off(self):
        over = threading.Event()
        # The last one is a fast reader that stops.
        paces = [(0, 0), (self.RATE_MIN // 8, 0), (self.RATE_MIN // 2, 0), (0, 2 * MIB)]
        with concurrent.futures.ThreadPoolExecutor(len(paces)) as pool:
            exports = [pool.submit(self.export, rate, over.is_set, first) for rate, first in paces]
            try:
                wait_for(lambda: self.service.metric("exports_running") == len(paces), "they begin")
                wait_for(lambda: self.service.metric("exports_running") == 0, "all are cut off", 60)
            finally:
                over.set()
            self.assertEqual([export.result() for export in exports], [False] * len(paces))


class BodyTests(ServiceCase):
    """Bodies that arrive byte by byte, at every route that reads one."""

    arguments = ("--set", "timeouts.answer=2", "--set", "timeouts.transfer=2")

    def slowly(self, method, target, headers):
        """Sends a byte every half second until it is answered; returns the answer's beginning."""
        with self.service.connect(timeout=10) as connection:
            connection.sendall(
                f"{method} {target} HTTP/1.1\r\nHost: localhost\r\n{headers}"
                "Content-Length: 900\r\n\r\n".encode())
            connection.settimeout(0.5)
            for _ in range(60):
                with contextlib.suppress(TimeoutError):
                    return connection.recv(65536)[:40]
                connection.sendall(b"{")
            return b""

    def test_a_body_has_a_deadline_at_every_route(self):
        self.service.make_feed()
        routes = []
        for path, item in self.service.get("/openapi.json").json["paths"].items():
            for method in item.keys() & {"post", "put"}:
                for kind in item[method].get("requestBody", {}).get("content", {}):
                    target = re.sub(r"\{(\w+)\}", lambda part: {
                        "dataset": "art", "layout": "phone"}.get(part[1], "a"), path)
                    target += {"import": "?mode=replace", "elements": "?rect=0,0,9,9"}.get(
                        target.rpartition("/")[2], "")
                    routes.append((method.upper(), target, f"Content-Type: {kind}\r\n"))
        self.assertGreater(len({target for _, target, _ in routes}), 7)
        with concurrent.futures.ThreadPoolExecutor(len(routes)) as pool:
            waiting = [pool.submit(self.slowly, *route) for route in routes]
            # Others are served in the meantime.
            for _ in range(10):
                self.assertEqual(self.service.get("/healthz").status, 200)
                self.assertEqual(self.service.get(QUERY).status, 200)
            for route, found in zip(routes, waiting):
                with self.subTest(route=route):
                    # An import beyond the places of one client is rejected at once.
                    self.assertIn(
                        found.result()[9:12], (b"408", b"503") if "import" in route[1] else (b"408",))


class PlaceTests(ServiceCase):
    """Imports and exports of several clients, of which some keep what they have."""

    MAX = 3
    DATA = {"text": "x" * 2000}
    arguments = (
        "--public-reads", "--trust-proxy", "127.0.0.1", "--set", f"limits.importsMax={MAX}",
        "--set", f"limits.exportsMax={MAX}")
    tokens = token_line("a") + token_line("b")
    # Headers of the same client, in each line, and of another one.
    CLIENTS = (
        ([{"Authorization": "Bearer a"}, {"Authorization": "Bearer a", "X-Forwarded-For": "10.0.0.9"}],
         {"Authorization": "Bearer b"}),
        ([{"X-Forwarded-For": "10.0.0.1"}, {"X-Forwarded-For": "10.0.0.2, 10.0.0.1"},
          {"X-Forwarded-For": "10.0.0.1, 127.0.0.1"}], {"X-Forwarded-For": "10.0.0.2"}),
        ([{"X-Forwarded-For": "2001:db8::1"}, {"X-Forwarded-For": "2001:db8::2:1"}],
         {"X-Forwarded-For": "2001:db8:0:1::1"}),
        ([{}, {"X-Forwarded-For": "nothing"}], {"X-Forwarded-For": "127.0.0.2"}))

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        made = cls.service.ndjson(
            "/v1/datasets/art/import", ({**one, "data": cls.DATA} for one in feed(1500)),
            {"Authorization": "Bearer a"})
        assert made.status == 200, made

    def target(self, route):
        return {"import": "/v1/datasets/new/import?mode=replace&format=ndjson",
                "export": "/v1/datasets/art/export"}[route]

    def hold(self, route, headers, connections):
        """Begins a transfer and leaves it; returns the status, or None for one that has begun."""
        lines = "".join(f"{name}: {value}\r\n" for name, value in headers.items())
        method, end = ("POST", "Content-Length: 100000\r\n\r\n{") if route == "import" else ("GET", "\r\n")
        connection = connections.enter_context(unread(
            self.service,
            f"{method} {self.target(route)} HTTP/1.1\r\nHost: localhost\r\n{lines}{end}".encode(),
            timeout=1 if route == "import" else 20))
        with contextlib.suppress(TimeoutError):
            status = int(connection.recv(12).split()[1])
            return None if status == 200 else status
        return None

    def whole(self, route, headers):
        body = b'{"key":"a","width":1,"height":1}\n' if route == "import" else None
        return self.service.request(
            "POST" if body else "HEAD", self.target(route), body, headers).status

    def test_no_client_takes_all_places(self):
        for route, (same, other) in itertools.product(("import", "export"), self.CLIENTS):
            if route == "import" and "Authorization" not in other:
                continue
            with self.subTest(route=route, client=same[0]), contextlib.ExitStack() as connections:
                held = [self.hold(route, same[number % len(same)], connections)
                        for number in range(self.MAX)]
                self.assertEqual(held, [None] * (self.MAX - 1) + [503])
                self.assertEqual([self.whole(route, one) for one in (*same, other)],
                                 [503] * len(same) + [200])
                free = "export" if route == "import" else "import"
                if free == "export" or "Authorization" in same[0]:
                    self.assertEqual(self.whole(free, same[0]), 200)
            # Places of closed connections become free.
            wait_for(lambda: self.whole(route, same[0]) == 200, f"{route} of {same[0]}")


class MemoryTests(ServiceCase):
    """Memory of the process with clients that do not read."""

    # Fast enough that a reader that stops is noticed soon.
    arguments = (
        "--set", "timeouts.answer=1", "--set", "timeouts.transfer=1",
        "--set", f"timeouts.transferRateMin={MIB}")

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.service.make_feed(items=feed(150_000))

    def watched(self, has_ended, text):
        """Returns the maximum memory of the process until a condition is true."""
        most = [0]

        def is_over():
            self.assertIsNone(self.service.process.poll(), self.service.log_text()[:3000])
            most.append(self.service.resident_bytes())
            return has_ended()
        wait_for(is_over, text)
        return max(most)

    def stalled(self, connections):
        """Opens more unread exports than one client may have under way."""
        for _ in range(4):
            connections.enter_context(unread(self.service, EXPORT))
        wait_for(lambda: self.service.metric("exports_running") == 3, "the exports begin")

    def is_free(self):
        return self.service.request("HEAD", "/v1/datasets/art/export").status == 200

    def test_unread_exports_cost_no_memory_and_are_cut_off(self):
        whole = self.service.get("/v1/datasets/art/export").body
        before = self.service.resident_bytes()
        with contextlib.ExitStack() as connections:
            self.stalled(connections)
            # They are cut off, which frees slots for another.
            grown = self.watched(self.is_free, "the exports are cut off") - before
            # Buffering all four would take four times the text.
            self.assertGreater(4 * len(whole), 32 * MIB)
            self.assertLess(grown, 16 * MIB)
            self.assertEqual(self.exported(), whole)

    def exported(self):
        """Returns an export as soon as there is a slot for it."""
        wait_for(self.is_free, "a slot becomes free", 10)
        found = self.service.get("/v1/datasets/art/export")
        self.assertEqual(found.status, 200, found)
        return found.body

    def test_unread_answers_cost_no_memory(self):
        one = self.service.get(QUERY)
        self.assertGreater(len(one.body), 10_000)
        before = self.service.resident_bytes()
        request = f"GET {QUERY} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode()
        with self.service.connect(timeout=5) as connection:
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            sender = threading.Thread(
                target=lambda: quiet(connection.sendall, request * 5000), daemon=True)
            sender.start()
            grown = self.watched(
                lambda: self.service.metric("http_connections") == 1, "it is cut off") - before
            self.assertLess(grown, 32 * MIB)
        self.assertEqual(self.service.get(QUERY).status, 200)


class UnreadStreamTests(ServiceCase):
    """Memory of the process with unread event streams.

    LAYOUTCACHE_SERVICE_LONG opens 1,024 and commits more.
    """

    ITEMS, IS_LONG = 3000, "LAYOUTCACHE_SERVICE_LONG" in os.environ
    STREAMS, COMMITS = (1024, 100) if IS_LONG else (100, 6)
    # The limit stated in docs/HTTP.md.
    TEXTS_MAX, STREAM_MAX = 64 * MIB, 160 << 10
    arguments = ("--set", "timeouts.answer=600")

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        # Long keys make long events of few operations.
        cls.keys = [f"k{number}-".ljust(200, "x") for number in range(cls.ITEMS)]
        cls.service.make_feed(items=[
            {"key": key, "width": 3, "height": 4, "section": "s"} for key in cls.keys])
        cls.heights = 0

    def commit(self, count):
        """Commits a batch that names a number of items; returns its revision."""
        type(self).heights += 1
        found = self.service.ndjson("/v1/datasets/art/batches", [
            {"op": "resize", "key": key, "width": 3, "height": 5 + self.heights % 7}
            for key in self.keys[:count]])
        self.assertEqual(found.status, 200, found)
        return found.json["revision"]

    def unread(self, connections, target, count, until):
        """Opens connections whose clients read only the beginning of the answer."""
        request = f"GET {target} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode()
        opened = [connections.enter_context(unread(self.service, request)) for _ in range(count)]
        for connection in opened:
            text = b""
            while until not in text:
                piece = connection.recv(300)
                self.assertTrue(piece, text)
                text += piece
        return opened

    def settled(self):
        """Returns the memory once it no longer grows."""
        most = self.service.resident_bytes()
        for _ in range(20):
            time.sleep(0.25)
            now = self.service.resident_bytes()
            if now < most + MIB // 4:
                return max(most, now)
            most = now
        return most

    def test_unread_streams_share_their_events(self):
        allow_files(self.STREAMS + 100)
        # The memory that a commit takes by itself.
        self.commit(self.ITEMS)
        before = self.settled()
        with contextlib.ExitStack() as connections:
            self.unread(
                connections, "/v1/datasets/art/events?layout=phone", self.STREAMS, b": welcome")
            for _ in range(self.COMMITS):
                self.commit(self.ITEMS)
            grown = self.settled() - before
            texts = min(self.TEXTS_MAX, self.COMMITS * MIB)
            self.assertLess(grown, texts + self.STREAMS * self.STREAM_MAX + 16 * MIB)
            # Separate texts for each stream would take more than that.
            self.assertGreater(self.STREAMS * 700_000 / 2, texts)

    def test_unread_long_poll_answers_are_shared(self):
        count = self.STREAMS // 2
        now = self.commit(self.ITEMS)
        before = self.settled()
        with contextlib.ExitStack() as connections:
            opened = self.unread(
                connections, f"/v1/datasets/art/events?since={now}&wait=60&layout=phone", count,
                b"")
            wait_for(lambda: self.service.metric("http_connections") > count, "all clients wait")
            self.commit(self.ITEMS)
            begun = [connection.recv(100) for connection in opened]
            self.assertTrue(all(text.startswith(b"HTTP/1.1 200 ") for text in begun))
            grown = self.settled() - before
            self.assertLess(grown, MIB + count * self.STREAM_MAX + 16 * MIB)
            # All clients get the whole answer once they read.
            for connection, text in zip(opened[:3], begun):
                connection.settimeout(10)
                while b"\r\n\r\n" not in text:
                    text += connection.recv(65536)
                head, _, body = text.partition(b"\r\n\r\n")
                length = int(head.lower().partition(b"content-length: ")[2].split()[0])
                while len(body) < length:
                    body += connection.recv(65536)
                self.assertEqual((len(body), body[-1:]), (length, b"}"))

    def test_an_event_above_a_mebibyte_is_a_reset(self):
        with self.service.connect(timeout=30) as connection:
            connection.sendall(b"GET /v1/datasets/art/events HTTP/1.1\r\nHost: localhost\r\n\r\n")
            text = b""
            while b": welcome" not in text:
                text += connection.recv(65536)
            revisions = [self.commit(2000), self.commit_long(), self.commit(10)]
            names = ["commit", "reset", "commit"]
            wanted = [f"event: {name}\nid: {revision}.".encode()
                      for name, revision in zip(names, revisions)]
            while wanted[-1] not in text:
                piece = connection.recv(65536)
                self.assertTrue(piece)
                text += piece
            places = [text.find(event) for event in wanted]
            self.assertEqual(places, sorted(places))
            self.assertGreaterEqual(places[0], 0)
        now = self.service.get("/v1/datasets/art").json["revision"]
        self.commit_long()
        found = self.service.get(f"/v1/datasets/art/events?since={now}&wait=20&layout=phone").json
        self.assertEqual((found["since"], found["revision"]), (now, now + 1))
        self.assertEqual(found["updates"], {"everything": True, "reason": "too-large"})
        self.assertTrue(found["layouts"][0]["everything"])

    def commit_long(self):
        """Commits a batch whose event is above 1 MiB; returns its revision."""
        type(self).heights += 1
        found = self.service.ndjson("/v1/datasets/art/batches", [{
            "op": "insert", "section": "s", "index": 0,
            "items": [{"key": f"n{self.heights}-{number}-".ljust(200, "x"), "width": 3, "height": 4}
                      for number in range(5000)]}])
        self.assertEqual(found.status, 200, found)
        return found.json["revision"]


def quiet(call, *arguments, **options):
    with contextlib.suppress(OSError):
        return call(*arguments, **options)
    return None
