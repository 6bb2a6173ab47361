"""A client of two nodes of a cluster, over a separate PostgreSQL."""

import unittest

import layoutcache
import postgres
import service
from fault_proxy import FaultProxy
from layoutcache import Item, operations
from support import CONFIGURATION, QUICK, fault, feed
from waiting import wait_for


class NodeTests(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        service.binary = layoutcache.binary_path()
        postgres.require()
        server = postgres.Postgres()
        cls.addClassCleanup(server.remove)
        service.command("cluster", "init", log=server.url(), check=True)
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
        proxy = FaultProxy(self.nodes[0].url)
        proxy.services.append(("127.0.0.1", int(self.nodes[1].url.rpartition(":")[2])))
        self.addCleanup(proxy.close)
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
        errors = []

        def is_read():
            try:
                # A node may answer with the deleted one until it polls the log.
                return client.dataset("again").items == 0
            except layoutcache.ProblemError as error:
                errors.append(error.status)
        wait_for(is_read, errors.__repr__)
        # Once: the position was of the deleted one.
        self.assertIn(errors, ([], [404], [409]))

    def test_a_single_service_sends_no_positions(self):
        with layoutcache.serve() as single:
            proxy = FaultProxy(single.url)
            self.addCleanup(proxy.close)
            with layoutcache.Client(proxy.url, reads_own_writes=True) as client:
                client.create_dataset("art")
                client.dataset("art")
            self.assertNotIn("min-revision", proxy.requests[-1][2])

    def test_a_batch_is_applied_once_through_both_nodes(self):
        proxy, client = self.alternating()
        client.create_dataset("once")
        proxy.sequence = map(fault, ["lose", "lose"])
        commit = client.apply("once", operations.upsert([Item("a", 1, 1)], "s"))
        self.assertTrue(commit.replayed)
        self.assertEqual(commit.revision, 2)
        self.assertEqual(self.nodes[0].client().changes("once", 1, wait=10).revision, 2)
