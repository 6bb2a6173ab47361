"""Faults of the machine: a full disk, files that are read-only, deleted or replaced, and limits
on open files and memory. Errors are the documented ones, nothing acknowledged is lost, and
the service recovers when the cause is removed.
"""

import contextlib
import http.client
import json
import os
import re
import resource
import shutil
import signal
import subprocess
import tempfile
import threading
import time
from unittest import mock

import service as services
from service import NDJSON, Service, ServiceCase, command, feed
from waiting import seeded, wait_for

D = "/v1/datasets/art"
QUERY = D + "/layouts/phone/elements?rect=0,0,390,844"
KB = 1024


class Disk:
    """A folder with adjustable free space.

    Root mounts a small file system; other users limit the size of the service's files.
    """

    def __init__(self, test, bytes_max=6 << 20):
        self.folder = tempfile.mkdtemp(prefix="layoutcache-")
        self.ballast = os.path.join(self.folder, "ballast")
        self.service = None
        self.is_mounted = subprocess.run(
            ["mount", "-t", "tmpfs", "-o", f"size={bytes_max}", "none", self.folder],
            capture_output=True, check=False).returncode == 0
        test.addCleanup(self.remove)

    def remove(self):
        if self.is_mounted:
            subprocess.run(["umount", "-l", self.folder], check=False)
        shutil.rmtree(self.folder, ignore_errors=True)

    def leave(self, free):
        """Leaves a number of free bytes; `None` frees everything."""
        if not self.is_mounted:
            files = [os.path.join(self.folder, name) for name in os.listdir(self.folder)]
            size = max(os.path.getsize(file) for file in files)
            soft = resource.RLIM_INFINITY if free is None else size + free
            resource.prlimit(self.service.process.pid, resource.RLIMIT_FSIZE,
                             (soft, resource.RLIM_INFINITY))
            return
        with contextlib.suppress(FileNotFoundError):
            os.remove(self.ballast)
        if free is not None:
            there = os.statvfs(self.folder)
            size = there.f_bavail * there.f_bsize - free
            with open(self.ballast, "wb") as file:
                file.write(bytes(max(size, 0)))


def ignoring_long_files():
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)


