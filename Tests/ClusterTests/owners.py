"""Clients that own layouts, and datasets that they import."""

import time

from clients import Client
from feeds import layout, path

# Longer than nodes and the proxy work on a request, in seconds.
UNSURE = 60


class LayoutOwner(Client):
    """Sets and removes layouts that no other client changes, and reads them on other nodes."""

    def __init__(self, cluster, name, seed, datasets):
        super().__init__(cluster, name, seed)
        self.datasets, self.spacing = datasets, 0
        # By dataset: until when an attempt without an answer may still be applied.
        self.unsure = {}

    def step(self):
        dataset = self.random.choice(self.datasets)
        where = f"/v1/datasets/{dataset}/layouts/own"
        if self.random.random() < 0.25:
            reply, is_unknown = self.until_answered(
                "DELETE", where, None, {}, lambda reply: reply.is_done or reply.status == 404)
            wanted = None
        else:
            self.spacing += 1
            kind = self.random.choice(("stable", "flow", "grid"))
            reply, is_unknown = self.until_answered(
                "PUT", where, layout(kind, self.spacing), {"Content-Type": "application/json"})
            wanted = self.spacing
        if is_unknown:
            self.unsure[dataset] = time.monotonic() + UNSURE
        if not reply.is_done:
            # The next setting shows the outcome.
            if reply.is_refused and reply.status != 404:
                self.cluster.history.finding(f"layout of {dataset}: {reply}")
            self.pause(0.5)
            return
        self.cluster.figures.count("layouts set or removed")
        self.note_seen(dataset, reply)
        if reply.position and self.unsure.get(dataset, 0) < time.monotonic():
            self.look(dataset, where, wanted)
        self.pause(0.5)

    def look(self, dataset, where, wanted):
        target = self.random.choice(self.cluster.machines)
        found = self.asker(target).ask("GET", where, headers={"Min-Revision": self.seen[dataset]})
        if found.status not in (200, 404):
            return
        spacing = found.json["configuration"]["sectionSpacing"] if found.is_done else None
        if spacing != wanted:
            self.cluster.history.finding(
                f"{target} after {self.seen[dataset]}: the layout of {dataset} has the spacing "
                f"{spacing}, not {wanted}")
        elif wanted is not None:
            self.asker(target).ask("GET", path(dataset, "own", "0,0,390,844"))


class Importer(Client):
    """Creates its own datasets by imports, appends to them, replaces and removes them."""

    def __init__(self, cluster, name, seed):
        super().__init__(cluster, name, seed)
        self.number = 0

    def step(self):
        self.number += 1
        dataset = f"{self.session}-{self.number}"
        counts = [self.random.choice((10, 300, 3000)) for _ in range(3)]
        total = self.load(dataset, "create", "a", counts[0], 0)
        total = total and self.load(dataset, "append", "b", counts[1], total)
        if total and self.random.random() < 0.5:
            total = self.load(dataset, "replace", "c", counts[2], 0)
        if total:
            self.cluster.figures.count("datasets imported")
            if self.random.random() < 0.5:
                self.until_answered("DELETE", f"/v1/datasets/{dataset}", None, {},
                                    lambda reply: reply.is_done or reply.status == 404)
        self.pause(1)

    def load(self, dataset, mode, prefix, count, before):
        """Runs one import; returns the dataset's number of items, or None if unknown."""
        body = "".join(
            '{"key":"%s%d","width":%d,"height":%d}\n' % (prefix, number, 3 + number % 5, 4)
            for number in range(count))
        target = self.any_target()
        reply = self.asker(target).ask(
            "POST", f"/v1/datasets/{dataset}/import?mode={mode}", body,
            {"Content-Type": "application/x-ndjson"}, seconds=30)
        if not reply.is_done:
            if reply.is_refused:
                self.cluster.history.finding(f"{mode} of {dataset}: {reply}")
            return None
        self.note_seen(dataset, reply)
        other = self.random.choice(self.cluster.machines)
        found = self.asker(other).ask(
            "GET", f"/v1/datasets/{dataset}", headers={"Min-Revision": self.seen[dataset]})
        if found.status == 404 or found.is_done and found.json["items"] != before + count:
            self.cluster.history.finding(
                f"{other} after {self.seen[dataset]}: {dataset} has not {before + count} items "
                f"after {mode}: {found}")
        return before + count
