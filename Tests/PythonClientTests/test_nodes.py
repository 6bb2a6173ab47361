"""A client of two nodes of a cluster, over a separate PostgreSQL."""

import os
import shutil
import subprocess
import sys
import time
import unittest

import layoutcache
from layoutcache import Item, operations
from support import CONFIGURATION, QUICK, ROOT, Proxy, feed

sys.path.insert(0, os.path.join(ROOT, "Tests", "ServiceTests"))
import postgres  # noqa: E402


def why_not():
    """Returns why a cluster is impossible here; None if it is possible."""
    command = layoutcache.binary_path()
    help_text = subprocess.run([command, "--help"], capture_output=True, text=True).stdout
    if "cluster" not in help_text:
        return "the binary does not support clusters; build it with LAYOUTCACHE_CLUSTER=1"
    if postgres.programs() is None or not shutil.which("psql"):
        return "no PostgreSQL; run Scripts/setup-cluster.sh"
    if os.getuid() == 0 and not shutil.which("setpriv"):
        return "no setpriv, and PostgreSQL does not run as root"
    return None


class NodeTests(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        reason = why_not()
        if reason:
            raise unittest.SkipTest(reason)
        server = postgres.Postgres()
        cls.addClassCleanup(server.remove)
        subprocess.run(
            [layoutcache.binary_path(), "cluster", "init", "--log", server.url()], check=True,
            capture_output=True)
        cls.nodes = []
        for name in "ab":
            # Rarely polled, so that a node does not learn of changes by itself.
            node = layoutcache.serve(
                arguments=["--log", server.url()],
                settings=[f"cluster.node={name}", "cluster.pollInterval=5"])
            cls.addClassCleanup(node.stop)
            cls.nodes.append(node)

    def alternating(self, **options):
        """Returns a client whose requests go to the nodes in turn."""
        proxies = [Proxy(node.url) for node in self.nodes]
        first, second = (proxy.service for proxy in proxies)
        proxy = proxies[0]
        proxy.services = [first, second]
        for one in proxies:
            self.addCleanup(one.close)
        client = layoutcache.Client(proxy.url, retries=QUICK, **options)
        self.addCleanup(client.close)
        return proxy, client

    def test_own_writes_are_read_at_every_node(self):
        proxy, client = self.alternating(reads_own_writes=True)
        client.import_items("own", feed(30))
        client.set_layout("own", "phone", CONFIGURATION)
        reads = [
            lambda: client.item("own", "k1").height,
            lambda: next(item.height for item in client.export_items("own") if item.key == "k1"),
            lambda: client.changes("own", 1).revision - first,
            lambda: client.elements("own", "phone", (0, 0, 390, 844)).revision - first,
            lambda: client.dataset("own").revision - first,
        ]
        first = client.dataset("own").revision
        for height in range(1, 16):
            client.apply("own", operations.resize("k1", 1, height))
            # The first goes to the other node.
            for read in reads[height % len(reads):] + reads[:height % len(reads)]:
                self.assertEqual(read(), height)
        required = [headers.get("min-revision") for verb, _, headers in proxy.requests]
        self.assertGreater(len(set(required)), 15)

    def test_a_dataset_that_another_client_created_again_is_read(self):
        _, client = self.alternating(reads_own_writes=True)
        client.create_dataset("again")
        client.apply("again", operations.upsert([Item("a", 1, 1)], "s"))
        other = self.nodes[0].client()
        other.delete_dataset("again")
        other.create_dataset("again")
        errors, end = [], time.monotonic() + 30
        while True:
            try:
                # A node may answer with the deleted one until it polls the log.
                if client.dataset("again").items == 0:
                    break
            except layoutcache.ProblemError as error:
                errors.append(error.status)
            self.assertLess(time.monotonic(), end, errors)
            time.sleep(0.02)
        # Once: the position was of the deleted one.
        self.assertIn(errors, ([], [404], [409]))

    def test_a_single_service_sends_no_positions(self):
        with layoutcache.serve() as service:
            proxy = Proxy(service.url)
            self.addCleanup(proxy.close)
            with layoutcache.Client(proxy.url, reads_own_writes=True) as client:
                client.create_dataset("art")
                client.dataset("art")
            self.assertNotIn("min-revision", proxy.requests[-1][2])

    def test_a_batch_is_applied_once_through_both_nodes(self):
        proxy, client = self.alternating()
        client.create_dataset("once")
        proxy.faults = iter(["lose", "lose"])
        commit = client.apply("once", operations.upsert([Item("a", 1, 1)], "s"))
        self.assertTrue(commit.replayed)
        self.assertEqual(commit.revision, 2)
        self.assertEqual(self.nodes[0].client().changes("once", 1, wait=10).revision, 2)
