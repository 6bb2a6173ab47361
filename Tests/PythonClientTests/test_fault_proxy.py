"""The faults of the proxy: a fault without effect would let every test of clients pass."""

import http.client
import time
import urllib.error
import urllib.request

from fault_proxy import FaultProxy
from support import ClientCase
from waiting import wait_for


class FaultProxyTests(ClientCase):
    def setUp(self):
        self.path = f"/v1/datasets/{self.make_feed()}/layouts/phone/elements?rect=0,0,390,800"
        self.proxy = FaultProxy(self.service.url, keeps_alive=False)
        self.addCleanup(self.proxy.close)
        self.whole = self.get(self.service.url)

    def get(self, url=None):
        """Returns the status and body that come through; the error's type if none do."""
        try:
            with urllib.request.urlopen((url or self.proxy.url) + self.path, timeout=10) as response:
                return response.status, response.read()
        except urllib.error.HTTPError as error:
            return error.code, error.read()
        except (OSError, http.client.HTTPException) as error:
            return type(error).__name__, b""

    def test_each_fault_affects_only_its_paths(self):
        self.assertEqual(self.get(), self.whole)
        size = len(self.whole[1])
        for fault, expected in (
                ({"status": 429}, 429), ({"status": 503}, 503), ({"drop": True}, "RemoteDisconnected"),
                ({"lose": True}, "RemoteDisconnected"), ({"body_bytes_max": 0}, "IncompleteRead"),
                ({"body_bytes_max": size // 2}, "IncompleteRead"), ({"share": 0.5}, "IncompleteRead"),
                ({"piece_bytes": size // 3}, 200), ({"delay": 0.2}, 200), ({"late": 0.2}, 200)):
            with self.subTest(fault=fault):
                begun = time.monotonic()
                with self.proxy.faults(**fault):
                    found = self.get()
                self.assertEqual(found[0], expected)
                if expected == 200:
                    self.assertEqual(found, self.whole)
                    self.assertGreaterEqual(
                        time.monotonic() - begun, fault.get("delay", 0) + fault.get("late", 0))
                with self.proxy.faults(under="/sections", drop=True) as other:
                    self.assertEqual(self.get(), self.whole)
                    other.hits = 1

    def test_a_fault_without_a_request_fails_its_test(self):
        with self.assertRaises(AssertionError), self.proxy.faults(status=503):
            pass

    def test_a_cut_and_a_client_that_leaves_end_streams_and_their_count(self):
        for end in ("cut", "leave"):
            connection = http.client.HTTPConnection(
                self.proxy.url.removeprefix("http://"), timeout=10)
            connection.request("GET", self.path.split("/layouts")[0] + "/events",
                               headers={"Accept": "text/event-stream"})
            response = connection.getresponse()
            self.assertEqual((response.status, self.proxy.streams), (200, 1))
            if end == "cut":
                self.proxy.cut()
            response.close()
            connection.close()
            wait_for(lambda: self.proxy.streams == 0, "the stream ends")
