"""A service under test: a separate process with its own database."""

import contextlib
import hashlib
import http.client
import json
import os
import random
import re
import shutil
import socket
import subprocess
import tempfile
import unittest

from waiting import ended, wait_for

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
NDJSON = "application/x-ndjson"

# The binary that run.py tests.
binary = os.environ.get("LAYOUTCACHE_BINARY", "")


def command(*arguments, database=None, log=None, **options):
    """Runs the command and waits for its end.

    - `log`: the address of the shared log of a cluster.
    """
    environment = {**os.environ, "NO_COLOR": "1", **options.pop("env", {})}
    environment.pop("LAYOUTCACHE_CLUSTER_LOG", None)
    return subprocess.run(
        [binary, *arguments, *(["--log", log] if log else []),
         *(["--database", database] if database else [])],
        **{"capture_output": True, "text": True, "timeout": 60, "env": environment, **options})


class Answer:
    """The answer to a request."""

    def __init__(self, status, headers, body, reason=""):
        self.status, self.headers, self.body, self.reason = status, headers, body, reason

    def header(self, name, default=None):
        return self.headers.get(name.lower(), default)

    @property
    def json(self):
        return json.loads(self.body)

    def __repr__(self):
        return f"{self.status} {self.headers} {self.body[:400]!r}"


class Requests:
    """Requests of a service, by the `request` of a subclass."""

    def get(self, path, **headers):
        return self.request("GET", path, headers=named(headers))

    def ndjson(self, path, lines, headers=None):
        """Posts objects, one per line."""
        body = "".join(json.dumps(line) + "\n" for line in lines)
        return self.request("POST", path, body, {"Content-Type": NDJSON, **(headers or {})})

    def make_feed(self, dataset="art", layout="phone", items=None):
        """Creates a dataset with items, and a layout of it."""
        lines = feed(60) if items is None else items
        made = self.ndjson(f"/v1/datasets/{dataset}/import", lines)
        assert made.status == 200, made
        configuration = {
            "container": {"width": 390, "height": 844},
            "section": {"columns": 3, "header": 40, "background": {"kind": "card"}}}
        made = self.request(
            "PUT", f"/v1/datasets/{dataset}/layouts/{layout}", json.dumps(configuration))
        assert made.status == 201, made


class Service(Requests):
    """A running `layoutcache serve`, on a free port of this machine."""

    def __init__(self, arguments=(), tokens=None, database=None, before=None, folder=None):
        """`before` runs in the new process, before the command."""
        self.folder = folder or tempfile.mkdtemp(prefix="layoutcache-")
        self.owns_folder = folder is None
        self.database = database or os.path.join(self.folder, "feed.sqlite")
        self.log = os.path.join(self.folder, "log")
        command = [binary, "serve", "--database", self.database, "--port", "0"]
        if tokens is not None:
            path = os.path.join(self.folder, "tokens")
            with open(path, "w", encoding="utf-8") as file:
                file.write(tokens)
            command += ["--tokens", path]
        with open(self.log, "ab") as log:
            self.log_start = log.tell()
            self.process = subprocess.Popen(
                command + list(arguments), stdin=subprocess.DEVNULL, stdout=log, stderr=log,
                preexec_fn=before)
        self.port = self._wait_until_ready()

    def _wait_until_ready(self):
        try:
            found = wait_for(
                lambda: re.search(r"ready at http://[^ ]*:(\d+)/", self.log_text())
                or self.process.poll() is not None, "ready", 20)
        except AssertionError:
            self.kill()
            found = True
        if found is True:
            raise RuntimeError(f"the service did not start: {self.log_text()[-2000:]}")
        return int(found.group(1))

    def log_text(self):
        with open(self.log, "rb") as file:
            file.seek(self.log_start)
            return file.read().decode("utf-8", "replace")

    @property
    def url(self):
        return f"http://127.0.0.1:{self.port}"

    def metric(self, name):
        """Returns the value of a series without labels, such as `exports_running`."""
        text = self.get("/metrics").body.decode()
        return int(re.search(rf"(?m)^layoutcache_{name} (\d+)$", text).group(1))

    def resident_bytes(self):
        with open(f"/proc/{self.process.pid}/statm", encoding="ascii") as file:
            return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")

    def stop(self, seconds=30):
        """Ends the process as its users would; returns its exit code."""
        return ended(self.process, seconds)

    def kill(self):
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()

    def remove(self):
        self.kill()
        if self.owns_folder:
            shutil.rmtree(self.folder, ignore_errors=True)

    # Requests

    def request(self, method, path, body=None, headers=None, timeout=30):
        """Sends one request on a new connection."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=timeout)
        try:
            if isinstance(body, str):
                body = body.encode()
            connection.request(method, path, body, headers or {})
            return answer(connection.getresponse())
        finally:
            connection.close()

    def connect(self, timeout=10):
        """Opens a connection for requests that no client library would send."""
        return socket.create_connection(("127.0.0.1", self.port), timeout=timeout)


def token_line(name, scope="write", prefix="*", token=None):
    """Returns a line of a token file; the token is its name unless another is given."""
    return f"{name} {scope} {prefix} {hashlib.sha256((token or name).encode()).hexdigest()}\n"


def named(headers):
    return {name.replace("_", "-"): value for name, value in headers.items()}


def answer(response):
    body = response.read()
    headers = {name.lower(): value for name, value in response.getheaders()}
    return Answer(response.status, headers, body, response.reason)


def free_ports(count):
    """Returns ports that the system does not give to clients in the meantime."""
    with contextlib.ExitStack() as held:
        ports = []
        for _ in range(1000):
            if len(ports) == count:
                return ports
            port = random.randrange(20000, 32000)
            with contextlib.suppress(OSError):
                held.enter_context(socket.create_server(("127.0.0.1", port)))
                ports.append(port)
        raise RuntimeError("there are no free ports")


def feed(count, sections=3):
    """Returns items of various sizes, in sections."""
    return [
        {"key": f"k{number}", "width": 3 + number % 5, "height": 2 + number % 7,
         "section": f"s{number * sections // count}"}
        for number in range(count)]


class ServiceCase(unittest.TestCase):
    """Tests that share a service."""

    arguments = ()
    tokens = None

    # Whether each test starts its own services instead.
    starts_own = False

    @classmethod
    def setUpClass(cls):
        if not cls.starts_own:
            cls.service = Service(cls.arguments, cls.tokens)
            cls.addClassCleanup(cls.service.remove)

    def started(self, *arguments, **options):
        """Starts a service for this test only."""
        service = Service(arguments, **options)
        self.addCleanup(service.remove)
        return service

    def verify(self, service):
        """Checks the whole database of a service that has ended."""
        done = command("verify", database=service.database)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def stop_and_verify(self, service):
        self.assertEqual(service.stop(), 0, service.log_text())
        self.verify(service)

    def keys(self, dataset, service=None):
        """Returns the keys of a dataset's items, in order."""
        text = (service or self.service).get(f"/v1/datasets/{dataset}/export").body.decode()
        return [json.loads(line)["key"] for line in text.splitlines()]

    def assert_problem(self, found, status, kind=None):
        self.assertIsNotNone(found, "no answer")
        self.assertEqual(found.status, status, found)
        self.assertEqual(found.header("content-type"), "application/problem+json", found)
        self.assertEqual(found.json["status"], status)
        if kind:
            self.assertEqual(found.json["type"], f"/problems#{kind}", found)
