"""Lost connections, killed services, timeouts, and answers of proxies."""

import os
import random
import socket
import ssl
import subprocess
import threading

import layoutcache
from layoutcache import Item, operations
from fault_proxy import Fault
from service import free_ports
from support import QUICK, ClientCase, feed
from waiting import required, wait_for

ONCE = layoutcache.Retries(attempts=1)


class RetryTests(ClientCase):
    def test_a_batch_whose_answer_is_lost_is_applied_once(self):
        for fault in ("lose", "truncate", "drop", "busy", "unknown", "html"):
            with self.subTest(fault=fault):
                name = self.make_feed()
                revision = self.client.dataset(name).revision + 1
                proxy, client = self.proxied([fault, fault])
                commit = client.apply(name, operations.insert([Item("new", 1, 1)], after="k1"))
                self.assertEqual(commit.revision, revision)
                self.assertEqual(commit.replayed, fault in ("lose", "truncate"))
                self.assertEqual([u.op for u in commit.updates.items], ["insert"])
                self.assertEqual(self.client.dataset(name).revision, revision)
                keys = {headers["idempotency-key"] for _, _, headers in proxy.requests}
                self.assertEqual((len(keys), len(proxy.requests)), (1, 3))

    def test_a_repeated_batch_is_recognised_before_its_conditions(self):
        name = self.make_feed()
        revision = self.client.dataset(name).revision
        for condition in ({"expect": revision}, {}):
            _, client = self.proxied(["lose"])
            batch = [
                operations.mark("orders", "1" if condition else "2", after=None if condition else "1"),
                operations.resize("k1", 1, 8 if condition else 9)]
            commit = client.apply(name, batch, **condition)
            self.assertTrue(commit.replayed or commit.repeated)
        self.assertEqual(self.client.dataset(name).revision, revision + 2)

    def test_an_undo_whose_answer_is_lost_is_applied_once(self):
        name = self.make_feed()
        self.client.apply(name, operations.delete(["k1"]))
        _, client = self.proxied(["lose"])
        self.assertEqual(client.undo(name).revision, 3)
        self.assertEqual(self.client.item(name, "k1").key, "k1")

    def test_queries_and_settings_are_sent_again(self):
        name = self.make_feed()
        expected = self.client.elements(name, "phone", (0, 0, 390, 844))
        for fault in ("lose", "truncate", "drop", "busy", "unknown", "html"):
            with self.subTest(fault=fault):
                proxy, client = self.proxied([fault, None, fault, None, fault])
                self.assertEqual(client.elements(name, "phone", (0, 0, 390, 844)), expected)
                client.create_dataset("again")
                client.prepare(name, "phone")
                self.assertEqual(len(proxy.requests), 6)

    def test_a_repeated_layout_does_not_undo_that_of_another_client(self):
        def configuration(columns):
            return {"container": {"width": 390}, "section": {"columns": columns}}

        def columns(layout):
            return self.client.layout(name, layout).configuration["section"]["columns"]
        name = self.make_feed()
        for layout in ("phone", "new"):
            with self.subTest(layout=layout):
                # The answer to the first `PUT` is lost, and the request is repeated.
                _, client = self.proxied([None, "lose"])
                client.set_layout(name, layout, configuration(3))
                self.assertEqual(columns(layout), 3)
                if layout == "new":
                    self.client.delete_layout(name, layout)
                _, client = self.proxied([None, lambda: self.client.set_layout(
                    name, layout, configuration(5))])
                with self.assertRaises(layoutcache.RevisionMismatchError) as raised:
                    client.set_layout(name, layout, configuration(4))
                self.assertTrue(raised.exception.outcome_unknown)
                self.assertEqual(columns(layout), 5)
        # A change of another client before the request is no conflict, unless one is expected.
        before = self.client.layout(name, "phone")
        proxy, client = self.proxied()
        self.assertNotEqual(client.set_layout(name, "phone", configuration(6)).etag, before.etag)
        with self.assertRaises(layoutcache.RevisionMismatchError) as raised:
            client.set_layout(name, "phone", configuration(7), expect=before.etag)
        self.assertFalse(raised.exception.outcome_unknown)
        self.assertEqual(raised.exception.etag, self.client.layout(name, "phone").etag)
        self.assertEqual(columns("phone"), 6)

    def test_a_deletion_is_not_sent_again_unless_it_was_certainly_not_applied(self):
        self.client.create_dataset("deleted")
        _, client = self.proxied(["busy", "lose"])
        with self.assertRaises(layoutcache.ConnectionFailedError) as raised:
            client.delete_dataset("deleted")
        self.assertTrue(raised.exception.outcome_unknown)
        self.assertIn("the outcome is unknown", str(raised.exception))
        with self.assertRaises(layoutcache.NotFoundError):
            self.client.dataset("deleted")
        for fault in ("unknown", "html"):
            proxy, client = self.proxied([fault])
            with self.assertRaises(layoutcache.ProblemError):
                client.delete_dataset("deleted")
            self.assertEqual(len(proxy.requests), 1)

    def test_after_the_last_attempt_the_failure_is_raised_with_the_key(self):
        name = self.make_feed()
        batch = operations.insert([Item("new", 1, 1)], after="k1")
        proxy, client = self.proxied(["lose"] * 3, retries=layoutcache.Retries(3, 0.01))
        with self.assertRaises(layoutcache.ConnectionFailedError) as raised:
            client.apply(name, batch)
        error = raised.exception
        self.assertEqual(len(proxy.requests), 3)
        self.assertTrue(error.outcome_unknown)
        self.assertIn("3 attempts", str(error))
        commit = client.apply(name, batch, idempotency_key=error.idempotency_key)
        self.assertEqual((commit.replayed, commit.revision), (True, 2))

    def test_a_problem_after_a_lost_answer_has_an_unknown_outcome_and_the_key(self):
        name = self.make_feed()
        revision = self.client.dataset(name).revision
        batch = operations.insert([Item("new", 1, 1)], after="k1")
        for faults, is_unknown in (
                (["busy"] * 3, False), (["lose", "busy", "busy"], True),
                (["busy", "unknown", "busy"], True), (["html"] * 3, True)):
            _, client = self.proxied(faults, retries=layoutcache.Retries(3, 0.01))
            with self.assertRaises(layoutcache.ProblemError) as raised:
                client.apply(name, batch, idempotency_key=f"{name} {revision}")
            self.assertEqual(raised.exception.outcome_unknown, is_unknown, faults)
            self.assertEqual(raised.exception.idempotency_key, f"{name} {revision}")
        # Rejected, so not applied.
        with self.assertRaises(layoutcache.ConflictError) as raised:
            client.apply(name, operations.delete(["none"]))
        self.assertFalse(raised.exception.outcome_unknown)
        self.assertEqual(self.client.dataset(name).revision, revision + 1)

    def test_problems_of_the_request_are_not_sent_again(self):
        name = self.make_feed()
        proxy, client = self.proxied()
        for call in (
                lambda: client.apply(name, operations.delete(["none"])),
                lambda: client.apply(name, operations.delete(["k1"]), expect=7),
                lambda: client.dataset("none"),
                lambda: client.elements(name, "phone", (0, 0, 1, 1), limit=0)):
            before = len(proxy.requests)
            with self.assertRaises(layoutcache.ProblemError):
                call()
            self.assertEqual(len(proxy.requests), before + 1)

    def test_an_answer_of_a_proxy_is_not_taken_for_the_services(self):
        _, client = self.proxied(["html"], retries=ONCE)
        with self.assertRaises(layoutcache.ProblemError) as raised:
            client.dataset("any")
        self.assertEqual((raised.exception.status, raised.exception.kind), (502, ""))
        self.assertIn("502 Bad Gateway", str(raised.exception))

    def test_a_slow_answer_is_a_timeout(self):
        name = self.make_feed()
        proxy, client = self.proxied(["late"], retries=ONCE, timeout=0.3)
        with self.assertRaises(layoutcache.TimedOutError) as raised:
            client.dataset(name)
        self.assertIsInstance(raised.exception, TimeoutError)
        self.assertFalse(raised.exception.outcome_unknown)
        proxy, client = self.proxied([Fault(late=8)], timeout=2)
        commit = client.apply(name, operations.insert([Item("new", 1, 1)], after="k1"))
        # The first answer has not been waited for: the second request was sent before it.
        self.assertEqual((commit.revision, len(proxy.requests)), (2, 2))

    def test_a_service_that_never_answers_is_a_timeout(self):
        with socket.create_server(("127.0.0.1", 0)) as silent:
            client = layoutcache.Client(
                f"http://127.0.0.1:{silent.getsockname()[1]}", timeout=0.2, retries=ONCE)
            with self.assertRaises(layoutcache.TimedOutError):
                client.dataset("any")
            self.assertFalse(client.is_ready())
            with self.assertRaises(TimeoutError):
                client.wait_until_ready(0.3)

    def test_a_service_that_is_not_there(self):
        client = layoutcache.Client(f"http://127.0.0.1:{free_ports(1)[0]}", retries=QUICK)
        with self.assertRaises(layoutcache.ConnectionFailedError) as raised:
            client.delete_dataset("any")
        self.assertFalse(raised.exception.outcome_unknown)
        self.assertIn("cannot be reached (6 attempts)", str(raised.exception))
        with self.assertRaises(ConnectionError):
            client.import_items("any", feed(1))

    def test_an_answer_that_is_not_http(self):
        with socket.create_server(("127.0.0.1", 0)) as listener:
            def talk():
                sock, _ = listener.accept()
                with sock:
                    sock.recv(65536)
                    sock.sendall(b"SSH-2.0-OpenSSH_9.2\r\n")
            threading.Thread(target=talk, daemon=True).start()
            client = layoutcache.Client(
                f"http://127.0.0.1:{listener.getsockname()[1]}", retries=ONCE)
            with self.assertRaises(layoutcache.ConnectionFailedError):
                client.dataset("any")

    def test_a_body_that_the_service_rejects_unread_is_a_problem(self):
        name = self.make_feed()
        with layoutcache.serve(settings=["limits.batchBytesMax=10000"]) as service:
            client = service.client(retries=ONCE)
            client.create_dataset(name)
            batch = operations.upsert([Item(f"k{n}", 1, 1) for n in range(300_000)], "s")
            with self.assertRaises(layoutcache.ProblemError) as raised:
                client.apply(name, batch)
            self.assertEqual(raised.exception.kind, "content-too-large")

    def test_idle_connections_are_reused_and_closed_ones_are_not(self):
        name = self.make_feed()
        proxy, client = self.proxied()
        for _ in range(3):
            client.dataset(name)
        self.assertEqual((len(proxy.open), proxy.accepted), (1, 1))
        proxy.cut()
        wait_for(lambda: not proxy.open, "the connections end")
        # Not repeatable: fails if the closed connection is used.
        client.rename_dataset(name, "other")
        self.client.delete_dataset("other")

    def test_a_forked_process_has_its_own_connections(self):
        name = self.make_feed()
        proxy, client = self.proxied()
        expected = client.dataset(name)
        child = os.fork()
        if child == 0:
            found = [client.dataset(name) for _ in range(20)]
            os._exit(0 if found == [expected] * 20 else 1)
        found = [client.dataset(name) for _ in range(20)]
        self.assertEqual(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), 0)
        self.assertEqual((found, proxy.accepted), ([expected] * 20, 2))

    def test_delays_grow_vary_and_have_a_limit(self):
        retries = layoutcache.Retries(delay=0.1, delay_max=2)
        for failures in (1, 2, 3, 10, 10_000):
            expected = min(0.1 * 2.0 ** min(failures - 1, 30), 2)
            for _ in range(50):
                self.assertLessEqual(expected / 2, retries.seconds(failures))
                self.assertLessEqual(retries.seconds(failures), expected)
        self.assertEqual(retries.seconds(1, retry_after=1.5), 1.5)
        self.assertEqual(retries.seconds(1, retry_after=9), 2)


