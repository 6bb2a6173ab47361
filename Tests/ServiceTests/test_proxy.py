"""Requests through Debian's nginx with packaging/nginx.conf, with replaced paths and ports."""

import contextlib
import http.client
import json
import os
import shutil
import signal
import socket
import ssl
import subprocess
import tempfile
import unittest
import urllib.parse

from service import NDJSON, ROOT, Requests, Service, answer, feed, free_ports
from sockets import read_answer
from waiting import required, wait_for

CONFIGURATION = os.path.join(ROOT, "packaging", "nginx.conf")
HOST = "feeds.example.org"
UNPACKED = os.path.join(ROOT, ".build", "service-tests", "nginx", "usr", "sbin")


class ProxyTests(unittest.TestCase, Requests):
    @classmethod
    def setUpClass(cls):
        cls.nginx = required("nginx", "no nginx; run Scripts/setup-service-tests.sh",
                             f"{os.environ['PATH']}:{UNPACKED}")
        required("openssl", "no openssl")
        cls.folder = tempfile.mkdtemp(prefix="layoutcache-")
        cls.addClassCleanup(shutil.rmtree, cls.folder, ignore_errors=True)
        # The workers may run as another user.
        os.chmod(cls.folder, 0o755)
        cls.services = [Service(["--allow-host", HOST]), Service(["--allow-host", HOST])]
        for one in cls.services:
            cls.addClassCleanup(one.remove)
        cls.port, = free_ports(1)
        cls.make_certificate()
        cls.write_configuration()
        cls.process = subprocess.Popen(
            cls.command("-g", "daemon off;"), stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        cls.addClassCleanup(cls.stop)
        cls.wait()

    @classmethod
    def make_certificate(cls):
        subprocess.run(
            ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2",
             "-subj", "/CN=feeds.example.org", "-keyout", f"{cls.folder}/key.pem",
             "-out", f"{cls.folder}/certificate.pem"], check=True, capture_output=True)

    @classmethod
    def write_configuration(cls):
        with open(CONFIGURATION, encoding="utf-8") as file:
            text = file.read()
        changes = {
            "listen 443 ": f"listen 127.0.0.1:{cls.port} ",
            "127.0.0.1:8081": f"127.0.0.1:{cls.services[0].port}",
            "127.0.0.1:8082": f"127.0.0.1:{cls.services[1].port}",
            "/etc/ssl/certs/feeds.example.org.pem": f"{cls.folder}/certificate.pem",
            "/etc/ssl/private/feeds.example.org.key": f"{cls.folder}/key.pem",
            "/var/cache/nginx/layoutcache": f"{cls.folder}/cache",
            "/run/nginx.pid": f"{cls.folder}/nginx.pid"}
        for old, new in changes.items():
            assert text.count(old) == 1, old
            text = text.replace(old, new)
        # If the package was only unpacked, its folders do not exist.
        folders = "".join(
            f"    {name}_temp_path {cls.folder}/{name};\n"
            for name in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi"))
        text = text.replace("http {\n", f"http {{\n    access_log off;\n{folders}", 1)
        with open(f"{cls.folder}/nginx.conf", "w", encoding="utf-8") as file:
            file.write(text)

    @classmethod
    def command(cls, *arguments):
        return [cls.nginx, "-e", f"{cls.folder}/errors", "-p", cls.folder,
                "-c", f"{cls.folder}/nginx.conf", *arguments]

    @classmethod
    def wait(cls):
        def answers():
            with contextlib.suppress(OSError):
                return cls.request("GET", "/healthz")

        def errors():
            with open(f"{cls.folder}/errors", encoding="utf-8") as file:
                return f"nginx starts: {file.read()}"
        wait_for(answers, errors, 5)

    @classmethod
    def stop(cls):
        cls.process.send_signal(signal.SIGTERM)
        try:
            cls.process.wait(5)
        except subprocess.TimeoutExpired:
            cls.process.kill()

    @classmethod
    def context(cls):
        return ssl.create_default_context(cafile=f"{cls.folder}/certificate.pem")

    @classmethod
    def connect(cls, timeout=20):
        plain = socket.create_connection(("127.0.0.1", cls.port), timeout)
        context = cls.context()
        context.check_hostname = False
        return context.wrap_socket(plain)

    @classmethod
    def request(cls, method, path, body=None, headers=None):
        context = cls.context()
        context.check_hostname = False
        connection = http.client.HTTPSConnection(
            "127.0.0.1", cls.port, timeout=20, context=context)
        try:
            body = body.encode() if isinstance(body, str) else body
            connection.request(method, path, body, {"Host": HOST, **(headers or {})})
            return answer(connection.getresponse())
        finally:
            connection.close()

    def fed(self, dataset):
        """Makes a feed; returns the target of a query."""
        self.make_feed(dataset)
        return f"/v1/datasets/{dataset}/layouts/phone/elements?rect=0,0,390,844"

    def test_the_configuration_is_valid(self):
        done = subprocess.run(self.command("-t", "-q"), capture_output=True, text=True)
        self.assertEqual((done.returncode, done.stderr), (0, ""))

    def test_imports_are_streamed_to_the_service(self):
        lines = "".join(json.dumps(line) + "\n" for line in feed(1000)).encode()
        middle = lines.index(b"\n", len(lines) // 2) + 1
        with self.connect() as connection:
            connection.sendall((
                f"POST /v1/datasets/streamed/import?id=streamed HTTP/1.1\r\nHost: {HOST}\r\n"
                f"Content-Type: {NDJSON}\r\nContent-Length: {len(lines)}\r\n\r\n").encode())
            connection.sendall(lines[:middle])
            path = "/v1/datasets/streamed/imports/streamed"
            wait_for(lambda: self.get(path).status == 200 and self.get(path).json["bytes"] > 0,
                     "the proxy does not buffer the body", 5)
            connection.sendall(lines[middle:])
            self.assertEqual(read_answer(connection).json["imported"], 1000)

    def test_only_pinned_answers_are_cached(self):
        target = self.fed("kept")
        found = [self.get(target) for _ in range(3)]
        self.assertEqual({one.header("x-cache") for one in found}, {"MISS"})
        tag = found[0].header("etag")
        self.assertEqual(self.get(target, If_None_Match=tag).status, 304)
        pinned = f"{target}&at={urllib.parse.quote(tag, safe='')}"
        found = [self.get(pinned) for _ in range(3)]
        self.assertEqual([one.header("x-cache") for one in found], ["MISS", "HIT", "HIT"])
        self.assertEqual(len({one.body for one in found}), 1)
        line = {"op": "resize", "key": "k1", "width": 1, "height": 9}
        self.assertEqual(self.ndjson("/v1/datasets/kept/batches", [line]).status, 200)
        # The cached answer still has that state; another URL of it is rejected and not
        # cached.
        self.assertEqual(self.get(pinned).body, found[0].body)
        for _ in range(2):
            gone = self.get(pinned + "&limit=7")
            self.assertEqual((gone.status, gone.header("x-cache")), (409, "MISS"))

    def test_formats_are_cached_separately(self):
        target = self.fed("forms")
        tag = urllib.parse.quote(self.get(target).header("etag"), safe="")
        pinned = f"{target}&at={tag}"
        for coding in ("identity", "gzip") * 2:
            found = self.get(pinned, Accept_Encoding=coding)
            self.assertEqual(found.status, 200, found)
            is_compressed = found.body[:2] == b"\x1f\x8b"
            self.assertEqual(found.header("content-encoding") == "gzip", is_compressed)
            self.assertFalse(is_compressed and coding == "identity")

    def test_each_dataset_is_routed_to_one_service(self):
        names = [f"shared-{number}" for number in range(24)]
        for name in names:
            self.assertEqual(self.request("PUT", f"/v1/datasets/{name}").status, 201)
            self.assertEqual(self.get(f"/v1/datasets/{name}").status, 200)
        homes = []
        for one in self.services:
            homes.append({row["dataset"] for row in one.get("/v1/datasets").json["datasets"]})
        self.assertEqual(homes[0] & homes[1], set())
        for home in homes:
            self.assertTrue(home & set(names))

    def test_the_services_answer_for_the_public_name(self):
        own, foreign = f"https://{HOST}", "https://evil.example"
        for headers, status in (
                ({"Origin": own}, 201), ({"Origin": foreign}, 403), ({"Host": "evil.example"}, 421)):
            found = self.request("PUT", f"/v1/datasets/from-{status}", headers=headers)
            self.assertEqual(found.status, status, found)

    def test_metrics_are_not_public(self):
        self.assertEqual(self.get("/metrics").status, 403)

    def test_events_are_forwarded_one_by_one(self):
        self.make_feed("watched")
        with self.connect(timeout=5) as connection:
            connection.sendall(
                f"GET /v1/datasets/watched/events HTTP/1.1\r\nHost: {HOST}\r\n\r\n".encode())
            # At once, and not when there is much.
            text = connection.recv(65536)
            self.assertIn(b"text/event-stream", text)
            for height in (5, 6, 7):
                line = {"op": "resize", "key": "k1", "width": 1, "height": height}
                revision = self.ndjson("/v1/datasets/watched/batches", [line]).json["revision"]
                while b"id: %d." % revision not in text:
                    text += connection.recv(65536)
