"""Nodes of a cluster over a separate PostgreSQL: all nodes see each write, and reads continue
while the log is unavailable."""

import json
import os
import shutil
import tempfile
import unittest

import postgres
import service
from test_documents import PageCase
from events import Stream
from service import Service, command, feed
from waiting import wait_for

D = "/v1/datasets/art"
ELEMENTS = D + "/layouts/phone/elements?rect=0,0,390,844"


class ClusterCase(unittest.TestCase):
    """Tests that share a server and two nodes, `a` and `b`."""

    @classmethod
    def setUpClass(cls):
        postgres.require()
        cls.server = postgres.Postgres()
        cls.addClassCleanup(cls.server.remove)
        cls.log = cls.server.url()
        made = command("cluster", "init", log=cls.log)
        assert made.returncode == 0, made
        cls.a, cls.b = cls.node("a"), cls.node("b")

    @classmethod
    def node(cls, name, *arguments, **options):
        """Starts a separate node; it polls often, so that the tests wait little."""
        found = Service(
            ["--log", cls.log, "--set", f"cluster.node={name}", "--set",
             "cluster.pollInterval=0.05", "--set", "cluster.timeout=2", *arguments], **options)
        cls.addClassCleanup(found.remove)
        return found

    def setUp(self):
        # Each test creates its own dataset under the common name.
        self.a.request("DELETE", D)
        made = self.a.request("PUT", D)
        self.assertEqual(made.status, 201, made)
        lines = [{"op": "insertSection", "key": "s"},
                 {"op": "insert", "section": "s", "items": [
                     {"key": one["key"], "width": one["width"], "height": one["height"]}
                     for one in feed(60)]}]
        found = self.a.ndjson(D + "/batches", lines)
        self.assertEqual(found.status, 200, found)
        configuration = {"container": {"width": 390, "height": 844}, "section": {"columns": 3}}
        found = self.a.request("PUT", D + "/layouts/phone", json.dumps(configuration))
        self.assertEqual(found.status, 201, found)
        self.token = found.header("layoutcache-position")
        self.assertTrue(self.token, found)

    def resize(self, node, height, key="k1", **headers):
        return node.ndjson(
            D + "/batches", [{"op": "resize", "key": key, "width": 1, "height": height}],
            service.named(headers))

    def same(self, token, *nodes):
        """Checks that all nodes return the same answer at a position, and returns it."""
        answers = [node.get(ELEMENTS, Min_Revision=token) for node in nodes or (self.a, self.b)]
        for found in answers:
            self.assertEqual(found.status, 200, found)
            self.assertEqual(found.body, answers[0].body)
            self.assertEqual(found.header("etag"), answers[0].header("etag"))
        return answers[0]

    def assert_problem(self, found, status, kind):
        self.assertEqual(found.status, status, found)
        self.assertEqual(found.json["type"], f"/problems#{kind}", found)
        if status == 503:
            self.assertEqual(found.header("retry-after"), "1", found)


