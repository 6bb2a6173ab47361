"""Clients that rename, remove and change the same datasets."""

import threading
import time

from asking import now
from clients import Client
from feeds import lines


class Names:
    """The datasets that clients of names share. No name is given twice."""

    def __init__(self):
        self.lock = threading.Lock()
        # The names that each may have now. Those that move are never removed.
        self.present = {"moving-0": ["moving-0"], "moving-1": ["moving-1"]}
        self.fleeting = 0

    def add(self, dataset, name):
        with self.lock:
            self.present[dataset] = [*self.present.get(dataset, ())[-2:], name]

    def drop(self, dataset):
        with self.lock:
            self.present.pop(dataset, None)

    def choose(self, random):
        """Returns a dataset and a name of it, mostly the last one; None as the name of one that
        must be created."""
        with self.lock:
            if len(self.present) < 4:
                self.fleeting += 1
                return f"fleeting-{self.fleeting}", None
            dataset = random.choice(sorted(self.present))
            known = self.present[dataset]
        return dataset, known[-1] if random.random() < 0.8 else random.choice(known)


class Namer(Client):
    """Renames datasets that other clients also rename, remove and change."""

    def __init__(self, cluster, name, seed, names):
        super().__init__(cluster, name, seed)
        self.names, self.number = names, 0

    def step(self):
        self.number += 1
        dataset, name = self.names.choose(self.random)
        choice = self.random.random()
        if not name:
            self.make(dataset)
        elif choice < 0.35:
            self.rename(dataset, name)
        elif choice < 0.5 and dataset.startswith("fleeting"):
            self.remove(dataset, name)
        elif choice < 0.75 and dataset.startswith("moving"):
            self.change(dataset, name)
        else:
            self.read(name)
        self.pause(0.2)

    def make(self, dataset):
        reply, _ = self.until_answered("PUT", f"/v1/datasets/{dataset}", None, {})
        if reply.status == 201:
            self.names.add(dataset, dataset)

    def rename(self, dataset, name):
        target = f"{dataset}-{self.session}{self.number}"
        if self.act("POST", f"/v1/datasets/{name}/rename?to={target}", name, target):
            self.names.add(dataset, target)
        self.cluster.figures.count("renames")

    def remove(self, dataset, name):
        if self.act("DELETE", f"/v1/datasets/{name}", name, None):
            self.names.drop(dataset)
        self.cluster.figures.count("removals")

    def act(self, method, where, source, target):
        """Changes a name; returns whether that may have worked."""
        begin = time.monotonic()
        reply, is_unknown = self.until_answered(method, where, None, {})
        outcome = reply.outcome(is_unknown)
        if reply.is_refused and reply.status != 404:
            self.cluster.history.finding(f"{method} {where}: {reply}")
        self.cluster.observations.note("names", source, target, begin, time.monotonic(), outcome)
        return outcome != "refused"

    def change(self, dataset, name):
        write = f"{self.session}-{self.number}"
        body = lines([{"op": "upsert", "section": "s", "items": [
            {"key": write, "width": 1, "height": 1}]}])
        begin = now()
        reply, is_unknown = self.until_answered(
            "POST", f"/v1/datasets/{name}/batches", body, {"Idempotency-Key": write})
        outcome = "committed" if reply.is_done else reply.outcome(is_unknown)
        if reply.is_refused and reply.status != 404:
            self.cluster.history.finding(f"write {write} to {name}: {reply}")
        self.cluster.figures.write(outcome, now() - begin)
        self.cluster.history.write(
            self.session, begin, now(), dataset, write, outcome, reply.revision)

    def read(self, name):
        begin = time.monotonic()
        reply = self.asker(self.any_target()).ask("GET", f"/v1/datasets/{name}")
        if reply.is_done and reply.age is not None:
            self.cluster.observations.note("accesses", name, begin - reply.age / 1e9)
