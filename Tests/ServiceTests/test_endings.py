"""Disconnecting clients, signals, and a full disk. Nothing acknowledged is lost."""

import contextlib
import http.client
import json
import os
import random
import resource
import signal
import subprocess
import threading
import time

import service as services
from service import NDJSON, Service, ServiceCase, feed, wait_until

QUERY = "/v1/datasets/art/layouts/phone/elements?rect=0,0,390,844"


def begin_import(service, target, lines, announced=None):
    """Sends an import's head and some of its lines."""
    body = "".join(json.dumps(line) + "\n" for line in lines).encode()
    connection = service.connect()
    connection.sendall((
        f"POST {target} HTTP/1.1\r\nHost: localhost\r\nContent-Type: {NDJSON}\r\n"
        f"Content-Length: {announced or len(body) * 1000}\r\n\r\n").encode() + body)
    return connection


def terminate_during_import(service, name):
    """Waits until an import into `art` is received, and sends the first signal to end."""
    wait_until(lambda: service.get(f"/v1/datasets/art/imports/{name}").status == 200,
               "the import does not begin")
    service.process.send_signal(signal.SIGTERM)
    wait_until(lambda: "The service is stopping" in service.log_text(), "the signal is ignored")
    # The line comes just before the end of accepting.
    time.sleep(0.3)


def verified(test, service):
    """Checks the whole database of a service that has ended."""
    done = subprocess.run(
        [services.binary, "verify", "--database", service.database],
        capture_output=True, text=True, timeout=60)
    test.assertEqual(done.returncode, 0, done.stdout + done.stderr)


class LeavingTests(ServiceCase):
    def waited(self, path, wanted, seconds=5):
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            found = self.service.get(path)
            if wanted(found):
                return found
            time.sleep(0.02)
        self.fail(f"{path} is still {found}")

    def test_an_abandoned_import_stores_nothing(self):
        self.service.make_feed()
        before = self.service.get("/v1/datasets/art").json
        # More than the limit of concurrent imports: each one frees its slot.
        for number in range(10):
            for dataset, mode in (("new", "create"), ("art", "append"), ("art", "replace")):
                name = f"left-{number}-{mode}"
                target = f"/v1/datasets/{dataset}/import?mode={mode}&id={name}"
                lines = [{**line, "key": f"n{line['key']}"} for line in feed(500)]
                connection = begin_import(self.service, target, lines)
                state = f"/v1/datasets/{dataset}/imports/{name}"
                self.waited(state, lambda found: found.status == 200 and found.json["bytes"] > 0)
                connection.close()
                self.waited(state, lambda found: found.json["state"] == "failed")
        self.assertEqual(self.service.get("/v1/datasets/new").status, 404)
        self.assertEqual(self.service.get("/v1/datasets/art").json, before)

    def test_the_outcome_of_a_disconnected_import_can_be_queried(self):
        lines = feed(200)
        body = "".join(json.dumps(line) + "\n" for line in lines)
        connection = begin_import(
            self.service, "/v1/datasets/asked/import?id=asked", lines, len(body.encode()))
        connection.close()
        found = self.waited(
            "/v1/datasets/asked/imports/asked",
            lambda found: found.status == 200 and found.json["state"] in ("done", "failed"))
        there = self.service.get("/v1/datasets/asked")
        self.assertEqual(there.status, 200 if found.json["state"] == "done" else 404)


