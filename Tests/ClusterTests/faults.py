"""Faults of the machines: each one is injected and returns the affected nodes. All are repaired
in the same way, by healing the network and starting stopped programs."""

import time

from observations import LOCKED
from processes import Ended, Failed, kill_family

# The seconds after which a silent leader has certainly lost its lease.
LEASE = 26
# The command's exit code for temporary failures: the log is unavailable.
AWAY = 75


class Faults:
    def __init__(self, cluster, random):
        self.cluster, self.random = cluster, random
        self.network, self.database, self.nodes = (
            cluster.network, cluster.database, cluster.nodes)
        # Whether another fault is under way, which may make the log unavailable.
        self.has_company = False

    # Machines

    def any_machine(self):
        return self.random.choice(self.cluster.machines)

    def leader(self):
        return self.database.leader() or self.any_machine()

    def standby(self):
        leader = self.leader()
        return self.random.choice([one for one in self.cluster.machines if one != leader])

    def others(self, machine):
        return [one for one in (*self.cluster.machines, "hub") if one != machine]

    # Each returns the affected nodes and its duration in seconds.

    def node_kill(self):
        name = self.any_machine()
        self.nodes.programs[name].kill()
        return [name], self.random.uniform(1, 6)

    def node_wipe(self):
        name = self.any_machine()
        self.nodes.programs[name].kill()
        self.nodes.wipe(name)
        return [name], self.random.uniform(0, 4)

    def node_stop(self):
        name = self.any_machine()
        self.nodes.programs[name].pause()
        return [name], self.random.uniform(3, 15)

    def node_past_cut(self):
        name = self.any_machine()
        self.nodes.programs[name].pause()
        time.sleep(3)
        # A log is cut after a checkpoint that is not the newest.
        for _ in range(2):
            try:
                self.nodes.checkpoint([feed.name for feed in self.cluster.feeds[:3]])
                self.cluster.figures.count("rounds of checkpoints")
            except Failed as error:
                if self.has_company and isinstance(error, Ended) and error.code == AWAY:
                    self.cluster.figures.count("rounds of checkpoints during a log outage")
                    continue
                self.cluster.history.finding(f"no checkpoints: {error}")
        return [name], 1

    def disk_full(self):
        name = self.any_machine()
        self.nodes.fill_disk(name)
        return [name], self.random.uniform(4, 12)

    def patroni_kill(self):
        """Kills only Patroni: PostgreSQL continues as the leader without supervision."""
        self.database.patroni[self.leader()].kill()
        return [], LEASE + self.random.uniform(0, 8)

    def leader_kill(self):
        self.database.crash(self.leader())
        return [], LEASE + self.random.uniform(0, 5)

    def leader_restart(self):
        """PostgreSQL crashes, and Patroni starts it again."""
        name = self.leader()
        patroni = self.database.patroni[name]
        patroni.pause()
        number = self.database.postmaster(name)
        if number:
            kill_family(number)
        patroni.resume()
        return [], 3

    def machine_crash(self):
        name = self.any_machine()
        self.nodes.programs[name].kill()
        self.database.etcd[name].kill()
        self.database.crash(name)
        return [name], self.random.uniform(3, LEASE + 5)

    def switchover(self):
        members = self.database.members()
        standby = [one["name"] for one in members if one["role"] == "sync_standby"]
        if standby:
            self.database.switch_over(self.leader(), standby[0])
        return [], self.random.uniform(1, 4)

    def cut_off(self):
        """Cuts a machine off in both directions; half of the time clients can still reach it."""
        name = self.random.choice((self.leader(), self.any_machine()))
        with_clients = self.random.random() < 0.5
        for other in self.others(name):
            if other != "hub" or with_clients:
                self.network.cut(name, other)
                self.network.cut(other, name)
        return [name] if with_clients else [], self.random.uniform(5, LEASE + 8)

    def cut_one_way(self):
        name = self.random.choice((self.leader(), self.any_machine()))
        others = [one for one in self.cluster.machines if one != name]
        if self.random.random() < 0.3:
            others = [self.random.choice(others)]
        is_mute = self.random.random() < 0.5
        for other in others:
            self.network.cut(*((name, other) if is_mute else (other, name)))
        return [], self.random.uniform(5, LEASE + 8)

    def etcd_majority(self):
        for name in self.random.sample(self.cluster.machines, 2):
            self.database.etcd[name].kill()
        return [], self.random.uniform(5, LEASE)

    def standby_wipe(self):
        self.database.wipe(self.standby())
        return [], 4

    # Operators and newer versions

    def hang(self):
        """PostgreSQL hangs: none of the leader's processes runs, and connections stay open."""
        self.database.hang(self.leader())
        return [], self.random.uniform(5, 20)

    def disk_freeze(self):
        """The disk of one PostgreSQL does not answer, but its processes run."""
        leader, seconds = self.leader(), self.random.uniform(5, 20)
        name = self.random.choice((leader, self.standby()))
        self.database.freeze_disk(name)
        if name == leader and not self.has_company:
            begin = time.monotonic()
            self.cluster.observations.note("freezes", begin, begin + seconds)
        return [], seconds

    def row_lock(self):
        """A session locks one dataset: the changes of all others continue."""
        seconds = self.random.uniform(5, 15)
        self.database.hold(
            f"SELECT FROM layoutcache.dataset WHERE name = '{LOCKED}' FOR UPDATE", seconds)
        return [], seconds

    def table_lock(self):
        """A session locks a whole table, so that even polls wait."""
        table = self.random.choice(("dataset", "log", "barrier", "cluster"))
        seconds = self.random.uniform(3, 10)
        self.database.hold(f"LOCK layoutcache.{table} IN ACCESS EXCLUSIVE MODE", seconds)
        return [], seconds

    def index(self):
        """A session creates an index, for which changes of the table wait."""
        table, column = self.random.choice((("dataset", "head"), ("log", "first")))
        seconds = self.random.uniform(3, 10)
        self.database.hold(f"CREATE INDEX ON layoutcache.{table} ({column})", seconds)
        return [], seconds

    def newer_version(self):
        """The log gets layout rules or a format of a newer version, which these nodes do not
        support."""
        change = self.random.choice((
            "rules = rules + 1", "format_min = format + 1, format = format + 1"))
        if self.database.rows(f"UPDATE layoutcache.cluster SET {change} RETURNING true", 5):
            self.cluster.observations.upgraded(True)
        return self.cluster.machines, self.random.uniform(3, 8)

    # The selection

    SIMPLE = ("node_kill", "node_wipe", "node_stop", "node_past_cut", "patroni_kill",
              "leader_kill", "leader_restart", "machine_crash", "switchover", "etcd_majority",
              "standby_wipe", "hang", "disk_freeze", "row_lock", "table_lock", "index",
              "newer_version")
    # Only in namespaces.
    ISOLATED = ("cut_off", "cut_one_way", "disk_full")

    def names(self):
        return [*self.SIMPLE, *(self.ISOLATED if self.network.is_isolated else ())]

    def plan(self):
        """Yields names without end: all once in random order, then some again, then pairs."""
        everything = self.names()
        self.random.shuffle(everything)
        for name in everything:
            yield (name,)
        while True:
            if self.random.random() < 0.4:
                yield (self.random.choice(everything),)
            else:
                yield tuple(self.random.sample(everything, 2))

    def do(self, names):
        """Injects the faults; returns the affected nodes, and the duration in seconds."""
        nodes, seconds = set(), 0
        self.has_company = len(names) > 1
        for number, name in enumerate(names):
            if number:
                time.sleep(self.random.uniform(0, 3))
            met, wanted = getattr(self, name)()
            nodes |= set(met)
            seconds = max(seconds, wanted)
        return nodes, seconds