class HostileAnswerTests(ClientCase):
    """Answers that no service sends end in this package's exceptions, and never in a hang."""

    def answering(self, answers):
        """Returns a client of a server that sends these bytes, one for each connection."""
        listener = socket.create_server(("127.0.0.1", 0))
        self.addCleanup(listener.close)

        def talk():
            for answer in answers:
                try:
                    sock, _ = listener.accept()
                except OSError:
                    return
                with sock:
                    try:
                        sock.recv(65536)
                        sock.sendall(answer)
                    except OSError:
                        pass
        threading.Thread(target=talk, daemon=True).start()
        client = layoutcache.Client(
            f"http://127.0.0.1:{listener.getsockname()[1]}", retries=ONCE, timeout=2)
        self.addCleanup(client.close)
        return client

    def test_damaged_answers(self):
        name = self.make_feed()
        calls = [
            lambda client: client.dataset(name),
            lambda client: list(client.datasets()),
            lambda client: client.elements(name, "phone", (0, 0, 390, 844)),
            lambda client: list(client.sections(name, "phone")),
            lambda client: client.apply(name, operations.resize("k1", 1, 9), idempotency_key="a"),
            lambda client: list(client.export_items(name)),
            lambda client: list(client.log(name)),
            lambda client: client.import_items(name, feed(1), mode="replace", outcome_timeout=0),
            lambda client: next(client.events(name, since=0, reconnect_timeout=0)),
        ]
        seed = int(os.environ.get("LAYOUTCACHE_SEED", "1").partition(",")[0])
        print(f"        seed {seed}", flush=True)
        choose = random.Random(seed)
        rejected = 0
        for call in calls:
            proxy, client = self.proxied()
            proxy.record = []
            call(client)
            answer = wait_for(lambda: proxy.record, "an answer")[0]
            for _ in range(40):
                damaged = bytearray(answer)
                for _ in range(choose.randint(1, 4)):
                    at = choose.randrange(len(damaged))
                    kind = choose.choice("flip cut swap digit".split())
                    if kind == "cut":
                        del damaged[at:]
                        damaged = damaged or bytearray(b"H")
                    elif kind == "flip":
                        damaged[at] ^= 1 << choose.randrange(8)
                    elif kind == "swap":
                        damaged[at:at + 8] = choose.choice([b"", b"null", b"[]", b"{}", b"\r\n"])
                    else:
                        damaged[at] = choose.choice(b"0123456789-e{}[]\"")
                    damaged = damaged or bytearray(b"H")
                # No damage, or only to a value, is fine.
                client = self.answering([bytes(damaged)] * 2)
                # A hang ends with the time of the test.
                try:
                    call(client)
                except layoutcache.LayoutCacheError:
                    rejected += 1
                except StopIteration:
                    pass
        self.assertGreater(rejected, 100)

    def test_an_answer_of_another_server(self):
        def answer(body, status="200 OK", headers=""):
            return (f"HTTP/1.1 {status}\r\nContent-Length: {len(body)}\r\n{headers}\r\n"
                    f"{body}").encode()
        cases = [
            (layoutcache.InvalidAnswerError, answer("<html>Welcome</html>"), "<html>Welcome"),
            (layoutcache.InvalidAnswerError, answer("{}"), "KeyError"),
            (layoutcache.InvalidAnswerError, answer("[1]"), "not a LayoutCache service's"),
            (layoutcache.ProblemError, answer(
                "", "301 Moved Permanently", "Location: https://elsewhere/\r\n"),
             "301 Moved Permanently to https://elsewhere/"),
            (layoutcache.ProblemError, answer(
                "[]", "500 Oh", "Content-Type: application/problem+json\r\n"), "500 Oh"),
            (layoutcache.ProblemError, answer(
                '{"status":"x","type":3}', "500 Oh",
                "Content-Type: application/problem+json\r\n"), "500"),
            (layoutcache.ConnectionFailedError, b"", "ended"),
            (layoutcache.ConnectionFailedError, b"HTTP/1.1 200 OK\r\n" + b"A: b\r\n" * 200, ""),
        ]
        for kind, bytes_sent, text in cases:
            with self.subTest(answer=bytes_sent[:60]):
                with self.assertRaises(kind) as raised:
                    self.answering([bytes_sent]).dataset("any")
                self.assertIn(text, str(raised.exception))
                # `KeyError` and others are no part of the interface.
                self.assertIsInstance(raised.exception, layoutcache.LayoutCacheError)


