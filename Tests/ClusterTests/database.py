"""Three etcd and three PostgreSQL under Patroni: what the log is kept by."""

import contextlib
import glob
import json
import os
import shutil
import subprocess
import urllib.error
import urllib.request

from network import MACHINES
from processes import Failed, Program, kill_family, run, wait_until

DATABASE = "layoutcache"
# The shortest that Patroni takes; a leader that is gone is missed after TTL seconds.
TTL, LOOP, RETRY = 20, 2, 3


def programs():
    """Where PostgreSQL's server is."""
    places = os.environ["PATH"].split(":") + sorted(
        glob.glob("/usr/lib/postgresql/*/bin"), reverse=True)
    for place in places:
        if all(os.access(f"{place}/{name}", os.X_OK) for name in ("initdb", "pg_rewind")):
            return place
    raise Failed("there is no PostgreSQL; run Scripts/setup-cluster-test.sh")


def as_server():
    """What stands before programs of PostgreSQL's, which do not run as root."""
    if os.geteuid():
        return []
    return ["setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups"]


class DatabaseCluster:
    def __init__(self, network, folder):
        self.network, self.folder = network, folder
        self.etcd, self.patroni = {}, {}
        peers = ",".join(f"{name}=http://{network.addresses[name]}:2380" for name in MACHINES)
        for name in MACHINES:
            self._make_machine(name, peers)

    def _make_machine(self, name, peers):
        address = self.network.addresses[name]
        place = f"{self.folder}/{name}"
        os.makedirs(place, mode=0o755)
        if not os.geteuid():
            shutil.chown(place, "postgres", "postgres")
        words = self.network.words(name) + as_server()
        self.etcd[name] = Program(f"etcd {name}", words + [
            "etcd", "--name", name, "--data-dir", f"{place}/etcd", "--logger", "zap",
            "--listen-peer-urls", f"http://{address}:2380",
            "--initial-advertise-peer-urls", f"http://{address}:2380",
            "--listen-client-urls", f"http://{address}:2379",
            "--advertise-client-urls", f"http://{address}:2379",
            "--initial-cluster", peers, "--initial-cluster-state", "new",
            "--heartbeat-interval", "200", "--election-timeout", "2000", "--enable-v2",
        ], f"{self.folder}/etcd-{name}.log")
        path = f"{place}/patroni.yml"
        with open(path, "w", encoding="utf-8") as file:
            # JSON is YAML.
            json.dump(self._configuration(name, place), file, indent=1)
        self.patroni[name] = Program(
            f"patroni {name}", words + ["/usr/bin/patroni", path],
            f"{self.folder}/patroni-{name}.log")

    def _configuration(self, name, place):
        address = self.network.addresses[name]
        return {
            "scope": "layoutcache", "name": name,
            "restapi": {"listen": f"{address}:8008", "connect_address": f"{address}:8008"},
            # Not `etcd3`, by which Patroni 3.0.2 writes the leader's key whoever holds it, where its
            # own lease has ended: one that a stale etcd tells that it still leads comes to lead
            # beside another.
            "etcd": {"hosts": [f"{self.network.addresses[one]}:2379" for one in MACHINES]},
            "bootstrap": {
                "dcs": {
                    "ttl": TTL, "loop_wait": LOOP, "retry_timeout": RETRY,
                    "maximum_lag_on_failover": 16 << 20,
                    "synchronous_mode": True, "synchronous_mode_strict": True,
                    "postgresql": {
                        "use_pg_rewind": True, "use_slots": True,
                        "parameters": {
                            "max_connections": 100, "shared_buffers": "32MB",
                            "wal_keep_size": "256MB", "wal_compression": "on",
                            # A standby that is gone is missed within seconds.
                            "wal_sender_timeout": "4s", "wal_receiver_timeout": "4s",
                            "wal_retrieve_retry_interval": "500ms",
                            "log_line_prefix": "%m [%p] "}}},
                "initdb": [{"encoding": "UTF8"}, {"locale": "C"}, "data-checksums"]},
            "postgresql": {
                "listen": f"{address}:5432", "connect_address": f"{address}:5432",
                "data_dir": f"{place}/data", "bin_dir": programs(),
                "pgpass": f"{place}/pgpass", "remove_data_directory_on_rewind_failure": True,
                "remove_data_directory_on_diverged_timelines": True,
                "authentication": {
                    "superuser": {"username": "postgres", "password": "unused"},
                    "replication": {"username": "replicator", "password": "unused"}},
                "pg_hba": ["local all all trust", "host all all 0.0.0.0/0 trust",
                           "host replication all 0.0.0.0/0 trust"],
                "parameters": {"unix_socket_directories": place}},
            # There is no watchdog in a namespace: the log has to hold without one.
            "watchdog": {"mode": "off"}}

    def start(self):
        for one in [*self.etcd.values(), *self.patroni.values()]:
            one.start()
        wait_until("a leader and a synchronous standby", self.is_whole, 120)

    def stop(self):
        """Everything at once; nobody reads the data again."""
        for name in MACHINES:
            self.crash(name)
            self.etcd[name].kill()

    # What it is like

    def members(self):
        """What Patroni says on the first machine that answers; empty where none does."""
        for name in MACHINES:
            url = f"http://{self.network.addresses[name]}:8008/cluster"
            with contextlib.suppress(OSError, ValueError, urllib.error.URLError):
                with urllib.request.urlopen(url, timeout=2) as answer:
                    return json.load(answer).get("members", [])
        return []

    def leader(self):
        """The machine that leads, as Patroni has it; None where none does."""
        for member in self.members():
            if member["role"] in ("leader", "master") and member["state"] == "running":
                return member["name"]
        return None

    def streaming(self):
        """The machines that follow the leader now, by the leader itself."""
        rows = self.rows("SELECT application_name FROM pg_stat_replication "
                         "WHERE state = 'streaming'", 5, "postgres")
        return {row[0] for row in rows or []} & set(MACHINES)

    def is_whole(self):
        """Whether one leads, one follows synchronously and one besides."""
        roles = sorted(member["role"] for member in self.members())
        return roles == ["leader", "replica", "sync_standby"] and len(self.streaming()) == 2

    # What is done to it

    def postmaster(self, name):
        with contextlib.suppress(OSError, ValueError, IndexError):
            with open(f"{self.folder}/{name}/data/postmaster.pid", encoding="utf-8") as file:
                number = int(file.readline())
            with open(f"/proc/{number}/comm", encoding="utf-8") as file:
                return number if file.read().strip() == "postgres" else None
        return None

    def crash(self, name):
        """Kills Patroni and PostgreSQL of a machine."""
        self.patroni[name].kill()
        number = self.postmaster(name)
        if number:
            kill_family(number)
            wait_until(f"PostgreSQL on {name} is gone",
                       lambda: self.postmaster(name) != number, 10)

    def wipe(self, name):
        """The machine begins anew, with an empty disk."""
        self.crash(name)
        shutil.rmtree(f"{self.folder}/{name}/data", ignore_errors=True)
        self.patroni[name].start()

    def make_stragglers_anew(self):
        """What an operator does (`patronictl reinit`) where a standby can't come back: as when
        the leader went while it was being rewound. Gives those that it was done to."""
        leader, streaming = self.leader(), self.streaming()
        found = [name for name in MACHINES if leader and name not in (leader, *streaming)]
        for name in found:
            self.wipe(name)
        return found

    def switch_over(self, leader, candidate):
        # Whether it has come to pass shows in what Patroni says of its members.
        with contextlib.suppress(Failed):
            run(["patronictl", "-c", f"{self.folder}/{leader}/patroni.yml", "switchover",
                 "--leader", leader, "--candidate", candidate, "--force"], 60)

    def repair(self):
        for one in [*self.etcd.values(), *self.patroni.values()]:
            one.resume()
            one.start()

    # What is in it

    def url(self, user="layoutcache", database=DATABASE):
        hosts = ",".join(f"{self.network.addresses[name]}:5432" for name in MACHINES)
        return f"postgresql://{user}@{hosts}/{database}?target_session_attrs=read-write"

    def make_database(self):
        """The role and the database of the log."""
        url = self.url("postgres", "postgres")
        for statement in ("CREATE ROLE layoutcache LOGIN",
                          f"CREATE DATABASE {DATABASE} OWNER layoutcache"):
            run(["psql", "-X", "-q", "-d", url, "-c", statement])

    def keep_what_is_cut(self):
        """Puts entries that nodes cut off aside, by the transaction that cuts them: in the end the
        whole log is there to be read."""
        done = self.rows("""
          CREATE TABLE cut (LIKE layoutcache.log);
          CREATE FUNCTION keep_cut() RETURNS trigger LANGUAGE plpgsql AS $$
            BEGIN INSERT INTO public.cut SELECT OLD.*; RETURN NULL; END $$;
          CREATE TRIGGER keep_cut AFTER DELETE ON layoutcache.log
            FOR EACH ROW EXECUTE FUNCTION public.keep_cut();
          GRANT ALL ON public.cut TO PUBLIC""")
        if done is None:
            raise Failed("what is cut off can't be kept")

    def rows(self, sql, seconds=20, database=DATABASE):
        """The rows of a query on the leader, as texts; None where there is no leader."""
        environment = dict(os.environ, PGCONNECT_TIMEOUT="2")
        with contextlib.suppress(subprocess.TimeoutExpired):
            done = subprocess.run(
                ["psql", "-X", "-q", "-A", "-t", "-F", "\t", "-v", "ON_ERROR_STOP=1",
                 "-d", self.url("postgres", database), "-c", sql],
                stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=seconds,
                env=environment)
            if done.returncode == 0:
                return [line.split("\t") for line in done.stdout.splitlines()]
        return None
