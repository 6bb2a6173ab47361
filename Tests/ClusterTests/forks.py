"""A client that makes the log lose acknowledged changes of a dataset, as a fail-over to a
standby without them would, and records how nodes and streams announce that."""

import json
import threading
import time

from clients import Client, follow
from feeds import lines

# How long a node may take to announce a lost tail, during other faults.
ANNOUNCED = 120


class Listener(threading.Thread):
    """Records a dataset's events at one node: (time, kind, revision)."""

    def __init__(self, asker, dataset, incarnation, revision):
        super().__init__(name=f"listener {asker.target}", daemon=True)
        self.asker, self.dataset, self.incarnation = asker, dataset, incarnation
        self.last, self.events, self.is_over = revision, [], threading.Event()

    def run(self):
        while not self.is_over.is_set():
            follow(self.asker, self.dataset, f"?incarnation={self.incarnation}", self.last, 5,
                   self.is_over.is_set, self.take)
            self.is_over.wait(0.3)

    def take(self, event):
        kind = event.get("event")
        if kind in ("commit", "reset"):
            data = json.loads(event["data"])
            self.last, self.incarnation = data["revision"], data["incarnation"]
            self.events.append((time.monotonic(), kind, self.last))


class Forker(Client):
    def __init__(self, cluster, name, seed):
        super().__init__(cluster, name, seed)
        self.number = self.count = 0

    def step(self):
        self.number += 1
        dataset = f"fork-{self.number}"
        self.until_answered("PUT", f"/v1/datasets/{dataset}", None, {})
        if all(self.change(dataset) for _ in range(2)):
            self.fork(dataset)
        self.until_answered("DELETE", f"/v1/datasets/{dataset}", None, {},
                            lambda reply: reply.is_done or reply.status == 404)
        self.pause(4)

    def change(self, dataset):
        """Commits a batch; returns the reply, or None if its outcome is unknown."""
        self.count += 1
        key = f"{self.session}-{self.count}"
        body = lines([{"op": "upsert", "section": "s", "items": [
            {"key": key, "width": 1, "height": 1}]}])
        reply, is_unknown = self.until_answered(
            "POST", f"/v1/datasets/{dataset}/batches", body, {"Idempotency-Key": key})
        return reply if reply.is_done and not is_unknown else None

    def fork(self, dataset):
        found = self.asker("proxy").ask("GET", f"/v1/datasets/{dataset}")
        kept = self.head(dataset)
        if not found.is_done or not kept:
            return
        listeners = {}
        for node in self.cluster.machines:
            listeners[node] = Listener(
                self.cluster.nodes.asker(node), dataset, found.json["incarnation"],
                found.revision)
            listeners[node].start()
        try:
            self.lose(dataset, found.revision, kept, listeners)
        finally:
            for listener in listeners.values():
                listener.is_over.set()
            for listener in listeners.values():
                listener.join(10)

    def lose(self, dataset, revision, kept, listeners):
        replies = [self.change(dataset) for _ in range(self.random.randint(1, 3))]
        lost = self.head(dataset)
        if not all(replies) or not lost:
            return
        token = replies[-1].position
        self.wait(lambda: all(any(event[2] >= replies[-1].revision for event in one.events)
                              for one in listeners.values()), 15)
        if not self.restore(dataset, kept, lost):
            return
        one = {"dataset": dataset, "first": revision + 1, "last": replies[-1].revision,
               "restored": time.monotonic(),
               "statuses": {node: [] for node in self.cluster.machines}}
        self.cluster.figures.count("lost tails")
        for _ in range(self.random.randint(0, 4)):
            self.change(dataset)
        self.wait(lambda: self.is_announced(dataset, token, one, listeners), ANNOUNCED)
        # For good.
        self.pause(2)
        self.ask_all(dataset, token, one)
        one["events"] = {node: list(listener.events) for node, listener in listeners.items()}
        if not self.cluster.is_over.is_set():
            self.cluster.observations.note("forks", one)

    def wait(self, condition, seconds):
        end = time.monotonic() + seconds
        while not self.cluster.is_over.is_set() and time.monotonic() < end and not condition():
            time.sleep(0.3)

    def is_announced(self, dataset, token, one, listeners):
        self.ask_all(dataset, token, one)
        return (all(statuses and statuses[-1] == 409 for statuses in one["statuses"].values())
                and all(any(kind == "reset" and moment > one["restored"]
                            for moment, kind, _ in listener.events)
                        or not any(revision >= one["first"] for _, _, revision in listener.events)
                        for listener in listeners.values()))

    def ask_all(self, dataset, token, one):
        for node, statuses in one["statuses"].items():
            reply = self.asker(node).ask(
                "GET", f"/v1/datasets/{dataset}", headers={"Min-Revision": token}, seconds=5)
            if reply.status in (200, 409):
                statuses.append(reply.status)

    # The log

    def head(self, dataset):
        rows = self.cluster.database.rows(
            "SELECT head, encode(chain, 'hex'), cost FROM layoutcache.dataset "
            f"WHERE name = '{dataset}'", 5)
        return rows[0] if rows else None

    def restore(self, dataset, kept, lost):
        """Returns the log of a dataset to an earlier head, in one transaction."""
        return self.cluster.database.rows(f"""
          WITH found AS (
            UPDATE layoutcache.dataset
            SET head = {kept[0]}, chain = '\\x{kept[1]}', cost = {kept[2]}
            WHERE name = '{dataset}' AND chain = '\\x{lost[1]}' RETURNING id
          ), gone AS (DELETE FROM layoutcache.log l USING found
            WHERE l.dataset = found.id AND l.last > {kept[0]} RETURNING l.last
          )
          SELECT found.id, (SELECT count(*) FROM gone) FROM found""", 10)