class TLSTests(ClientCase):
    def test_a_service_behind_tls_is_verified(self):
        required("openssl", "no openssl")
        folder = self.new_folder()
        subprocess.run(
            ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2",
             "-subj", "/CN=test", "-addext", "subjectAltName=IP:127.0.0.1",
             "-keyout", f"{folder}/key", "-out", f"{folder}/certificate"],
            check=True, capture_output=True)
        name = self.make_feed()
        proxy, _ = self.proxied([None, "lose"])
        proxy.tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        proxy.tls.load_cert_chain(f"{folder}/certificate", f"{folder}/key")
        url = proxy.url.replace("http:", "https:")
        trusted = ssl.create_default_context(cafile=f"{folder}/certificate")
        with layoutcache.Client(url, ssl_context=trusted, retries=QUICK) as client:
            self.assertEqual(client.dataset(name).items, 60)
            self.assertEqual(client.apply(name, operations.delete(["k1"])).replayed, True)
            with client.events(name, since=1) as events:
                self.assertEqual(next(events).revision, 2)
        with layoutcache.Client(url) as client:
            begun = proxy.accepted
            with self.assertRaises(layoutcache.ConnectionFailedError) as raised:
                client.apply(name, operations.delete(["k2"]))
            self.assertIn("certificate verify failed", str(raised.exception))
            self.assertFalse(raised.exception.outcome_unknown)
            self.assertEqual(proxy.accepted, begun + 1)