class SignalTests(ServiceCase):
    def test_sigterm_ends_with_0(self):
        service = self.started()
        service.make_feed()
        idle = service.connect()
        self.addCleanup(idle.close)
        begun = time.monotonic()
        self.assertEqual(service.stop(), 0)
        self.assertLess(time.monotonic() - begun, 5)
        verified(self, service)

    def test_sigterm_does_not_wait_for_an_import_that_stalls(self):
        service = self.started("--set", "timeouts.drain=2")
        service.make_feed()
        connections = [
            begin_import(service, "/v1/datasets/art/import?mode=append", feed(50)),
            begin_import(service, "/v1/datasets/new/import", feed(50))]
        time.sleep(0.3)
        begun = time.monotonic()
        self.assertEqual(service.stop(), 0, service.log_text())
        self.assertLess(time.monotonic() - begun, 8)
        for connection in connections:
            connection.close()
        verified(self, service)

    def test_requests_under_way_are_answered(self):
        service = self.started()
        body = "".join(json.dumps(line) + "\n" for line in feed(2000)).encode()
        connection = service.connect()
        self.addCleanup(connection.close)
        connection.sendall((
            "POST /v1/datasets/art/import?id=held HTTP/1.1\r\nHost: localhost\r\n"
            f"Content-Type: {NDJSON}\r\nContent-Length: {len(body)}\r\n\r\n").encode()
            + body[:1000])
        terminate_during_import(service, "held")
        connection.sendall(body[1000:])
        found = services.read_answer(connection)
        self.assertIsNotNone(found, service.log_text())
        self.assertEqual(found.status, 200, found)
        self.assertEqual(service.process.wait(20), 0)

    def test_sigterm_does_not_wait_for_an_import_that_is_built(self):
        service = self.started("--set", "timeouts.drain=1")
        body = b"".join(b'{"key":"k%d","width":4,"height":3}\n' % number for number in range(300_000))
        target, found = "/v1/datasets/art/import?id=long", []

        def send():
            with contextlib.suppress(OSError, http.client.HTTPException):
                found.append(service.request("POST", target, body, {"Content-Type": NDJSON}))

        sender = threading.Thread(target=send)
        sender.start()
        for _ in range(6000):
            state = service.get("/v1/datasets/art/imports/long")
            if state.status == 200 and state.json["state"] != "receiving":
                break
            time.sleep(0.01)
        service.process.send_signal(signal.SIGTERM)
        self.assertEqual(service.process.wait(30), 0, service.log_text())
        sender.join()
        again = self.started(folder=service.folder)
        # Either built within a second or given up, with no partial result.
        expected = 404 if not found or found[0].status == 503 else 200
        self.assertEqual(again.get("/v1/datasets/art").status, expected)
        verified(self, again)

    def test_a_second_signal_ends_the_service_immediately(self):
        service = self.started()
        connection = begin_import(service, "/v1/datasets/art/import?id=held", feed(50))
        self.addCleanup(connection.close)
        terminate_during_import(service, "held")
        service.process.send_signal(signal.SIGTERM)
        self.assertEqual(service.process.wait(5), 128 + signal.SIGTERM)
        verified(self, service)

    def test_nothing_acknowledged_is_lost_by_sigkill(self):
        seed = int(os.environ.get("LAYOUTCACHE_SEED", time.time_ns() % 1_000_000))
        print(f"        seed {seed}", flush=True)
        chance = random.Random(seed)
        service = self.started()
        service.make_feed()
        for turn in range(3):
            acknowledged, threads = [], []
            for writer in range(4):
                threads.append(threading.Thread(
                    target=self.insert, args=(service, f"t{turn}w{writer}-", acknowledged)))
                threads[-1].start()
            wait_until(lambda: acknowledged, "nothing is acknowledged")
            time.sleep(chance.uniform(0.2, 0.8))
            service.process.kill()
            for thread in threads:
                thread.join(10)
            service.process.wait()
            verified(self, service)
            again = Service(folder=service.folder)
            self.addCleanup(again.kill)
            service = again
            text = service.get("/v1/datasets/art/export").body.decode()
            keys = {json.loads(line)["key"] for line in text.splitlines()}
            self.assertEqual(set(acknowledged) - keys, set(), f"seed {seed}, turn {turn}")
            self.assertEqual(service.get(QUERY).status, 200)

    def test_a_key_of_a_batch_survives_sigkill(self):
        service = self.started()
        service.make_feed()
        line = {"op": "insert", "items": [{"key": "once", "width": 1, "height": 1}],
                "section": "s1"}
        target, headers = "/v1/datasets/art/batches", {"Idempotency-Key": "a"}
        first = service.ndjson(target, [line], headers)
        self.assertEqual(first.status, 200, first)
        service.process.kill()
        service.process.wait()
        again = self.started(folder=service.folder).ndjson(target, [line], headers)
        self.assertEqual(again.status, 200, again)
        self.assertEqual(again.header("idempotency-replayed"), "true")
        self.assertEqual(again.body, first.body)

    @staticmethod
    def insert(service, prefix, acknowledged):
        number = 0
        while True:
            key = f"{prefix}{number}"
            line = {"op": "insert", "items": [{"key": key, "width": 1, "height": 1}],
                    "section": "s1", "index": 0}
            try:
                if service.ndjson("/v1/datasets/art/batches", [line]).status != 200:
                    return
            except (OSError, services.http.client.HTTPException):
                return
            acknowledged.append(key)
            number += 1


class FullDiskTests(ServiceCase):
    """A limit on the size of files simulates a full disk."""

    def setUp(self):
        first = Service()
        self.addCleanup(first.remove)
        first.make_feed()
        self.assertEqual(first.stop(), 0)
        self.folder = first.folder

    def test_a_full_disk_is_a_problem_and_loses_nothing(self):
        size = os.path.getsize(os.path.join(self.folder, "feed.sqlite"))

        def limited():
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
            resource.setrlimit(resource.RLIMIT_FSIZE, (size + (512 << 10),) * 2)

        service = self.started(folder=self.folder, before=limited)
        before = service.get(QUERY)
        self.assertEqual(before.status, 200, before)
        lines = [{**line, "key": f"n{line['key']}"} for line in feed(60_000)]
        found = service.ndjson("/v1/datasets/art/import?mode=append", lines)
        self.assert_problem(found, 500, "storage-error")
        self.assertNotIn(self.folder, found.body.decode())
        self.assertEqual(service.get("/v1/datasets/art").json["items"], 60)
        self.assertEqual(service.get(QUERY).body, before.body)
        acknowledged, refused = [], None
        for number in range(400):
            items = [{"key": f"b{number}-{i}", "width": 1, "height": 1} for i in range(50)]
            found = service.ndjson("/v1/datasets/art/batches", [
                {"op": "insert", "items": items, "section": "s1", "index": 0}])
            if found.status != 200:
                refused = found
                break
            acknowledged += [item["key"] for item in items]
        self.assertIsNotNone(refused, "the disk was never full")
        self.assert_problem(refused, 500, "storage-error")
        self.assertEqual(service.get(QUERY).status, 200)
        self.assertEqual(service.get("/healthz").status, 200)
        service.stop()
        # With free space again, everything is there.
        again = self.started(folder=self.folder)
        text = again.get("/v1/datasets/art/export").body.decode()
        keys = {json.loads(line)["key"] for line in text.splitlines()}
        self.assertEqual(set(acknowledged) - keys, set())
        self.assertEqual(len(keys), 60 + len(acknowledged))
        made = again.ndjson("/v1/datasets/art/import?mode=append", lines[:10])
        self.assertEqual(made.status, 200, made)
        again.stop()
        verified(self, again)
