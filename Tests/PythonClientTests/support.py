"""A service for tests, with a proxy in front of it that breaks requests and answers."""

import dataclasses
import os
import tempfile
import threading
import unittest

import layoutcache
from fault_proxy import Fault, FaultProxy

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
CONFIGURATION = {
    "container": {"width": 390, "height": 844},
    "section": {"kind": "waterfall", "columns": 2, "header": 44, "pinsHeader": True}}
QUICK = layoutcache.Retries(attempts=6, delay=0.01, delay_max=0.3)


def feed(count, sections=3):
    """Returns items of various sizes, in sections."""
    return [
        layoutcache.Item(
            f"k{number}", 3 + number % 5, 2 + number % 7, f"s{number * sections // count}",
            data={"number": number})
        for number in range(count)]


# The faults of one request each, by name.
FAULTS = {
    "drop": Fault(drop=True), "lose": Fault(lose=True), "truncate": Fault(share=0.5),
    "late": Fault(late=1.5), "busy": Fault(status=503, problem="busy"),
    "unknown": Fault(status=503, problem="outcome-unknown"),
    # Answers of a proxy, the second one instead of that of the service.
    "html": Fault(status=502), "gateway": Fault(status=504, after=True)}


def fault(given):
    """Returns a fault of one request; it is given by its name, or as a function that is called
    when the service has answered, before the answer is lost."""
    if callable(given):
        return Fault(call=given)
    return dataclasses.replace(FAULTS[given]) if isinstance(given, str) else given


class ClientCase(unittest.TestCase):
    """Tests that share a service, each with a dataset of its name."""

    maxDiff = None

    @classmethod
    def setUpClass(cls):
        cls.service = layoutcache.serve()
        cls.addClassCleanup(cls.service.stop)
        cls.client = cls.service.client(retries=QUICK)
        cls.addClassCleanup(cls.client.close)

    def make_feed(self, count=60, client=None):
        """Creates a dataset named after the test, with a layout `phone`; returns its name."""
        client = client or self.client
        name = self.id().rpartition(".")[2]
        client.import_items(name, feed(count), mode="replace")
        client.set_layout(name, "phone", CONFIGURATION)
        return name

    def new_folder(self):
        """Returns the path of a temporary folder."""
        folder = tempfile.TemporaryDirectory(prefix="layoutcache-")
        self.addCleanup(folder.cleanup)
        return folder.name

    def proxied(self, faults=(), url=None, **options):
        """Returns a proxy that applies one fault per request, and a client of it."""
        proxy = FaultProxy(url or self.service.url, map(fault, faults))
        self.addCleanup(proxy.close)
        client = layoutcache.Client(proxy.url, **{"retries": QUICK, "timeout": 20, **options})
        self.addCleanup(client.close)
        return proxy, client

    def assert_is_pending(self, call):
        """Asserts that a call has no result for a while; returns a function that waits for it."""
        found = []
        thread = threading.Thread(target=lambda: found.append(call()), daemon=True)
        thread.start()
        thread.join(0.2)
        self.assertEqual(found, [])

        def result():
            thread.join(20)
            self.assertEqual(len(found), 1, "the call has not returned")
            return found[0]
        return result
