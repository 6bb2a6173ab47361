"""Many concurrent connections: every answer is correct, and no resource leaks.

LAYOUTCACHE_SERVICE_LONG=SECONDS runs them longer.
"""

import asyncio
import contextlib
import json
import os
import time

from service import NDJSON, Answer, ServiceCase, feed
from waiting import allow_files, repeated, seeded, wait_for

MIB = 1 << 20
LIVE, FIXED = "/v1/datasets/live", "/v1/datasets/art"


class Client:
    """A persistent connection, reopened if the service has closed it."""

    def __init__(self, port):
        self.port, self.reader, self.writer = port, None, None

    async def request(self, method, target, body=b"", headers=()):
        if self.writer is None:
            self.reader, self.writer = await asyncio.open_connection("127.0.0.1", self.port)
        lines = [f"{method} {target} HTTP/1.1", "Host: 127.0.0.1",
                 *(f"{name}: {value}" for name, value in headers)]
        if method != "GET":
            lines.append(f"Content-Length: {len(body)}")
        self.writer.write("\r\n".join(lines).encode() + b"\r\n\r\n" + body)
        await self.writer.drain()
        head = (await self.reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
        found = {}
        for line in head[1:-2]:
            name, value = line.split(":", 1)
            found[name.lower()] = value.strip()
        content = b""
        if "chunked" in found.get("transfer-encoding", ""):
            while True:
                size = int(await self.reader.readline(), 16)
                content += (await self.reader.readexactly(size + 2))[:size]
                if size == 0:
                    break
        elif "content-length" in found:
            content = await self.reader.readexactly(int(found["content-length"]))
        if found.get("connection", "").lower() == "close":
            await self.close()
        return Answer(int(head[0].split()[1]), found, content)

    async def close(self):
        if self.writer:
            self.writer.close()
            try:
                await self.writer.wait_closed()
            except OSError:
                pass
            self.writer = None


class Load:
    """The requests of clients, and the commits reported to them."""

    def __init__(self, service, chance, expected, start):
        self.service, self.chance, self.expected = service, chance, expected
        self.start = start
        self.committed, self.wrong = {}, []
        self.counts = {}
        self.is_over = False
        self.final = None

    def complain(self, text):
        if len(self.wrong) < 20:
            self.wrong.append(text)
        self.is_over = True

    async def client(self, number):
        client = Client(self.service.port)
        state = {"revision": self.start, "keys": [], "sent": []}
        try:
            while not self.is_over and next(self.more, None) is not None:
                kind = self.chance.choices(
                    ("query", "live", "batch", "again", "item", "changes", "missing"),
                    (4, 2, 4, 1, 2, 1, 1))[0]
                self.counts[kind] = self.counts.get(kind, 0) + 1
                await getattr(self, kind)(client, number, state)
        except (OSError, asyncio.IncompleteReadError) as error:
            self.complain(f"client {number}: {error!r}")
        finally:
            await client.close()

    async def answered(self, client, *request):
        """Returns an answer other than 503, retrying while the service is busy."""
        while True:
            found = await client.request(*request)
            if found.status != 503:
                if found.status >= 500:
                    self.complain(f"{request}: {found}")
                return found
            self.counts["busy"] = self.counts.get("busy", 0) + 1
            if not found.header("retry-after", "").isdigit():
                self.complain(f"{request}: {found}")
            await asyncio.sleep(0.05)

    async def query(self, client, number, state):
        """Queries a constant dataset: each byte of the answer is known."""
        target, body = self.chance.choice(self.expected)
        found = await self.answered(client, "GET", target)
        if (found.status, found.body) != (200, body):
            self.complain(f"{target}: {found}")

    async def live(self, client, number, state):
        """Queries a changing dataset: the answer is not older than the last commit seen."""
        found = await self.answered(
            client, "GET", f"{LIVE}/layouts/phone/elements?rect=0,0,390,2000")
        if found.status != 200:
            return self.complain(f"live: {found}")
        told = found.json
        if told["revision"] < state["revision"]:
            self.complain(f"revision {told['revision']} after {state['revision']}")
        state["revision"] = told["revision"]
        for one in told["elements"]:
            if one["frame"]["y"] >= 2000 or one["frame"]["x"] >= 390:
                self.complain(f"outside the rectangle: {one}")

    async def batch(self, client, number, state):
        # The start revision makes the key differ from those of the previous load.
        key = f"c{self.start}-{number}-{len(state['sent'])}"
        line = json.dumps({"op": "insert", "section": f"s{number % 3}", "items": [
            {"key": key, "width": 1 + number % 9, "height": 1}]}).encode()
        headers = [("Content-Type", NDJSON), ("Idempotency-Key", key)]
        found = await self.answered(client, "POST", LIVE + "/batches", line, headers)
        if found.status != 200:
            return self.complain(f"{key}: {found}")
        revision = found.json["revision"]
        if revision in self.committed or revision <= state["revision"]:
            self.complain(f"{key} is revision {revision}, after {state['revision']}")
        self.committed[revision] = key
        state["revision"] = revision
        state["keys"].append(key)
        state["sent"].append((line, headers, found.body))

    async def again(self, client, number, state):
        """Sends a batch twice, which must be committed once."""
        if state["sent"]:
            line, headers, body = self.chance.choice(state["sent"])
            found = await self.answered(client, "POST", LIVE + "/batches", line, headers)
            if (found.status, found.body, found.header("idempotency-replayed")) != (
                    200, body, "true"):
                self.complain(f"replay: {found}")

    async def item(self, client, number, state):
        if state["keys"]:
            key = self.chance.choice(state["keys"])
            found = await self.answered(client, "GET", f"{LIVE}/items/{key}")
            if found.status != 200 or (found.json["key"], found.json["width"]) != (
                    key, 1 + number % 9):
                self.complain(f"{key}: {found}")

    async def changes(self, client, number, state):
        found = await self.answered(
            client, "GET", f"{LIVE}/events?since={state['revision']}&wait=0")
        if found.status != 200 or found.json["revision"] < state["revision"]:
            self.complain(f"since {state['revision']}: {found}")

    async def missing(self, client, number, state):
        for method, target, status in (
                ("GET", f"{LIVE}/items/none", 404), ("GET", "/v1/datasets/none", 404),
                ("GET", f"{FIXED}/sections?count=x", 400), ("PUT", f"{LIVE}/log", 405)):
            found = await self.answered(client, method, target)
            if found.status != status:
                self.complain(f"{method} {target}: {found}")

    async def follower(self, seen):
        """Follows a stream: `seen` gets each event's revision, negative for a reset."""
        reader, writer = await asyncio.open_connection("127.0.0.1", self.service.port)
        writer.write(f"GET {LIVE}/events?since={self.start} HTTP/1.1\r\n"
                     "Host: 127.0.0.1\r\n\r\n".encode())
        try:
            name = None
            while self.final is None or not seen or abs(seen[-1]) < self.final:
                line = await asyncio.wait_for(reader.readline(), 20)
                if not line:
                    return self.complain("a stream has ended")
                if line.startswith(b"event: "):
                    name = line.split()[1].decode()
                    if name not in ("commit", "reset"):
                        return self.complain(f"a stream has {name}")
                if line.startswith(b"id: "):
                    seen.append(int(line[4:].split(b".")[0]) * (1 if name == "commit" else -1))
        except TimeoutError:
            self.complain(f"a stream is silent after {seen[-1:]} of {self.final}")
        finally:
            writer.close()


class LoadTests(ServiceCase):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.service.make_feed(items=feed(2000))
        cls.service.make_feed("live", items=feed(30))

    def run_load(self, clients, followers, requests):
        allow_files(clients + followers + 200)
        chance, seed = seeded()
        expected = []
        for y in range(0, 60_000, 1777):
            target = f"{FIXED}/layouts/phone/elements?rect=0,{y},390,600"
            expected.append((target, self.service.get(target).body))
        start = self.service.get(LIVE).json["revision"]
        load = Load(self.service, chance, expected, start)
        seen = [[] for _ in range(followers)]
        load.more = repeated(requests)

        async def everything():
            streams = [asyncio.create_task(load.follower(one)) for one in seen]
            tasks = [asyncio.create_task(load.client(number)) for number in range(clients)]
            await asyncio.gather(*tasks)
            # Streams that are up to date wait for an event: this is the last one.
            load.final = max(load.committed, default=start) + 1
            last = Client(self.service.port)
            await load.batch(last, clients, {"revision": load.final - 1, "keys": [], "sent": []})
            await last.close()
            await asyncio.gather(*streams)
        asyncio.run(everything())
        total = sum(load.counts.values())
        print(f"        {clients} clients, {followers} streams: {total} requests, "
              f"{len(load.committed)} commits, {load.counts.get('busy', 0)} busy, "
              f"{sum(number < 0 for one in seen for number in one)} resets", flush=True)
        self.assertEqual(load.wrong, [], f"seed {seed}")
        final = self.service.get(LIVE).json["revision"]
        # Each revision belongs to exactly one acknowledged commit.
        self.assertEqual(sorted(load.committed), list(range(start + 1, final + 1)))
        for one in seen:
            self.check_stream(one, start, final, seed)
        text = self.service.get(LIVE + "/export").body.decode()
        keys = {json.loads(line)["key"] for line in text.splitlines()}
        self.assertEqual(set(load.committed.values()) - keys, set())

    def check_stream(self, seen, start, final, seed):
        """Checks that each revision comes once and in order, unless a reset skips some.

        More commits than a stream may queue cause a reset, by docs/HTTP.md.
        """
        last = start
        for number in seen:
            if number > 0:
                self.assertEqual(number, last + 1, f"seed {seed}: {seen}")
            else:
                self.assertGreater(-number, last, f"seed {seed}: {seen}")
            last = abs(number)
        self.assertEqual(last, final, f"seed {seed}")

    def open_files(self, sockets):
        """Returns the number of the process's sockets, or of its other files."""
        folder, count = f"/proc/{self.service.process.pid}/fd", 0
        for name in os.listdir(folder):
            with contextlib.suppress(FileNotFoundError):
                count += os.readlink(os.path.join(folder, name)).startswith("socket:") == sockets
        return count

    def test_answers_under_load_are_correct_and_leak_nothing(self):
        # The first round fills caches.
        self.run_load(64, 4, 200)
        self.settled(lambda: self.open_files(sockets=True), 10**6)
        sockets, files = self.open_files(sockets=True), self.open_files(sockets=False)
        memory = self.service.resident_bytes()
        self.run_load(64, 8, 300)
        self.run_load(200, 20, 500)
        self.settled(lambda: self.open_files(sockets=True), sockets)
        # At most eight idle connections to the database stay open, with three files each.
        self.settled(lambda: self.open_files(sockets=False), files + 24)
        self.assertLess(self.service.resident_bytes() - memory, 64 * MIB)

    def settled(self, value, limit):
        """Waits until a value is at most a limit and unchanged twice."""
        last = []

        def is_settled():
            last.append(value())
            return last[-1] <= limit and last[-2:-1] == last[-1:]
        wait_for(is_settled, lambda: f"{last[-1]} becomes {limit}", pause=lambda: time.sleep(0.2))