class KilledServiceTests(ClientCase):
    def test_a_service_killed_before_its_answer_arrives_applies_the_batch_once(self):
        for _ in range(3):
            folder = self.new_folder()
            port = free_ports(1)[0]
            running = [layoutcache.serve(f"{folder}/feed.sqlite", port=port)]
            self.addCleanup(lambda services: [one.kill() for one in services], running)
            running[0].client().import_items("art", feed(10))

            def restart():
                running[-1].kill()
                running.append(layoutcache.serve(f"{folder}/feed.sqlite", port=port))

            _, client = self.proxied([restart], url=f"http://127.0.0.1:{port}")
            commit = client.apply("art", operations.insert([Item("new", 1, 1)], after="k1"))
            self.assertEqual((commit.revision, commit.replayed), (2, True))
            self.assertEqual(client.dataset("art").items, 11)
            self.assertEqual(len(running), 2)

    def test_a_batch_waits_for_a_service_that_restarts(self):
        folder = self.new_folder()
        port = free_ports(1)[0]
        with layoutcache.serve(f"{folder}/feed.sqlite", port=port) as service:
            client = service.client(retries=layoutcache.Retries(attempts=50, delay_max=0.2))
            client.import_items("art", feed(10))
        # Longer than the first delays.
        restarted = []
        timer = threading.Timer(0.5, lambda: restarted.append(
            layoutcache.serve(f"{folder}/feed.sqlite", port=port)))
        timer.start()
        commit = client.apply("art", operations.delete(["k1"]))
        timer.join()
        self.addCleanup(restarted[0].kill)
        self.assertEqual((commit.revision, commit.replayed), (2, False))


