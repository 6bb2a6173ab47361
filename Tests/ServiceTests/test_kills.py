"""SIGKILL at random moments, under commits, imports and event streams.

Acknowledged changes are kept, a retry with the same key is applied once, an import is stored
completely or not at all, and a resumed stream has each revision once.
LAYOUTCACHE_SERVICE_LONG=SECONDS runs it longer.
"""

import contextlib
import http.client
import json
import os
import threading
import time

from events import Stream
from service import NDJSON, Service, ServiceCase, feed
from waiting import repeated, seeded

D = "/v1/datasets/art"
FAILURES = (OSError, http.client.HTTPException, EOFError)


class World:
    """The current service, and the knowledge of the clients."""

    def __init__(self):
        self.service = None
        self.is_over = threading.Event()
        self.lock = threading.Lock()
        self.committed = {}
        self.imports = {}
        self.wrong = []
        self.replays = 0

    def complain(self, text):
        with self.lock:
            self.wrong.append(text)

    def request(self, *arguments, **options):
        """Repeats a request until a service answers it."""
        while True:
            with contextlib.suppress(*FAILURES):
                found = self.service.request(*arguments, **options, timeout=10)
                if found.status != 503:
                    return found
            time.sleep(0.01)


class Writer(threading.Thread):
    """Commits batches one by one, each until it is acknowledged."""

    def __init__(self, world, number, chance):
        super().__init__(daemon=True)
        self.world, self.number, self.chance = world, number, chance

    def run(self):
        count = 0
        while not self.world.is_over.is_set():
            items = [f"w{self.number}-{count}-{index}"
                     for index in range(self.chance.choice((1, 1, 3, 50)))]
            line = {"op": "insert", "section": "s1", "index": 0, "items": [
                {"key": key, "width": 1, "height": 1} for key in items]}
            target = D + self.chance.choice(
                ("/batches", "/batches?layout=phone&visible=0,0,390,844"))
            # A second application would be a 409, since the keys exist.
            found = self.world.request(
                "POST", target, json.dumps(line),
                {"Content-Type": NDJSON, "Idempotency-Key": f"{self.number}-{count}"})
            if found.status != 200:
                self.world.complain(f"{items[0]}: {found}")
                return
            with self.world.lock:
                revision = found.json["revision"]
                if revision in self.world.committed:
                    self.world.complain(f"revision {revision} is acknowledged twice")
                self.world.committed[revision] = items
                self.world.replays += found.header("idempotency-replayed") == "true"
            count += 1


class Importer(threading.Thread):
    """Runs imports. Unacknowledged ones may be lost, acknowledged ones may not."""

    ROWS = 400

    def __init__(self, world, chance):
        super().__init__(daemon=True)
        self.world, self.chance = world, chance

    def run(self):
        count = 0
        while not self.world.is_over.is_set():
            lines = "".join(json.dumps(
                {"key": f"i{count}-{index}", "width": 1, "height": 2, "section": "imported"})
                + "\n" for index in range(self.ROWS))
            outcome = "unknown"
            try:
                found = self.world.service.request(
                    "POST", f"{D}/import?mode=append", lines, {"Content-Type": NDJSON})
                outcome = "done" if found.status == 200 else "refused"
                if found.status not in (200, 503):
                    self.world.complain(f"import {count}: {found}")
            except FAILURES:
                pass
            self.world.imports[count] = outcome
            count += 1
            self.world.is_over.wait(self.chance.uniform(0.05, 0.3))


class Follower(threading.Thread):
    """Follows a stream, resumed by Last-Event-ID until it reaches the end."""

    def __init__(self, world, start, incarnation, layout):
        super().__init__(daemon=True)
        self.world, self.last, self.start_revision = world, start, start
        self.query = f"?incarnation={incarnation}" + (f"&layout={layout}" if layout else "")
        self.seen, self.whole, self.resumed, self.resets = {}, set(), -1, 0
        self.until = None

    def run(self):
        while not self.is_done():
            try:
                stream = Stream(self.world.service, self.query, f"Last-Event-ID: {self.last}\r\n")
                if stream.status != 200:
                    raise EOFError
                self.resumed += 1
                self.follow(stream)
            except FAILURES:
                time.sleep(0.01)
            except Exception as error:  # noqa: BLE001 - a thread can't raise
                self.world.complain(f"follower: {error!r}")
                return

    def is_done(self):
        return self.until is not None and self.last >= self.until

    def follow(self, stream):
        stream.connection.settimeout(1)
        with contextlib.closing(stream):
            while not self.is_done():
                try:
                    name, number, data = stream.next()
                except TimeoutError:
                    if self.world.service.process.poll() is not None:
                        return
                    continue
                if name not in ("commit", "reset") or number is None or number <= self.last:
                    self.world.complain(f"after {self.last} came {name} {number}")
                    return
                # More revisions than a stream may queue cause a reset.
                self.resets += name == "reset"
                if name == "reset" or data["updates"].get("everything"):
                    # An import, or all revisions up to this one.
                    self.whole.update(range(self.last + 1, number + 1))
                else:
                    self.seen[number] = [one["key"] for one in data["updates"]["items"]
                                         if one["op"] == "insert"]
                self.last = number


