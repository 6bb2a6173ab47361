"""The storage of the log: three etcd and three PostgreSQL under Patroni."""

import contextlib
import glob
import json
import os
import shutil
import signal
import subprocess
import urllib.error
import urllib.request

from network import MACHINES
from processes import (
    Failed, Program, build_preload, kill_family, run, signal_all, stop_family, wait_until)

DATABASE = "layoutcache"
# The shortest times that Patroni accepts; a failed leader is detected after TTL seconds.
TTL, LOOP, RETRY = 20, 2, 3


def programs():
    """Returns the folder of PostgreSQL's server programs."""
    places = os.environ["PATH"].split(":") + sorted(
        glob.glob("/usr/lib/postgresql/*/bin"), reverse=True)
    for place in places:
        if all(os.access(f"{place}/{name}", os.X_OK) for name in ("initdb", "pg_rewind")):
            return place
    raise Failed("there is no PostgreSQL; run Scripts/setup-cluster-test.sh")


def as_server():
    """Returns the command prefix for PostgreSQL programs, which do not run as root."""
    if os.geteuid():
        return []
    return ["setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups"]


class DatabaseCluster:
    def __init__(self, network, folder):
        self.network, self.folder = network, folder
        self.etcd, self.patroni = {}, {}
        # The stopped processes, the sessions that hold locks, and the machines whose disk does
        # not answer.
        self.stopped, self.sessions, self.frozen = [], [], set()
        self.disk = build_preload(folder, "frozen_disk")
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
            # Otherwise a member that was cut off deposes the leader when it is back, and Patroni
            # stops a leader of PostgreSQL whose key it can't renew in the meantime.
            "--pre-vote",
        ], f"{self.folder}/etcd-{name}.log")
        path = f"{place}/patroni.yml"
        with open(path, "w", encoding="utf-8") as file:
            # JSON is YAML.
            json.dump(self._configuration(name, place), file, indent=1)
        disk = ["env", f"LD_PRELOAD={self.disk}", f"FROZEN_DISK={self._ice(name)}"]
        self.patroni[name] = Program(
            f"patroni {name}", words + disk + ["/usr/bin/patroni", path],
            f"{self.folder}/patroni-{name}.log")

    def _configuration(self, name, place):
        address = self.network.addresses[name]
        return {
            "scope": "layoutcache", "name": name,
            "restapi": {"listen": f"{address}:8008", "connect_address": f"{address}:8008"},
            # Not `etcd3`: with it, Patroni 3.0.2 writes the leader's key even after its own
            # lease has ended, whoever holds it. A member that a stale etcd still reports as
            # leader would then lead in addition to another.
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
                            # A failed standby is detected within seconds.
                            "wal_sender_timeout": "4s", "wal_receiver_timeout": "4s",
                            "wal_retrieve_retry_interval": "500ms",
                            "log_line_prefix": "%m [%p] "}}},
                "initdb": [{"encoding": "UTF8"}, {"locale": "C"}, "data-checksums"]},
            "postgresql": {
                "listen": f"{address}:5432", "connect_address": f"{address}:5432",
                "data_dir": f"{place}/data", "bin_dir": programs(),
                # A new standby would wait for up to 4 minutes for a checkpoint that is spread.
                "basebackup": {"checkpoint": "fast"},
                "pgpass": f"{place}/pgpass", "remove_data_directory_on_rewind_failure": True,
                "remove_data_directory_on_diverged_timelines": True,
                "authentication": {
                    "superuser": {"username": "postgres", "password": "unused"},
                    "replication": {"username": "replicator", "password": "unused"}},
                "pg_hba": ["local all all trust", "host all all 0.0.0.0/0 trust",
                           "host replication all 0.0.0.0/0 trust"],
                "parameters": {"unix_socket_directories": place}},
            # There is no watchdog in a namespace: the log must be safe without one.
            "watchdog": {"mode": "off"}}

    def start(self):
        for one in [*self.etcd.values(), *self.patroni.values()]:
            one.start()
        wait_until("a leader and a synchronous standby", self.is_whole, 120)

    def stop(self):
        """Stops everything immediately; the data is not read again."""
        for name in MACHINES:
            self.crash(name)
            self.etcd[name].kill()

    # State

    def members(self):
        """Patroni's members, from the first machine that answers; empty if none does."""
        for name in MACHINES:
            url = f"http://{self.network.addresses[name]}:8008/cluster"
            with contextlib.suppress(OSError, ValueError, urllib.error.URLError):
                with urllib.request.urlopen(url, timeout=2) as answer:
                    return json.load(answer).get("members", [])
        return []

    def leader(self):
        """The leading machine according to Patroni; None if there is none."""
        for member in self.members():
            if member["role"] in ("leader", "master") and member["state"] == "running":
                return member["name"]
        return None

    def streaming(self):
        """The machines that follow the leader now, according to the leader."""
        rows = self.rows("SELECT application_name FROM pg_stat_replication "
                         "WHERE state = 'streaming'", 5, "postgres")
        return {row[0] for row in rows or []} & set(MACHINES)

    def is_whole(self):
        """Whether one machine leads, one follows synchronously, and the third follows."""
        roles = sorted(member["role"] for member in self.members())
        return roles == ["leader", "replica", "sync_standby"] and len(self.streaming()) == 2

    # Faults and repairs

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

    def hang(self, name):
        """Stops all processes of PostgreSQL on a machine, not those of Patroni."""
        number = self.postmaster(name)
        if number:
            self.stopped += stop_family(number)

    def freeze_disk(self, name):
        """PostgreSQL's writes and syncs on a machine wait; it serves what it has in memory."""
        self.frozen.add(name)
        with open(self._ice(name), "wb"):
            pass

    def _ice(self, name):
        """The file that exists while a machine's disk does not answer."""
        return f"{self.folder}/{name}-disk-is-frozen"

    def hold(self, statement, seconds):
        """Runs a statement in a session of an operator that then stays in its transaction."""
        self.sessions.append(subprocess.Popen(
            ["psql", "-X", "-q", "-d", self.url("postgres"), "-c",
             f"BEGIN; {statement}; SELECT pg_sleep({seconds}); ROLLBACK"],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
            env=dict(os.environ, PGCONNECT_TIMEOUT="2")))

    def wipe(self, name):
        """Restarts the machine with an empty disk."""
        self.crash(name)
        shutil.rmtree(f"{self.folder}/{name}/data", ignore_errors=True)
        self.patroni[name].start()

    def make_stragglers_anew(self):
        """Re-creates standbys that cannot recover, as an operator would (`patronictl reinit`), for
        example if the leader failed while they were rewound. Returns those standbys."""
        leader, streaming = self.leader(), self.streaming()
        found = [name for name in MACHINES if leader and name not in (leader, *streaming)]
        for name in found:
            self.wipe(name)
        return found

    def switch_over(self, leader, candidate):
        # Patroni's list of members shows whether it has worked.
        with contextlib.suppress(Failed):
            run(["patronictl", "-c", f"{self.folder}/{leader}/patroni.yml", "switchover",
                 "--leader", leader, "--candidate", candidate, "--force"], 60)

    def repair(self):
        signal_all(self.stopped, signal.SIGCONT)
        self.stopped.clear()
        for name in self.frozen:
            os.unlink(self._ice(name))
        self.frozen.clear()
        for session in self.sessions:
            # Its transaction may be on a server that no longer answers.
            session.terminate()
            session.wait()
        self.sessions.clear()
        for one in [*self.etcd.values(), *self.patroni.values()]:
            one.resume()
            one.start()

    # Contents

    def url(self, user="layoutcache", database=DATABASE):
        hosts = ",".join(f"{self.network.addresses[name]}:5432" for name in MACHINES)
        return f"postgresql://{user}@{hosts}/{database}?target_session_attrs=read-write"

    def make_database(self):
        """Creates the role and the database of the log."""
        url = self.url("postgres", "postgres")
        for statement in ("CREATE ROLE layoutcache LOGIN",
                          f"CREATE DATABASE {DATABASE} OWNER layoutcache"):
            run(["psql", "-X", "-q", "-d", url, "-c", statement])

    def keep_what_is_cut(self):
        """Copies the entries that nodes cut, in the cutting transaction, so that the whole log can
        be read at the end."""
        done = self.rows("""
          CREATE TABLE cut (LIKE layoutcache.log);
          CREATE FUNCTION keep_cut() RETURNS trigger LANGUAGE plpgsql AS $$
            BEGIN INSERT INTO public.cut SELECT OLD.*; RETURN NULL; END $$;
          CREATE TRIGGER keep_cut AFTER DELETE ON layoutcache.log
            FOR EACH ROW EXECUTE FUNCTION public.keep_cut();
          GRANT ALL ON public.cut TO PUBLIC""")
        if done is None:
            raise Failed("cut entries can't be kept")

    def rows(self, sql, seconds=20, database=DATABASE):
        """The rows of a query on the leader, as texts; None if there is no leader."""
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