class NodeTests(ClusterCase):
    def test_a_write_on_one_node_is_read_on_the_other(self):
        self.same(self.token)
        token = self.token
        for height in range(2, 12):
            writer = (self.a, self.b)[height % 2]
            written = self.resize(writer, height)
            self.assertEqual(written.status, 200, written)
            token = written.header("layoutcache-position")
            found = self.same(token)
            self.assertEqual(
                found.header("layoutcache-revision"), written.header("layoutcache-revision"))
        for node in (self.a, self.b):
            by_revision = node.get(D, Min_Revision=str(written.json["revision"]))
            self.assertEqual(by_revision.status, 200, by_revision)
            self.assert_problem(node.get(D, Min_Revision="1000000"), 503, "replica-behind")
        self.assert_problem(self.a.get(D, Min_Revision="soon"), 400, "bad-request")
        parts = token.split(".")
        self.assert_problem(
            self.a.get(D, Min_Revision=".".join(parts[:3] + ["1"])), 409, "conflict")

    def test_a_view_of_one_node_is_known_to_the_other_at_once(self):
        for number, (writer, reader) in enumerate([(self.a, self.b), (self.b, self.a)]):
            made = writer.request("PUT", f"{D}/views/v{number}", '{"where": "key IN [k1, k2]"}')
            self.assertEqual(made.status, 201, made)
            found = reader.get(f"{ELEMENTS}&view=v{number}")
            self.assertEqual(found.status, 200, found)
            self.assertEqual({one.get("key") for one in found.json["elements"]}, {"k1", "k2"})
            self.assertEqual(reader.get(f"{D}/views/v{number}").json["where"], "key IN [k1, k2]")
        self.assert_problem(self.a.get(f"{ELEMENTS}&view=none"), 404, "not-found")

    def test_the_age_is_stated_and_bounded(self):
        for bound in ("0", "0.05", "1", "60"):
            found = self.b.get(ELEMENTS, Max_Staleness=bound)
            if found.status == 503 and bound in ("0", "0.05"):
                # The log took longer to answer than the state may be old.
                self.assert_problem(found, 503, "replica-behind")
                if bound == "0":
                    continue
                wait_for(lambda: self.b.get(ELEMENTS, Max_Staleness=bound).status == 200,
                         "as new as 50 ms", 15)
                found = self.b.get(ELEMENTS, Max_Staleness="60")
            self.assertEqual(found.status, 200, found)
            self.assertRegex(found.header("layoutcache-age"), r"^\d+\.\d{3}$")
        self.assert_problem(self.b.get(ELEMENTS, Max_Staleness="old"), 400, "bad-request")

    def test_the_other_node_streams_commits(self):
        # Until the other node has noticed that the dataset was created again, it streams the
        # end of the previous one.
        incarnation = self.a.get(D).json["incarnation"]
        wait_for(lambda: self.b.get(D).json.get("incarnation") == incarnation,
                   "the node has the previous dataset", 10)
        stream = Stream(self.b, "?since=2&layout=phone")
        self.addCleanup(stream.close)
        self.assertEqual(stream.status, 200)
        revisions = []
        for height in (5, 6, 7):
            revisions.append(self.resize(self.a, height).json["revision"])
            name, number, data = stream.next()
            self.assertEqual((name, number), ("commit", revisions[-1]))
            self.assertEqual(data["updates"]["items"][0]["key"], "k1")
        # A client can resume at any other node.
        again = Stream(self.a, "", f"Last-Event-ID: {revisions[0]}.{incarnation}\r\n")
        self.addCleanup(again.close)
        self.assertEqual([again.next()[1], again.next()[1]], revisions[1:])

    def test_an_expected_revision_is_checked_against_the_log(self):
        token, revision = self.token, self.a.get(D).json["revision"]
        done = self.resize(self.b, 4, If_Match=f'"{revision}"', Min_Revision=token)
        self.assertEqual(done.status, 200, done)
        refused = self.resize(self.a, 5, If_Match=f'"{revision}"')
        self.assert_problem(refused, 412, "revision-mismatch")
        self.assertEqual(refused.json["revision"], revision + 1)

    def test_datasets_missing_on_a_node_are_listed(self):
        self.a.request("PUT", "/v1/datasets/elsewhere")
        rows = {one["dataset"]: one for one in self.b.get("/v1/datasets").json["datasets"]}
        self.assertEqual(rows["elsewhere"], {"dataset": "elsewhere"})
        self.assertEqual(self.b.get("/v1/datasets/elsewhere").status, 200)
        rows = {one["dataset"]: one for one in self.b.get("/v1/datasets").json["datasets"]}
        self.assertIn("items", rows["elsewhere"])
        page = self.b.get("/v1/datasets?limit=1").json
        self.assertEqual([one["dataset"] for one in page["datasets"]], ["art"])
        self.assertEqual(page["next"], "art")

    def test_an_empty_disk_is_filled_from_the_log(self):
        node = self.node("c")
        whole = self.same(self.token, self.a, node)
        self.assertEqual(node.stop(), 0)
        for ending in ("", "-wal", "-shm"):
            if os.path.exists(node.database + ending):
                os.remove(node.database + ending)
        node = self.node("c", folder=node.folder)
        self.assertEqual(self.same(self.token, node).body, whole.body)

    def test_a_checkpoint_replaces_the_log(self):
        for height in range(2, 30):
            token = self.resize(self.a, height).header("layoutcache-position")
        self.same(token)
        made = command("cluster", "checkpoint", "--dataset", "art", "--json", log=self.log)
        self.assertEqual(made.returncode, 0, made)
        self.assertTrue(json.loads(made.stdout)["checkpoints"][0]["made"], made)
        again = command("cluster", "checkpoint", "--dataset", "art", log=self.log)
        self.assertEqual(again.stdout, "art: already has a checkpoint\n")
        self.same(token, self.a, self.node("d"))

    def test_operators_see_the_cluster_state(self):
        self.a.get(D)
        said = self.a.get("/readyz").json["cluster"]
        self.assertEqual(
            {name: said[name] for name in ("role", "node", "log", "replication", "quarantined")},
            {"role": "node", "node": "a", "log": "reachable", "replication": "reduced",
             "quarantined": []})
        self.assertIn("layoutcache_cluster_log_reachable 1", self.a.get("/metrics").body.decode())
        status = json.loads(command("cluster", "status", "--json", log=self.log).stdout)
        self.assertEqual(status["incarnation"], said["incarnation"])
        self.assertLessEqual({"a", "b"}, {one["node"] for one in status["nodes"]})


