"""Clients that change datasets, and then read their changes."""

import time

from asking import now
from feeds import LAYOUTS, RECTS
from readers import Reader


class Writer(Reader):
    """Sends batches, some of them for a revision, and undos."""

    def __init__(self, cluster, name, seed, feeds, wait):
        super().__init__(cluster, name, seed, feeds, wait)
        self.number = 0
        self.revisions = {}

    def step(self):
        # A few datasets get most of the changes.
        hot = self.feeds[:3]
        feed = self.random.choice(hot if self.random.random() < 0.6 else self.feeds)
        self.number += 1
        name = f"{self.session}-{self.number}"
        where, body = f"/v1/datasets/{feed.name}/batches", feed.batch(self.random, name)
        headers = {"Idempotency-Key": name, "Content-Type": "application/x-ndjson"}
        if self.random.random() < 0.1:
            where, body = f"/v1/datasets/{feed.name}/undo", None
        if self.random.random() < 0.2 and feed.name in self.revisions:
            headers["If-Match"] = f'"{self.revisions[feed.name]}"'
        self.cluster.history.body(feed.name, name, body)
        begin = now()
        reply, is_unknown = self.until_answered("POST", where, body, headers)
        self.note_write(feed.name, name, begin, reply, is_unknown)
        if reply.is_done and self.random.random() < 0.3:
            # Reads its own write on any node.
            self.read(feed.name, self.random.choice(list(LAYOUTS)), self.random.choice(RECTS))
        self.pause(self.wait)

    def note_write(self, dataset, name, begin, reply, is_unknown):
        outcome = "unknown"
        if reply.is_done:
            outcome = "committed"
            self.revisions[dataset] = reply.revision
            self.note_seen(dataset, reply)
        elif reply.is_refused:
            # An earlier attempt may still be under way; at another revision it has no effect.
            outcome = "refused" if reply.status == 412 or not is_unknown else "unknown"
            if reply.status == 412:
                self.revisions[dataset] = reply.json["revision"]
            elif reply.status != 409:
                self.cluster.history.finding(f"write {name} to {dataset}: {reply}")
        elif reply.is_nothing_done and not is_unknown:
            outcome = "refused"
        self.cluster.figures.write(outcome, now() - begin)
        if outcome == "committed":
            self.cluster.observations.note("writes", dataset, begin / 1e9, time.monotonic())
        self.cluster.history.write(
            self.session, begin, now(), dataset, name, outcome, reply.revision)
