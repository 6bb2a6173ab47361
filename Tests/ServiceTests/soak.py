#!/usr/bin/env python3
"""Clients of every kind at one service for some time: no answer is an error, and memory,
descriptors, log and file stay within bounds. Prints figures twice a minute, and its seed, which
LAYOUTCACHE_SEED sets.

    python3 Tests/ServiceTests/soak.py --binary .build/debug/layoutcache [--seconds 900]
"""

import argparse
import asyncio
import collections
import contextlib
import json
import os
import socket
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(os.path.dirname(HERE), "PythonSupport")]
import running  # noqa: E402
import service as services  # noqa: E402
from test_load import Client  # noqa: E402
from waiting import seeded  # noqa: E402

MIB = 1 << 20
ART, ITEMS, PAUSE = "/v1/datasets/art", 20_000, 5
# The most that a figure may grow from the first third of the time to the last, and its limit.
# A key of a request stays in the file for a day, so its bytes do not count; 16 MiB of answers do.
KEY_BYTES = 256
BOUNDS = {"memory": (48 * MIB, 512 * MIB), "descriptors": (24, 200),
          "log": (192 * MIB, 256 * MIB), "file": (16 * MIB, 128 * MIB)}


def get(target):
    return f"GET {ART}{target} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode()


class Soak:
    def __init__(self, service, chance, seconds):
        self.service, self.chance, self.end = service, chance, time.monotonic() + seconds
        self.counts, self.wrong, self.samples = collections.Counter(), [], []

    def is_over(self):
        return self.wrong or time.monotonic() > self.end

    async def loop(self, kind):
        """Repeats the work of one client, on connections of some requests each."""
        while not self.is_over():
            client = Client(self.service.port)
            try:
                while not self.is_over() and self.chance.random() > 0.05:
                    await asyncio.wait_for(kind(client), 60)
                    self.counts[kind.__name__] += 1
            except (OSError, TimeoutError, asyncio.IncompleteReadError) as error:
                self.wrong.append(f"{kind.__name__}: {error!r}")
            finally:
                await client.close()

    async def ask(self, client, method, target, lines=(), wanted=(200,), **headers):
        body = "".join(json.dumps(line) + "\n" for line in lines).encode()
        headers = [("Content-Type", services.NDJSON), *services.named(headers).items()]
        found = await client.request(method, target, body, headers)
        self.counts["busy"] += found.status == 503
        if found.status not in (*wanted, 503):
            self.wrong.append(f"{method} {target}: {found}")

    @contextlib.asynccontextmanager
    async def opened(self, data, bytes_max=1 << 16):
        """A connection that has sent bytes and takes few at a time; it ends like a killed client."""
        sock = socket.socket()
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, bytes_max)
        sock.setblocking(False)
        await asyncio.get_running_loop().sock_connect(sock, ("127.0.0.1", self.service.port))
        reader, writer = await asyncio.open_connection(sock=sock, limit=bytes_max)
        try:
            writer.write(data)
            yield reader
        finally:
            writer.transport.abort()

    async def health(self, client):
        await asyncio.wait_for(self.ask(client, "GET", "/healthz"), 10)
        await asyncio.sleep(0.5)

    async def read(self, client):
        y = self.chance.randrange(900_000)
        await self.ask(client, "GET", ART + self.chance.choice((
            f"/layouts/phone/elements?rect=0,{y},390,900",
            f"/layouts/phone/elements?since={self.counts['write']}",
            f"/items/k{y % ITEMS}?layout=phone", "/log?limit=50",
            f"/sections?layout=phone&from={y % 30}")))

    async def write(self, client):
        """Inserts, resizes and deletes, so that the number of items stays."""
        number = self.counts["write"] + self.chance.randrange(1, 1000)
        key = f"w{number % 300}"
        await self.ask(client, "POST", ART + "/batches", [
            {"op": "delete", "keys": [key], "missing": "ignore"},
            {"op": "insert", "section": f"s{number % 30}", "index": 0, "items": [
                {"key": key, "width": 2, "height": 3, "data": {"title": key * 20}}]},
            {"op": "resize", "key": f"k{number % ITEMS}", "width": 3, "height": 2 + number % 9},
        ], Idempotency_Key=f"{number}-{time.monotonic_ns()}")

    async def bring(self, client):
        """Creates a dataset by an import, and deletes an earlier one."""
        target = f"/v1/datasets/import{self.counts['bring'] % 3}"
        await self.ask(client, "DELETE", target, wanted=(204, 404))
        await self.ask(client, "POST", target + "/import", services.feed(3000), (200, 409))

    async def export(self, client):
        await self.ask(client, "GET", ART + "/export?data=true")

    async def widen(self, client):
        width = self.chance.randrange(200, 1000)
        await self.ask(client, "GET", f"{ART}/layouts/any@{width}/elements?rect=0,0,{width},900")
        await asyncio.sleep(0.2)

    async def slow(self, client):
        """Takes 4 KiB a second of an export, which loses its place to others."""
        async with self.opened(get("/export"), 4096) as reader:
            with contextlib.suppress(ConnectionError, TimeoutError):
                async with asyncio.timeout(self.chance.randrange(5, 40)):
                    while await reader.read(4096):
                        await asyncio.sleep(1)

    async def follow(self, client):
        target = self.chance.choice(("?layout=phone", "", "?layout=phone&since=1&wait=5"))
        async with self.opened(get("/events" + target)) as reader:
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(self.chance.randrange(1, 15)):
                    while await reader.read(4096):
                        pass

    async def abort(self, client):
        """Leaves in the middle of a header, a body, an answer or many answers."""
        post = get(self.chance.choice(("/batches", "/import?mode=append"))).replace(b"GET", b"POST")
        async with self.opened(self.chance.choice((
                get("/export")[:20], get("/export"), get("/export") * 8,
                post[:-2] + b"Content-Length: 90000\r\n\r\n" + b'{"op' * 20,
                get("/layouts/phone/elements?rect=0,0,390,90000")))):
            await asyncio.sleep(self.chance.random())

    async def watch(self):
        """Takes a sample of the figures every few seconds."""
        folder = f"/proc/{self.service.process.pid}/fd"
        log, file = (self.service.database + ending for ending in ("-wal", ""))
        while not self.is_over():
            await asyncio.sleep(PAUSE)
            if self.service.process.poll() is not None:
                return self.wrong.append(f"it has ended: {self.service.log_text()[-900:]}")
            self.samples.append({
                "memory": self.service.resident_bytes(), "descriptors": len(os.listdir(folder)),
                "log": os.path.getsize(log),
                "file": os.path.getsize(file) - KEY_BYTES * self.counts["write"]})
            if len(self.samples) * PAUSE % 30 == 0:
                print(self.samples[-1], dict(self.counts), flush=True)

    async def run(self):
        kinds = [self.health, self.widen, self.bring, self.export, self.slow, self.slow]
        kinds += [self.read] * 4 + [self.write] * 2 + [self.follow] * 3 + [self.abort] * 2
        await asyncio.gather(self.watch(), *map(self.loop, kinds))
        self.wrong += [f"no {kind.__name__}" for kind in kinds if not self.counts[kind.__name__]]

    def judge(self):
        """Compares the maxima of the last third with those of the first, and all with the limits."""
        third = max(1, len(self.samples) // 3)
        for name, (growth_max, limit) in BOUNDS.items():
            values = [one[name] for one in self.samples]
            first, last = max(values[:third]), max(values[-third:])
            text = f"{name}: {first} in the first third, {last} in the last, {max(values)} at most"
            print(text, flush=True)
            if last > first + growth_max or max(values) > limit:
                self.wrong.append(text)


def main():
    parser = argparse.ArgumentParser(description="Runs clients of every kind at a service")
    parser.add_argument("--binary", required=True, help="the layoutcache command")
    parser.add_argument("--seconds", type=int, default=900)
    options = parser.parse_args()
    services.binary = running.program(parser, options.binary)
    chance, _ = seeded()
    service = services.Service()
    try:
        service.make_feed(items=services.feed(ITEMS, 30))
        service.request("PUT", ART + "/layouts/any", json.dumps(
            {"container": {"widths": {"step": 8, "keep": 4}}, "section": {"columns": 2}}))
        soak = Soak(service, chance, options.seconds)
        asyncio.run(soak.run())
        soak.judge()
        if service.stop() != 0 or services.command("verify", database=service.database).returncode:
            soak.wrong.append(f"the end is not clean: {service.log_text()[-900:]}")
    finally:
        service.remove()
    sys.exit("\n".join(soak.wrong[:20]) or 0)


if __name__ == "__main__":
    main()
