"""All parts of the cluster: machines, their databases, nodes, and clients."""

import random
import threading
import time

from asking import now
from database import DatabaseCluster
from feeds import BulkyFeed, Feed, ask, make
from figures import Figures
from forks import Forker
from history import History
from intruders import Intruder
from namers import Namer, Names
from network import MACHINES, Network
from nodes import Nodes
from observations import LOCKED, Observations, Pulse
from owners import Importer, LayoutOwner
from processes import Failed, wait_until
from readers import Reader, Watcher
from writers import Writer

RECOVERY_SECONDS = 150
# After that, a standby does not recover by itself.
STRAGGLER_SECONDS = 75


class Cluster:
    machines = MACHINES

    def __init__(self, folder, binary, is_isolated, seed):
        self.folder, self.seed = folder, seed
        self.random = random.Random(f"{seed}/faults")
        self.network = Network(is_isolated)
        self.history, self.figures = History(folder), Figures()
        self.observations = Observations()
        self.database = DatabaseCluster(self.network, folder)
        self.nodes = Nodes(self.network, folder, binary, self.database.url())
        self.is_over = threading.Event()
        self.feeds = [Feed(f"hot{number}", 400) for number in range(3)]
        self.feeds += [Feed(f"cold{number}", 60) for number in range(24)]
        # Each is changed by separate clients: one that is evicted and comes back, one with
        # long batches, and one that faults lock.
        self.rare = [Feed(f"rare{number}", 60) for number in range(6)]
        self.bulky, self.locked = BulkyFeed("bulky", 60), Feed(LOCKED, 60)
        self.names, self.clients = Names(), []
        # The log's format and rules, as text.
        self.versions = None

    def start(self):
        self.database.start()
        self.database.make_database()
        self.nodes.start()
        self.versions = self.database.rows(
            "SELECT format_min, format, rules FROM layoutcache.cluster", 5)[0]
        self.database.keep_what_is_cut()
        for number, feed in enumerate(self.all_feeds):
            self._make(feed, MACHINES[number % 3])

        with self.nodes.asker(MACHINES[0]) as asker:
            for name in sorted(self.names.present):
                ask(asker, "PUT", f"/v1/datasets/{name}")

    @property
    def all_feeds(self):
        return [*self.feeds, *self.rare, self.bulky, self.locked]

    def _make(self, feed, target):
        with self.nodes.asker(target) as asker:
            make(asker, feed)
            for number, body in enumerate(feed.first_batches):
                begin, name = now(), f"first-{number}"
                reply = ask(asker, "POST", f"/v1/datasets/{feed.name}/batches", body, name)
                self.history.body(feed.name, name, body)
                self.history.write(
                    "setup", begin, now(), feed.name, name, "committed", reply.revision, target)

    def start_clients(self, without=()):
        seed = self.seed
        self.clients = [Writer(self, f"writer{number}", seed, self.feeds, 0.05)
                        for number in range(5)]
        self.clients += [Reader(self, f"reader{number}", seed, self.feeds, 0.05)
                         for number in range(2)]
        for name in (*MACHINES, "proxy"):
            self.clients.append(Reader(self, f"probe-{name}", seed, self.feeds, 0.1, name))
            self.clients.append(Watcher(self, f"watcher-{name}", seed, "hot0", name))
        self.clients.append(LayoutOwner(
            self, "layouts", seed, [feed.name for feed in self.feeds[:6]]))
        self.clients.append(Importer(self, "importer", seed))
        self.clients.append(Writer(self, "rare", seed, self.rare, 1))
        self.clients.append(Writer(self, "bulky", seed, [self.bulky], 5))
        self.clients += [Writer(self, f"locked{number}", seed, [self.locked], 0.5)
                         for number in range(3)]
        self.clients += [Namer(self, f"namer{number}", seed, self.names) for number in range(3)]
        self.clients.append(Forker(self, "forker", seed))
        self.clients.append(Intruder(self, "intruder", seed))
        self.clients = [one for one in self.clients if one.session not in without]
        self.figures.begin()
        Pulse(self.observations, self.is_over).start()
        for client in self.clients:
            client.start()

    def stop_clients(self):
        self.is_over.set()
        for client in self.clients:
            client.join(180)
            if client.is_alive():
                self.history.finding(f"{client.session} does not end")

    def repair(self):
        """Repairs everything, and waits until it works; returns the seconds that took."""
        begun = time.monotonic()
        self.network.heal()
        self.database.repair()
        self.nodes.repair()
        # Patroni's list of members is some seconds old.
        time.sleep(4)
        try:
            wait_until("PostgreSQL is whole", self.is_whole, STRAGGLER_SECONDS)
        except Failed:
            self.figures.count("standbys re-created by hand",
                               len(self.database.make_stragglers_anew()))
            wait_until("PostgreSQL is whole", self.is_whole, RECOVERY_SECONDS)
        self.restore_versions()
        for name in MACHINES:
            wait_until(f"node {name} is ready", lambda one=name: self.nodes.is_ready(one),
                       RECOVERY_SECONDS)
            wait_until(f"node {name} takes changes", lambda one=name: self.takes_changes(one),
                       RECOVERY_SECONDS)
        return time.monotonic() - begun

    def restore_versions(self):
        """Gives the log the format and the rules of these nodes again."""
        def is_restored():
            return self.database.rows(
                "UPDATE layoutcache.cluster SET (format_min, format, rules) = ({}, {}, {}) "
                "RETURNING true".format(*self.versions), 5)
        self.observations.upgraded(False)
        wait_until("the log has its format and rules again", is_restored, 60)

    def is_whole(self):
        self.database.repair()
        return (self.database.is_whole()
                and all(self.database.postmaster(name) for name in MACHINES))

    def takes_changes(self, name):
        with self.nodes.asker(name) as asker:
            return asker.ask("PUT", f"/v1/datasets/probe-{time.monotonic_ns()}").is_done
