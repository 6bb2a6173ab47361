"""Three nodes of the service over one log, each with its own small disk, and nginx."""

import glob
import json
import os
import secrets
import shutil

from asking import Asker
from network import MACHINES
from processes import Failed, Program, build_preload, run, wait_until
from service import token_line

PORT, PROXY_PORT = 8080, 8088
DISK_MEGABYTES = 256
# The files' limit: datasets that are rarely used are evicted and loaded again.
FILE_MEGABYTES = 6
# The clocks of two nodes are wrong, by less than the time for which idempotency keys are stored.
SKEWS = {"a": -5 * 3600, "c": 7 * 3600}

PROXY = """
worker_processes 1;
daemon off;
pid %(folder)s/nginx.pid;
error_log %(folder)s/nginx-errors.log warn;
events { worker_connections 512; }
http {
    access_log off;
%(temporary)s
    map $request_uri $dataset {
        "~^/v1/datasets/(?<name>[^/?]+)" $name;
        default "";
    }
    # An unreachable node is skipped, but one that answers 503 is not: it still serves reads
    # while the log is unavailable. A non-idempotent request (POST) that was sent to one node
    # is not sent to another: the client must query its outcome.
    upstream nodes {
        hash $dataset consistent;
%(servers)s
        keepalive 32;
    }
    server {
        listen %(address)s:%(port)d;
        client_max_body_size 16m;
        proxy_http_version 1.1;
        proxy_set_header Connection "";
        proxy_set_header Host $host;
        proxy_connect_timeout 1s;
        proxy_read_timeout 20s;
        proxy_next_upstream error timeout;
        proxy_next_upstream_tries 3;
        location / { proxy_pass http://nodes; }
        location ~ ^/v1/datasets/.+/import$ {
            proxy_request_buffering off;
            proxy_pass http://nodes;
        }
        location ~ ^/v1/datasets/.+/events$ {
            proxy_buffering off;
            proxy_pass http://nodes;
        }
    }
}
"""


class Nodes:
    def __init__(self, network, folder, binary, log_url):
        self.network, self.folder, self.binary = network, folder, binary
        self.log_url = log_url
        self.token = secrets.token_urlsafe(18)
        self.tokens = f"{folder}/tokens"
        with open(self.tokens, "w", encoding="ascii") as file:
            file.write(token_line("test", token=self.token))
        self.clock = build_preload(folder, "wrong_clock")
        self.programs = {name: self._program(name, name) for name in MACHINES}
        self.proxy = self._proxy()

    def database(self, name):
        return f"{self.folder}/{name}/disk/cache.sqlite"

    def _program(self, name, machine):
        disk = f"{self.folder}/{name}/disk"
        os.makedirs(disk, exist_ok=True)
        if self.network.is_isolated:
            run(["mount", "-t", "tmpfs", "-o", f"size={DISK_MEGABYTES}m", "none", disk])
        clock = (["env", f"LD_PRELOAD={self.clock}", f"WRONG_CLOCK={SKEWS[name]}"]
                 if name in SKEWS else [])
        return Program(f"node {name}", self.network.words(machine) + clock + [
            self.binary, "serve", "--log", self.log_url, "--database", self.database(name),
            "--host", self.network.addresses[machine],
            "--port", str(PORT if name == machine else PORT + 1),
            "--tokens", self.tokens, "--set", f"cluster.node={name}",
            "--set", f"cluster.diskMegabytes={FILE_MEGABYTES}",
        ], f"{self.folder}/node-{name}.log")

    def fourth(self):
        """Starts a node with an empty disk on the first machine, without the proxy."""
        return self._program("fresh", MACHINES[0])

    def _proxy(self):
        program = shutil.which("nginx", path=os.environ["PATH"] + ":/usr/sbin")
        if not program:
            raise Failed("there is no nginx; run Scripts/setup-cluster-test.sh")
        path = f"{self.folder}/nginx.conf"
        with open(path, "w", encoding="utf-8") as file:
            file.write(PROXY % {
                "folder": self.folder, "address": self.network.addresses["hub"],
                "port": PROXY_PORT,
                "temporary": "\n".join(
                    f"    {kind}_temp_path {self.folder}/nginx-{kind};"
                    for kind in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")),
                "servers": "\n".join(
                    f"        server {self.network.addresses[name]}:{PORT} "
                    "max_fails=2 fail_timeout=2s;" for name in MACHINES)})
        return Program("nginx", [program, "-e", f"{self.folder}/nginx-errors.log",
                                 "-p", self.folder, "-c", path], f"{self.folder}/nginx.log")

    def start(self):
        run([self.binary, "cluster", "init", "--log", self.log_url])
        for name in MACHINES:
            self.programs[name].start()
        self.proxy.start()
        for name in MACHINES:
            wait_until(f"node {name} is ready", lambda one=name: self.is_ready(one), 60)
        wait_until("nginx is ready", lambda: self.is_ready("proxy"), 10)

    # Requests

    def targets(self):
        """The targets of clients: each node, and the proxy."""
        return {**{name: (self.network.addresses[name], PORT) for name in MACHINES},
                "proxy": (self.network.addresses["hub"], PROXY_PORT)}

    def asker(self, target, session=""):
        address, port = (self.targets()[target] if target != "fresh"
                         else (self.network.addresses[MACHINES[0]], PORT + 1))
        return Asker(target, address, port, self.token, session)

    def readiness(self, name):
        """The answer of /readyz; None if there is none."""
        with self.asker(name) as asker:
            found = asker.ask("GET", "/readyz", seconds=3)
            if found.status is None:
                return None
            try:
                return found.json
            except ValueError:
                return {}

    def is_ready(self, name):
        found = self.readiness(name)
        return bool(found and found.get("status") == "ready"
                    and found.get("cluster", {}).get("log", "reachable") == "reachable")

    # Faults and maintenance

    def wipe(self, name):
        for path in glob.glob(f"{self.folder}/{name}/disk/*"):
            shutil.rmtree(path) if os.path.isdir(path) else os.unlink(path)

    def fill_disk(self, name):
        """Fills a node's disk; returns the number of bytes written."""
        path = f"{self.folder}/{name}/disk/filler"
        try:
            with open(path, "ab", buffering=0) as file:
                while True:
                    file.write(bytes(1 << 16))
        except OSError:
            return os.path.getsize(path)

    def free_disk(self, name):
        path = f"{self.folder}/{name}/disk/filler"
        if os.path.exists(path):
            os.unlink(path)

    def repair(self):
        for name in MACHINES:
            self.free_disk(name)
            self.programs[name].resume()
            self.programs[name].start()
        self.proxy.start()

    def checkpoint(self, datasets):
        """Makes checkpoints, and cuts the logs as far as possible."""
        run([self.binary, "cluster", "checkpoint", "--log", self.log_url,
             *(word for dataset in datasets for word in ("--dataset", dataset))], 90)

    def verify(self, database):
        """Verifies a node's file; returns the problems found."""
        text = run([self.binary, "verify", "--database", database, "--json"], 300, check=False)
        try:
            problems = json.loads(text)["problems"]
        except (ValueError, KeyError):
            return text or "verify printed nothing"
        return problems or None
