"""Clients that read: queries of rectangles, and event streams."""

import json
import time

from asking import now
from feeds import LAYOUTS, RECTS, path
from clients import Client, follow


class Reader(Client):
    """Reads on one target, or on all with the last state seen as the minimum."""

    def __init__(self, cluster, name, seed, feeds, wait, target=None):
        super().__init__(cluster, name, seed)
        self.feeds, self.wait, self.target, self.count = feeds, wait, target, 0
        # The last validator of each question.
        self.tags = {}

    def step(self):
        feed = self.random.choice(self.feeds[:3] if self.random.random() < 0.6 else self.feeds)
        self.read(feed.name, self.random.choice(list(LAYOUTS)), self.random.choice(RECTS))
        self.pause(self.wait)

    def read(self, dataset, layout, rect):
        question = f"{dataset}/{layout} {rect}"
        target = self.target or self.any_target()
        headers, stale = {}, None
        if not self.target and dataset in self.seen:
            headers["Min-Revision"] = self.seen[dataset]
        if self.random.random() < 0.15:
            stale = self.random.choice((0.5, 2, 10))
            headers["Max-Staleness"] = str(stale)
        if self.random.random() < 0.3 and question in self.tags:
            headers["If-None-Match"] = self.tags[question]
        begin = now()
        reply = self.asker(target).ask("GET", path(dataset, layout, rect), headers=headers)
        is_asked_much = "Max-Staleness" in headers or "Min-Revision" in headers
        self.cluster.figures.read(target, reply, now() - begin, is_asked_much)
        if target != "proxy":
            self.cluster.observations.note(
                "reads", target, f"{dataset}/{layout}", begin / 1e9, time.monotonic(),
                reply.status in (200, 304), not is_asked_much)
        if reply.status == 304:
            self.note_same(question, reply, begin, dataset, target)
        elif reply.is_done:
            self.note(question, reply, begin, dataset, target, layout, rect)
        elif reply.is_refused:
            self.cluster.history.finding(f"{target} refuses {question} with {headers}: {reply}")
        if reply.status in (200, 304) and stale is not None:
            if reply.age is None or reply.age > stale * 1e9:
                self.cluster.history.finding(
                    f"{target} answers {question} {reply.age} ns old, where {stale} s are asked")

    def note(self, question, reply, begin, dataset, target, layout, rect):
        tag = reply.header("etag")
        self.tags[question] = tag
        self.cluster.history.answer(question, tag, reply.digest, target)
        self.record(f"{layout} {rect} {reply.json['incarnation']}", reply, begin, dataset,
                    reply.digest, target)

    def note_same(self, question, reply, begin, dataset, target):
        known = self.cluster.history.known_answer(question, reply.header("etag"))
        if known is None:
            self.cluster.history.finding(f"{target} answers 304 to {question} with a new validator")
            return
        # The body, which is compared with others under its incarnations, is not sent again.
        self.record(f"304 {question} {reply.header('etag')}", reply, begin, dataset, known[0],
                    target)

    def record(self, question, reply, begin, dataset, digest, target):
        self.count += 1
        # A read without a minimum may see an older state.
        session = f"{self.session}-{self.count}" if self.target else self.session
        self.note_seen(dataset, reply)
        self.cluster.history.read(
            session, begin, dataset, question, reply.revision, digest, reply.age, target)


class Watcher(Client):
    """Follows a dataset's events, with Last-Event-ID after each disconnection."""

    def __init__(self, cluster, name, seed, dataset, target):
        super().__init__(cluster, name, seed)
        self.dataset, self.target = dataset, target
        self.last, self.revision = None, None

    def step(self):
        end = time.monotonic() + self.random.uniform(5, 40)
        rejected = follow(
            self.asker(self.target), self.dataset, "", self.last, 20,
            lambda: self.cluster.is_over.is_set() or time.monotonic() >= end, self.take)
        if rejected and rejected[0] < 500:
            self.cluster.history.finding(
                f"{self.target} rejects the events of {self.dataset} after {self.last}: "
                f"{rejected[0]} {rejected[1][:300]!r}")
        self.pause(0.3)

    def take(self, event):
        kind = event.get("event")
        if kind not in ("commit", "reset"):
            return
        revision = json.loads(event["data"])["revision"]
        self.cluster.figures.count("events")
        if kind == "reset":
            self.cluster.figures.count("reset events")
        elif self.revision is not None and revision != self.revision + 1:
            self.cluster.history.finding(
                f"{self.target} sends {self.dataset} at {revision} after {self.revision}, "
                f"Last-Event-ID {self.last}")
        self.revision, self.last = revision, event["id"]