class StreamFaultTests(ClientCase):
    def test_an_import_whose_answer_is_lost_returns_its_outcome(self):
        for fault in ("lose", "truncate", "gateway"):
            with self.subTest(fault=fault):
                name = f"imported-{fault}"
                proxy, client = self.proxied([fault])
                outcome = client.import_items(name, feed(200))
                self.assertEqual((outcome.imported, outcome.revision), (200, 1))
                self.assertEqual([method for method, _, _ in proxy.requests], ["POST", "GET"])
                self.assertEqual(self.client.dataset(name).revision, 1)

    def test_an_import_that_the_service_does_not_know_has_an_unknown_outcome(self):
        for fault in ("drop", "html", "unknown"):
            _, client = self.proxied([fault])
            with self.assertRaises(layoutcache.ConnectionFailedError) as raised:
                client.import_items("unknown", feed(10))
            self.assertTrue(raised.exception.outcome_unknown)
            self.assertIn("does not know", str(raised.exception))

    def test_an_import_that_is_rejected_is_sent_again_whole(self):
        calls = {
            "again-items": lambda client: client.import_items("again-items", iter(feed(200))),
            "again-bytes": lambda client: client.import_file(
                "again-bytes", b'{"key":"k","width":1,"height":1}\n')}
        for name, call in calls.items():
            proxy, client = self.proxied(["busy", "busy"])
            self.assertEqual(call(client).imported, 200 if name == "again-items" else 1)
            self.assertEqual(len(proxy.requests), 3)
        # Beyond the part that is kept, a body cannot be sent again.
        _, client = self.proxied(["busy"])
        long = (Item(f"k{n}", 1, 1, data={"text": "x" * 1000}) for n in range(6000))
        with self.assertRaises(layoutcache.ProblemError) as raised:
            client.import_items("again-long", long)
        self.assertEqual((raised.exception.kind, raised.exception.outcome_unknown), ("busy", False))

    def test_an_import_stops_at_an_answer_before_its_end(self):
        def endless():
            while True:
                yield Item("k", 1, 1, data={"text": "x" * 4000})
        client = self.service.client(retries=ONCE)
        with self.assertRaises(layoutcache.ProblemError) as raised:
            client.import_items("early", endless(), mode="append")
        self.assertEqual(raised.exception.status, 404)

    def test_an_import_has_its_own_connection(self):
        proxy, client = self.proxied()
        client.create_dataset("before")
        client.import_items("own", feed(10))
        self.assertEqual(proxy.accepted, 2)

    def test_a_rejected_import_whose_answer_is_lost_raises_the_problem(self):
        _, client = self.proxied(["lose"])
        with self.assertRaises(layoutcache.ProblemError) as raised:
            client.import_items("rejected", [Item("a", 0, 1)])
        self.assertEqual((raised.exception.kind, raised.exception.line), ("invalid-row", 1))

    def test_a_truncated_export_is_a_failure_not_an_end(self):
        name = self.make_feed(3000)
        _, client = self.proxied(["truncate"])
        items = []
        with self.assertRaises(layoutcache.ConnectionFailedError):
            for item in client.export_items(name):
                items.append(item)
        self.assertTrue(0 < len(items) < 3000)
        self.assertEqual(len(list(client.export_items(name))), 3000)

    def test_an_export_starts_again_before_its_first_byte(self):
        name = self.make_feed(30)
        proxy, client = self.proxied(["drop", "busy", "html"])
        self.assertEqual(len(list(client.export_items(name))), 30)
        self.assertEqual(len(proxy.requests), 4)
        _, client = self.proxied(["busy", "drop"], retries=layoutcache.Retries(2, 0.01))
        with self.assertRaises(layoutcache.ConnectionFailedError):
            list(client.export_items(name))
        with self.assertRaises(layoutcache.NotFoundError):
            list(client.export_items("none"))