class OutageTests(ClusterCase):
    def written_again(self, node, height):
        """Retries a change until it is accepted, as a client would."""
        found = None

        def is_done():
            nonlocal found
            found = self.resize(node, height, Idempotency_Key=f"again-{height}")
            return found.status == 200

        wait_for(is_done, lambda: f"the change is not accepted: {found}", 15)
        return found

    def log_state(self, node):
        return node.get("/readyz").json["cluster"]["log"]

    def wait_until_reachable(self):
        # Until a node's own poll succeeds, it rejects reads that need the log.
        for node in (self.a, self.b):
            wait_for(lambda: self.log_state(node) == "reachable", "no contact with the log", 15)

    def test_reads_continue_during_a_log_outage(self):
        self.same(self.token)
        self.server.stop()
        self.addCleanup(lambda: self.server.process.poll() is None or self.server.start())
        for node in (self.a, self.b):
            self.assert_problem(self.resize(node, 3), 503, "log-unavailable")
            found = node.get(ELEMENTS, Min_Revision=self.token)
            self.assertEqual(found.status, 200, found)
            self.assertTrue(found.header("layoutcache-age"), found)
        wait_for(lambda: self.log_state(self.a) == "away", "the outage is not noticed", 15)
        wait_for(lambda: float(self.b.get(ELEMENTS).header("layoutcache-age")) > 0.3, "it ages", 5)
        found = self.b.get(ELEMENTS, Max_Staleness="0.1")
        self.assertEqual(found.status, 503, found)
        self.assertEqual(found.header("retry-after"), "1", found)
        # A node that starts during the outage answers from its file.
        self.assertEqual(self.b.stop(), 0)
        type(self).b = self.node("b", folder=self.b.folder)
        self.assertEqual(self.b.get(ELEMENTS).status, 200)
        self.assert_problem(self.b.get("/v1/datasets"), 503, "log-unavailable")
        self.server.start()
        written = self.written_again(self.b, 3)
        self.wait_until_reachable()
        self.same(written.header("layoutcache-position"))

    def test_a_silent_log_leaves_a_change_unknown_until_the_retry(self):
        self.same(self.token)
        before = self.a.get(D).json["revision"]
        self.server.pause()
        self.addCleanup(self.server.go_on)
        found = self.resize(self.a, 31, Idempotency_Key="again-31")
        self.assertEqual(found.status, 503, found)
        self.assertIn(
            found.json["type"], ("/problems#outcome-unknown", "/problems#log-unavailable"), found)
        found = self.a.get(ELEMENTS)
        self.assertEqual(found.status, 200, found)
        self.server.go_on()
        written = self.written_again(self.b, 31)
        self.assertEqual(written.json["revision"], before + 1)
        written = self.written_again(self.a, 31)
        self.assertEqual(written.json["revision"], before + 1)
        self.wait_until_reachable()
        self.same(written.header("layoutcache-position"))