class DiskTests(ServiceCase):
    starts_own = True

    def setUp(self):
        self.disk = Disk(self)
        self.log = tempfile.mkdtemp(prefix="layoutcache-")
        self.addCleanup(shutil.rmtree, self.log, ignore_errors=True)
        self.service = self.opened()
        self.service.make_feed(items=feed(300))
        # The first query computes the layout, which must be stored; later ones use the
        # memory.
        self.assertEqual(self.service.get(QUERY).status, 200)

    def opened(self):
        # The log of the service is on another disk.
        found = self.started(
            folder=self.log, database=os.path.join(self.disk.folder, "feed.sqlite"),
            before=ignoring_long_files)
        self.disk.service = found
        return found

    def state(self):
        """Returns the data and configurations, without the extent of stored layouts."""
        layouts = self.service.get(D + "/layouts").json.get("layouts")
        return (self.service.get(D).json.get("revision"),
                self.service.get(D + "/export").body,
                [(one["layout"], one["configuration"]) for one in layouts])

    def changes(self, number):
        """Yields each kind of change, with a different body each time."""
        rows = "".join(json.dumps(
            {"key": f"r{number}-{one}", "width": 1, "height": 1 + one % 5}) + "\n"
            for one in range(150))
        items = [{"key": f"b{number}-{one}", "width": 1, "height": 1} for one in range(60)]
        return [
            ("POST", D + "/batches", json.dumps(
                {"op": "insert", "section": "new", "items": items}
                if number < 0 else {"op": "upsert", "section": "new", "items": items})),
            ("POST", D + "/import?mode=append&format=ndjson", rows),
            ("PUT", f"{D}/layouts/l{number}", '{"container":{"width":200}}'),
            ("POST", f"{D}/layouts/phone/prepare", ""),
            ("DELETE", f"{D}/layouts/l{number}", None),
            ("POST", D + "/undo", ""),
            ("POST", D + "/import?mode=replace&format=ndjson", rows),
        ]

    def test_changes_on_a_full_disk_are_applied_fully_or_not_at_all(self):
        """An error means that nothing has changed; an acknowledged change is kept."""
        refused = done = 0
        for number, free in enumerate((0, 12, 32, 48, 64, 96, 200)):
            for method, target, body in self.changes(number):
                self.disk.leave(None)
                before = self.state()
                self.disk.leave(free * KB)
                found = self.service.request(
                    method, target, body, {"Content-Type": NDJSON} if "batches" in target else {})
                with self.subTest(free=free, method=method, target=target):
                    self.assertEqual(self.service.get("/healthz").status, 200)
                    if found.status in (500, 503):
                        refused += 1
                        self.assert_problem(found, found.status)
                        self.assertNotIn(self.disk.folder, found.body.decode())
                        self.assertEqual(self.state(), before)
                        continue
                    # Conflicts result from an earlier change that failed.
                    self.assertIn(found.status, (200, 201, 204, 404, 409), found)
                    done += found.status < 300
                    after = self.state()
                    if found.status < 300 and not target.endswith("prepare"):
                        self.assertNotEqual(after, before)
        print(f"        {done} made, {refused} not made", flush=True)
        self.assertGreater(refused, 3)
        self.assertGreater(done, 10)
        self.disk.leave(None)
        state = self.state()
        self.assertEqual(self.service.stop(), 0)
        self.service = self.opened()
        self.assertEqual(self.state(), state)
        self.service.stop()
        self.verify(self.service)

    def test_with_free_space_again_retries_are_applied_once(self):
        acknowledged, refused, details = [], [], set()
        self.disk.leave(150 * KB)
        for number in range(300):
            key = f"k-{number}"
            items = [{"key": f"{key}-{one}", "width": 1, "height": 1} for one in range(20)]
            line = json.dumps({"op": "insert", "section": "s1", "items": items})
            headers = {"Content-Type": NDJSON, "Idempotency-Key": key}
            found = self.service.request("POST", D + "/batches", line, headers)
            if found.status == 200:
                acknowledged.append((line, headers, found.body, items))
            else:
                self.assert_problem(found, 500)
                self.assertRegex(found.json["type"], "#storage-error")
                details.add(found.json["detail"])
                refused.append((line, headers, items))
                self.assertEqual(self.service.get(QUERY).status, 200)
                if len(refused) == 4:
                    break
        self.assertEqual(len(refused), 4, "the disk was never full")
        if self.disk.is_mounted:
            self.assertIn("the disk is full; nothing was changed", details)
        self.disk.leave(None)
        for line, headers, body, items in acknowledged[-5:]:
            found = self.service.request("POST", D + "/batches", line, headers)
            self.assertEqual((found.status, found.body), (200, body))
        for line, headers, items in refused:
            found = self.service.request("POST", D + "/batches", line, headers)
            self.assertEqual(found.status, 200, found)
            self.assertIsNone(found.header("idempotency-replayed"))
        self.assertEqual(self.service.get("/readyz").status, 200)
        keys = self.keys("art")
        wanted = [item["key"] for one in acknowledged for item in one[3]]
        wanted += [item["key"] for one in refused for item in one[2]]
        self.assertEqual([key for key in keys if key.startswith("k-")], wanted)

    def test_a_kill_on_a_full_disk_loses_nothing(self):
        chance, seed = seeded()
        acknowledged = []
        self.disk.leave(60 * KB)

        def commit():
            with contextlib.suppress(OSError, http.client.HTTPException):
                for number in range(1000):
                    line = {"op": "insert", "section": "s1", "items": [
                        {"key": f"k-{number}", "width": 1, "height": 1}]}
                    if self.service.ndjson(D + "/batches", [line]).status == 200:
                        acknowledged.append(f"k-{number}")
        client = threading.Thread(target=commit)
        client.start()
        wait_for(lambda: acknowledged, "nothing is acknowledged")
        time.sleep(chance.uniform(0, 0.8))
        self.service.kill()
        client.join(10)
        self.disk.leave(None)
        self.service = self.opened()
        self.assertEqual(set(acknowledged) - set(self.keys("art")), set(), f"seed {seed}")
        self.stop_and_verify(self.service)

    def test_a_read_only_disk_can_be_read(self):
        self.assertEqual(self.service.request(
            "PUT", D + "/layouts/cold", '{"container":{"width":200}}').status, 201)
        expected = self.service.get(QUERY).body
        if not self.disk.is_mounted:
            os.chmod(self.disk.folder, 0o500)
            self.addCleanup(os.chmod, self.disk.folder, 0o700)
        self.assertEqual(self.service.stop(), 0)
        database = os.path.join(self.disk.folder, "feed.sqlite")
        content = open(database, "rb").read()
        if self.disk.is_mounted:
            subprocess.run(["mount", "-o", "remount,ro", self.disk.folder], check=True)
        else:
            os.chmod(database, 0o400)
        self.service = self.opened()
        self.assertIn("the database is read-only", self.service.log_text())
        found = self.service.get(QUERY)
        self.assertEqual(self.without_incarnation(found.body), self.without_incarnation(expected))
        self.assertEqual(self.service.get("/readyz").status, 200)
        self.assertEqual(self.service.get(D).header("layoutcache-access"), "read")
        for method, target, body in self.changes(0) + [("PUT", "/v1/datasets/new", None)]:
            with self.subTest(method=method, target=target):
                found = self.service.request(
                    method, target, body, {"Content-Type": NDJSON} if "batches" in target else {})
                self.assert_problem(found, 403, "read-only")
        found = self.service.get(D + "/layouts/cold/elements?rect=0,0,200,400")
        self.assert_problem(found, 503, "layout-not-prepared")
        self.assertIn("'layoutcache prepare'", found.json["detail"])
        self.assertNotIn(self.disk.folder, found.body.decode())
        self.assertEqual(self.service.stop(), 0)
        self.assertNotIn("warning", self.service.log_text())
        for arguments, code in (
                (["query", "--layout", "cold", "--rect", "0,0,200,400"], 75),
                (["query", "--layout", "phone", "--rect", "0,0,390,844"], 0),
                (["dataset", "create", "new"], 74)):
            done = command(*arguments, database=database)
            self.assertEqual(done.returncode, code, (arguments, done.stderr))
        self.assertEqual(open(database, "rb").read(), content)

    @staticmethod
    def without_incarnation(body):
        return {name: value for name, value in json.loads(body).items() if name != "incarnation"}