def failures(folder):
    """Returns what the services logged about damage and failed requests."""
    with open(os.path.join(folder, "log"), encoding="utf-8", errors="replace") as file:
        return "".join(line for line in file if "damage" in line or "failed" in line)


class KillTests(ServiceCase):
    starts_own = True

    def test_kills_lose_nothing_and_repeat_nothing(self):
        chance, seed = seeded()
        world = World()
        world.service = self.started()
        world.service.make_feed(items=feed(600))
        started = world.service.get(D).json
        followers = [Follower(world, started["revision"], started["incarnation"], layout)
                     for layout in (None, "phone")]
        # Each thread has its own generator, because their order is not deterministic.
        threads = [Writer(world, number, type(chance)(seed + number)) for number in range(3)]
        threads.append(Importer(world, type(chance)(seed + 100)))
        for thread in followers + threads:
            thread.start()
        folder = world.service.folder
        for kills in repeated(6):
            time.sleep(chance.uniform(0.05, 0.9))
            world.service.process.kill()
            world.service.process.wait()
            again = Service(folder=folder)
            self.addCleanup(again.kill)
            world.service = again
            if world.wrong:
                break
        world.is_over.set()
        for thread in threads:
            thread.join(30)
            self.assertFalse(thread.is_alive(), f"seed {seed}: a client is never answered")
        final = world.service.get(D).json
        for follower in followers:
            follower.until = final["revision"]
        for follower in followers:
            follower.join(20)
            self.assertFalse(follower.is_alive(), f"seed {seed}: {follower.last} of {final}")
        print(f"        {kills + 1} kills, {len(world.committed)} batches, {world.replays} replays, "
              f"{len(world.imports)} imports, "
              f"{sum(follower.resets for follower in followers)} resets", flush=True)
        self.assertEqual(world.wrong, [], f"seed {seed}\n{failures(folder)}")
        self.check_content(world, seed)
        for follower in followers:
            self.check_stream(follower, world, final["revision"], seed)
        self.stop_and_verify(world.service)

    def check_content(self, world, seed):
        keys = self.keys("art", world.service)
        self.assertEqual(len(keys), len(set(keys)))
        stored = set(keys)
        acknowledged = {key for items in world.committed.values() for key in items}
        self.assertGreater(len(acknowledged), 0)
        self.assertEqual(acknowledged - stored, set(), f"seed {seed}: lost")
        # A writer sends its next batch only after an acknowledgement, so there are no others.
        self.assertEqual({key for key in stored if key[0] == "w"}, acknowledged, f"seed {seed}")
        for number, outcome in world.imports.items():
            rows = sum(key.startswith(f"i{number}-") for key in stored)
            with self.subTest(seed=seed, number=number):
                allowed = {"done": (Importer.ROWS,), "refused": (0,)}
                self.assertIn(rows, allowed.get(outcome, (0, Importer.ROWS)), outcome)

    def check_stream(self, follower, world, final, seed):
        numbers = set(follower.seen) | follower.whole
        self.assertEqual(
            numbers, set(range(follower.start_revision + 1, final + 1)), f"seed {seed}: a gap")
        self.assertGreater(follower.resumed, 0)
        for revision, items in world.committed.items():
            if revision in follower.seen:
                self.assertEqual(sorted(follower.seen[revision]), sorted(items), f"seed {seed}")
        if follower.resets == 0:
            # Only imports are reported as "everything".
            imported = sum(outcome != "refused" for outcome in world.imports.values())
            self.assertLessEqual(len(follower.whole), imported)
        self.assertGreater(len(set(world.committed) & set(follower.seen)), 0)
