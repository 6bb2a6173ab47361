"""Disconnecting clients and signals. Nothing acknowledged is lost."""

import contextlib
import http.client
import json
import signal
import threading

from events import Stream
from service import NDJSON, ServiceCase, feed
from sockets import read_answer
from waiting import wait_for


def begin_import(service, target, lines):
    """Sends an import's head and some of its lines."""
    body = "".join(json.dumps(line) + "\n" for line in lines).encode()
    connection = service.connect()
    connection.sendall((
        f"POST {target} HTTP/1.1\r\nHost: localhost\r\nContent-Type: {NDJSON}\r\n"
        f"Content-Length: {len(body) * 1000}\r\n\r\n").encode() + body)
    return connection


def is_closed(service):
    try:
        service.connect(1).close()
    except OSError:
        return True
    return False


def terminate_during_import(service, name):
    """Waits until an import into `art` is received, and sends the first signal to end."""
    wait_for(lambda: service.get(f"/v1/datasets/art/imports/{name}").status == 200,
               "the import does not begin")
    service.process.send_signal(signal.SIGTERM)
    wait_for(lambda: "The service is stopping" in service.log_text(), "the signal is ignored")
    wait_for(lambda: is_closed(service), "the service accepts no further connections")


class SignalTests(ServiceCase):

    def test_sigterm_waits_for_no_connection_stream_or_stalled_import(self):
        service = self.started("--set", "timeouts.drain=2")
        service.make_feed()
        connections = [
            begin_import(service, "/v1/datasets/art/import?mode=append", feed(50)),
            begin_import(service, "/v1/datasets/new/import", feed(50))]
        idle = service.connect()
        streams = [Stream(service) for _ in range(100)]
        for field in ("content-type: text/event-stream", "cache-control: no-cache, no-transform",
                      "x-accel-buffering: no"):
            self.assertIn(field, streams[0].head)
        wait_for(lambda: service.metric("imports_running") == 2, "the imports begin")
        self.assertEqual(service.stop(8), 0, service.log_text())
        with self.assertRaises(EOFError):
            streams[0].next()
        for connection in [idle, *connections, *streams]:
            connection.close()
        self.verify(service)

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
        found = read_answer(connection)
        self.assertIsNotNone(found, service.log_text())
        self.assertEqual(found.status, 200, found)
        self.assertEqual(service.process.wait(20), 0)

    def test_sigterm_does_not_wait_for_an_import_that_is_built(self):
        service = self.started("--set", "timeouts.drain=1")
        body = b"".join(b'{"key":"k%d","width":4,"height":3}\n' % number for number in range(100_000))
        target, found = "/v1/datasets/art/import?id=long", []

        def send():
            with contextlib.suppress(OSError, http.client.HTTPException):
                found.append(service.request("POST", target, body, {"Content-Type": NDJSON}))

        sender = threading.Thread(target=send)
        sender.start()
        wait_for(lambda: service.get("/v1/datasets/art/imports/long").status == 200
                   and service.get("/v1/datasets/art/imports/long").json["state"] != "receiving",
                   "the import is never received", 60)
        service.process.send_signal(signal.SIGTERM)
        self.assertEqual(service.process.wait(30), 0, service.log_text())
        sender.join()
        again = self.started(folder=service.folder)
        # Either already built or given up, with no partial result.
        expected = 404 if not found or found[0].status == 503 else 200
        self.assertEqual(again.get("/v1/datasets/art").status, expected)
        self.verify(again)

    def test_a_second_signal_ends_the_service_immediately(self):
        service = self.started()
        connection = begin_import(service, "/v1/datasets/art/import?id=held", feed(50))
        self.addCleanup(connection.close)
        terminate_during_import(service, "held")
        service.process.send_signal(signal.SIGTERM)
        self.assertEqual(service.process.wait(5), 128 + signal.SIGTERM)
        self.verify(service)

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