class FileTests(ServiceCase):
    """The file is replaced while the service has it open, and its log is still there."""

    starts_own = True

    def setUp(self):
        self.service = self.started()
        self.service.make_feed()
        self.database = self.service.database
        other = Service()
        self.addCleanup(other.remove)
        other.make_feed("backup", items=feed(7))
        self.assertEqual(other.stop(), 0)
        self.copy = os.path.join(self.service.folder, "copy.sqlite")
        done = command("backup", self.copy, database=other.database)
        self.assertEqual(done.returncode, 0, done.stderr)
        # The write-ahead log is not empty.
        self.commit(5)

    def commit(self, height, service=None):
        return (service or self.service).ndjson(
            D + "/batches", [{"op": "resize", "key": "k1", "width": 1, "height": height}])

    def assert_rejected_with_reason(self, word):
        found = self.service.get("/readyz")
        self.assertIn(found.status, (500, 503), found)
        self.assertRegex(found.json["detail"], word)
        self.assertNotIn(self.service.folder, found.body.decode())
        for attempt in range(3):
            found = self.commit(20 + attempt)
            self.assert_problem(found, 500)
            self.assertRegex(found.json["detail"], word)
        for method, target, body in (
                ("PUT", "/v1/datasets/new", None), ("DELETE", D, None),
                ("POST", "/v1/datasets/new/import?format=ndjson",
                 '{"key":"a","width":1,"height":1}\n'),
                ("PUT", D + "/layouts/new", '{"container":{"width":200}}')):
            found = self.service.request(method, target, body)
            with self.subTest(method=method, target=target):
                self.assertGreaterEqual(found.status, 500, found)
        self.assertEqual(self.service.get("/healthz").status, 200)

    def stop_and_check_replacement(self, content):
        self.service.stop()
        self.assertEqual(open(self.database, "rb").read(), content, "the file was written")
        # The log of the previous file is next to it: the error names the remedy.
        done = command("datasets", database=self.database)
        self.assertEqual(done.returncode, 74, done)
        self.assertIn("layoutcache restore", done.stderr)
        self.assertEqual(open(self.database, "rb").read(), content, "the file was written")
        os.rename(self.database, self.copy)
        done = command("restore", self.copy, database=self.database)
        self.assertEqual(done.returncode, 0, done)
        again = self.started(folder=self.service.folder)
        names = [one["dataset"] for one in again.get("/v1/datasets").json["datasets"]]
        self.assertEqual(names, ["backup"])
        found = again.get("/v1/datasets/backup").json
        self.assertEqual(found["items"], 7)
        self.assertEqual(again.get("/v1/datasets/backup/export").body.count(b"\n"), 7)
        self.assertEqual(again.get("/readyz").status, 200)
        self.stop_and_verify(again)

    def test_a_backup_that_is_moved_into_place(self):
        content = open(self.copy, "rb").read()
        os.rename(self.copy, self.database)
        self.assert_rejected_with_reason("another file|replaced")
        self.stop_and_check_replacement(content)


