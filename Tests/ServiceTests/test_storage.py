"""The log of changes in the database file: no entry is replaced."""

import json
import os
import sqlite3

from service import NDJSON, ServiceCase

D = "/v1/datasets/art"
HEAD = 2 ** 63 - 1


class StorageTests(ServiceCase):
    @classmethod
    def setUpClass(cls):
        pass

    def batch(self, *lines):
        body = "".join(json.dumps(line) + "\n" for line in lines)
        return self.service.request("POST", D + "/batches", body, {"Content-Type": NDJSON})

    def resized(self, number):
        return {"op": "resize", "key": f"k{number % 60}", "width": 3, "height": 1 + number % 97}

    def test_an_entry_of_the_log_is_never_replaced(self):
        """As if the service had missed another process's commit."""
        self.service = self.started()
        self.service.make_feed()
        self.assertEqual(self.batch(self.resized(1)).status, 200)
        database = sqlite3.connect(
            os.path.join(self.service.folder, "feed.sqlite"), isolation_level=None)
        self.addCleanup(database.close)
        (revision,) = database.execute(
            "SELECT max(revision) FROM log WHERE revision < ?", (HEAD,)).fetchone()
        database.execute(
            "INSERT INTO log SELECT dataset, revision + 1, operations, x'aabb', checksum, time, "
            "total_operations, total_bytes FROM log WHERE revision = ?", (revision,))
        found = self.batch(self.resized(2))
        self.assertEqual(found.status, 500, found)
        self.assertEqual(
            database.execute(
                "SELECT payload FROM log WHERE revision = ?", (revision + 1,)).fetchall(),
            [(b"\xaa\xbb",)])
        database.execute("DELETE FROM log WHERE revision = ?", (revision + 1,))
        self.assertEqual(self.batch(self.resized(2)).status, 200)