class RestoreTests(ClusterCase):
    def test_nodes_exit_if_the_log_was_replaced(self):
        self.same(self.token)
        made = command("cluster", "init", "--restored", log=self.log)
        self.assertIn("gave the log a new identity", made.stdout)
        for name, node in (("a", self.a), ("b", self.b)):
            self.assertEqual(node.process.wait(30), 75, node.log_text())
            self.assertIn("restart the node", node.log_text())
            refused = command("serve", "--port", "0", log=self.log, database=node.database)
            self.assertEqual(refused.returncode, 65, refused)
            self.assertIn("delete these datasets with --adopt", refused.stderr)
            setattr(type(self), name, self.node(name, "--adopt", folder=node.folder))
        for node in (self.a, self.b):
            # Tokens of the previous log are not valid here.
            self.assert_problem(node.get(D, Min_Revision=self.token), 409, "conflict")
        self.same(self.a.get(D).header("layoutcache-position"))


class PageTests(PageCase):
    """docs/CLUSTER.md: a first cluster, block by block."""

    def test_the_page_blocks_print_the_documented_output(self):
        postgres.require()
        server = postgres.Postgres()
        self.addCleanup(server.remove)
        self.environment = {"LAYOUTCACHE_CLUSTER_LOG": server.url()}
        self.check([os.path.join(service.ROOT, "docs", "CLUSTER.md")], 3)


class RefusalTests(unittest.TestCase):
    """Failures at the start name the problem and its solution."""

    @classmethod
    def setUpClass(cls):
        postgres.require()
        cls.server = postgres.Postgres()
        cls.addClassCleanup(cls.server.remove)

    def refused(self, *arguments, code, saying, **options):
        found = command(*arguments, **options)
        self.assertEqual(found.returncode, code, found)
        self.assertIn(saying, found.stderr)
        self.assertNotIn("secret", found.stderr)

    def test_an_invalid_url(self):
        self.refused("cluster", "status", log="somewhere:secret", code=65,
                     saying="not a valid PostgreSQL URL")
        self.refused("cluster", "status", code=64, saying="no shared log given")

    def test_an_unreachable_server(self):
        self.refused("cluster", "status", log="postgresql://x:secret@127.0.0.1:1/none", code=75,
                     saying="cannot reach the shared log")

    def test_a_missing_database(self):
        folder = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, folder)
        self.refused("serve", "--port", "0", log=self.server.url("missing"),
                     database=f"{folder}/a.sqlite", code=65, saying="does not admit this client")

    def test_a_database_without_a_log(self):
        self.refused("cluster", "status", log=self.server.url("template1"), code=76,
                     saying="create one with layoutcache cluster init")

    def test_a_file_with_local_datasets(self):
        made = command("cluster", "init", log=self.server.url())
        self.assertEqual(made.returncode, 0, made)
        self.assertIn("commits wait for no standby", made.stdout)
        alone = Service()
        self.addCleanup(alone.remove)
        self.assertEqual(alone.request("PUT", "/v1/datasets/own").status, 201)
        self.assertEqual(alone.stop(), 0)
        self.refused("serve", "--port", "0", log=self.server.url(), database=alone.database,
                     code=65, saying="has local datasets ('own')")