class LimitTests(ServiceCase):
    """Limits of the process, set while it runs."""

    starts_own = True

    def setUp(self):
        # A crash report takes half a minute under a limit.
        with mock.patch.dict(os.environ, SWIFT_BACKTRACE="enable=no"):
            self.service = self.started()
        self.service.make_feed(items=feed(500))

    def limit(self, kind, soft):
        hard = resource.prlimit(self.service.process.pid, kind)[1]
        resource.prlimit(self.service.process.pid, kind, (soft, hard))

    def test_without_file_descriptors_only_new_connections_wait(self):
        """The service accepts fewer connections than it may open files."""
        self.service = self.started(before=lambda: resource.setrlimit(
            resource.RLIMIT_NOFILE, (160, 160)))
        self.assertIn("limits.connectionsMax is lowered", self.service.log_text())
        self.service.make_feed(items=feed(500))
        established = services.http.client.HTTPConnection(
            "127.0.0.1", self.service.port, timeout=20)
        self.addCleanup(established.close)
        acknowledged = 0

        def ask(method, path, body=None):
            established.request(method, path, body)
            return services.answer(established.getresponse())

        self.assertEqual(ask("GET", QUERY).status, 200)
        with contextlib.ExitStack() as connections:
            for _ in range(100):
                connections.enter_context(self.service.connect())
            time.sleep(1)
            used = len(os.listdir(f"/proc/{self.service.process.pid}/fd"))
            self.assertLess(used, 100)
            self.limit(resource.RLIMIT_NOFILE, used + 1)
            before = self.processor_seconds()
            for number in range(10):
                found = ask("POST", D + "/batches", json.dumps(
                    {"op": "upsert", "section": "s1", "items": [
                        {"key": f"f{number}", "width": 1, "height": 1}]}))
                # A file that can't be opened is an error of the file, documented as 500.
                self.assertIn(found.status, (200, 500), found)
                acknowledged += found.status == 200
                self.assertIn(ask("GET", QUERY).status, (200, 500))
            time.sleep(1)
            self.assertLess(self.processor_seconds() - before, 1)
        self.assertIsNone(self.service.process.poll(), self.service.log_text()[-2000:])

        def is_ready():
            with contextlib.suppress(OSError):
                return self.service.request("GET", "/readyz", timeout=2).status == 200
        wait_for(is_ready, "the service recovers", 15)
        print(f"        {acknowledged} commits", flush=True)
        found = [key for key in self.keys("art") if key[0] == "f"]
        self.assertEqual(len(found), acknowledged)

    def processor_seconds(self):
        with open(f"/proc/{self.service.process.pid}/stat", encoding="ascii") as file:
            fields = file.read().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def test_at_the_limit_of_memory_nothing_acknowledged_is_lost(self):
        """The process may end, as if killed by the system, but must not lose or damage anything."""
        with open(f"/proc/{self.service.process.pid}/status", encoding="ascii") as file:
            size = int(re.search(r"VmData:\s+(\d+) kB", file.read())[1]) * KB
        self.limit(resource.RLIMIT_DATA, size + (16 << 20))
        acknowledged, ended = [], False
        # Increasing sizes: the last is 11 MB.
        for number, count in enumerate((1, 20, 200, 1000, 5000, 20_000)):
            items = [{"key": f"m{number}-{one}", "width": 1, "height": 1, "data": {"a": "x" * 500}}
                     for one in range(count)]
            line = json.dumps({"op": "insert", "section": "s1", "items": items})
            try:
                found = self.service.request("POST", D + "/batches", line)
            except (OSError, http.client.HTTPException):
                ended = self.service.process.poll() is not None
                break
            self.assertIn(found.status, (200, 413, 500, 503), found)
            if found.status == 200:
                acknowledged += [item["key"] for item in items]
        print(f"        {len(acknowledged)} items, {'ended' if ended else 'alive'}", flush=True)
        self.service.kill()
        again = self.started(folder=self.service.folder)
        self.assertEqual(set(acknowledged) - set(self.keys("art", again)), set())
        self.stop_and_verify(again)
