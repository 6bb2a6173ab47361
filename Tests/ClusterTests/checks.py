"""The final checks: all nodes and a new one return the same answers, files are intact, and the
log contains every acknowledged write."""

import collections
import json
import os
import random
import re
import subprocess
import threading
import time

from asking import Asker, now
from feeds import REPLAYED, make, path, questions
from processes import Failed, Program, wait_until

REPLAY_SECONDS = 90


def converge(cluster, names, entries, say):
    """Asks all nodes all questions at the end of the log, and compares answers and validators."""
    begun, tags = time.monotonic(), {}
    threads = [threading.Thread(target=ask_everything, args=(cluster, target, entries, tags))
               for target in names]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    count = len(questions(cluster.all_feeds))
    if any(len(tags.get(target, ())) != count for target in names):
        cluster.history.finding(f"at the end not all nodes have answered all {count} questions")
    for question in sorted(set().union(*tags.values())):
        found = {target: tags[target].get(question) for target in names}
        if len(set(found.values())) > 1:
            cluster.history.finding(f"at the end the validators of {question} are {found}")
    say(f"{len(names)} nodes have answered {count} questions in "
        f"{time.monotonic() - begun:.1f} s, one of them with an empty disk")


def ask_everything(cluster, target, entries, tags):
    """Stores the validators of a node's answers in `tags`, by target and question."""
    mine = tags.setdefault(target, {})
    with cluster.nodes.asker(target) as asker:
        for dataset, layout_name, rect in questions(cluster.all_feeds):
            head = entries[dataset][-1][0] if entries[dataset] else 1
            begin = now()
            reply = asker.ask("GET", path(dataset, layout_name, rect),
                              headers={"Min-Revision": str(head)}, seconds=60)
            question = f"{dataset}/{layout_name} {rect}"
            if not reply.is_done:
                cluster.history.finding(f"{target} at the end: {question}: {reply}")
                continue
            if reply.revision != head:
                cluster.history.finding(
                    f"{target} at the end: {dataset} is at {reply.revision}, the log at {head}")
            mine[question] = reply.header("etag")
            cluster.history.answer(question, mine[question], reply.digest, target)
            cluster.history.read(
                f"end-{target}-{question}", begin, dataset,
                f"{layout_name} {rect} {reply.json['incarnation']}", reply.revision,
                reply.digest, reply.age, target)


def compare_logs(cluster, names):
    """Compares the logs that nodes list, as far back as each of them has it."""
    for feed in cluster.all_feeds:
        known = {}
        for target in names:
            with cluster.nodes.asker(target) as asker:
                reply = asker.ask("GET", f"/v1/datasets/{feed.name}/log?limit=500")
            if not reply.is_done:
                cluster.history.finding(f"{target} at the end: log of {feed.name}: {reply}")
                continue
            for entry in reply.json["entries"]:
                first = known.setdefault(entry["revision"], (entry, target))
                if first[0] != entry:
                    cluster.history.finding(
                        f"the log of {feed.name} has {entry} on {target}, {first[0]} on {first[1]}")


def check_readiness(cluster, names):
    """Checks that healthy nodes follow everything and report replicated commits."""
    for target in names:
        found = (cluster.nodes.readiness(target) or {}).get("cluster", {})
        if found.get("quarantined") != [] or found.get("replication") != "strict":
            cluster.history.finding(f"{target} at the end: {found}")


def check_upkeep(cluster, names):
    """Checks that nodes have made the checkpoints that were due, and counts their upkeep."""
    def is_covered():
        return cluster.database.rows(
            "SELECT 1 FROM layoutcache.dataset WHERE name = 'bulky' "
            # A node that failed while it made one has claimed the next for ten minutes.
            "AND (cost - covered < 40000 OR claimed > now())", 5)
    try:
        wait_until("the checkpoint of bulky is made", is_covered, 30)
    except Failed as error:
        cluster.history.finding(f"{error}: " + str(cluster.database.rows(
            "SELECT d.*, now() FROM layoutcache.dataset d WHERE name = 'bulky'", 5)))
    for target in names:
        with cluster.nodes.asker(target) as asker:
            text = asker.ask("GET", "/metrics").body.decode()
        for name in ("checkpoints", "evictions", "lost_tails", "locked_appends", "rejected_entries"):
            value = re.search(rf"^layoutcache_cluster_{name}_total (\d+)$", text, re.MULTILINE)
            cluster.figures.count(f"{name} of the nodes' last lives",
                                  int(value[1]) if value else 0)


def end_and_verify(cluster, programs):
    """Drains nodes, and verifies their files."""
    for name, program in programs.items():
        code = program.end(40)
        if code != 0:
            cluster.history.finding(f"node {name} ends with {code}: {program.tail(600)}")
        wrong = cluster.nodes.verify(cluster.nodes.database(name))
        if wrong:
            cluster.history.finding(f"verify of node {name}: {wrong}")


def lost_writes(operations, entries):
    """Returns the acknowledged writes that are missing from the log."""
    there = {(dataset, row[1]) for dataset, rows in entries.items() for row in rows}
    return [one["write"] for one in operations
            if one.get("outcome") == "committed" and (one["dataset"], one["write"]) not in there]


def read_lines(file):
    with open(file, encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


class Replay:
    """A replay of the log on one machine without a cluster that answers the same questions."""

    def __init__(self, cluster, folder, operations, entries):
        self.cluster, self.folder = cluster, folder
        self.entries = entries
        self.bodies = {(one["dataset"], one["write"]): one["body"]
                       for one in read_lines(f"{folder}/bodies.ndjson")}
        self.asked = collections.defaultdict(set)
        for one in operations:
            if "read" in one and one["read"].split(" ")[0] in REPLAYED:
                self.asked[one["dataset"], one["revision"]].add(one["read"])
        self.answers = []

    def run(self, seed):
        """Writes `answers.ndjson`; returns the numbers of changes and answers."""
        port = 8190
        program = Program("replay", [
            self.cluster.nodes.binary, "serve", "--database", f"{self.folder}/replay.sqlite",
            "--port", str(port)], f"{self.folder}/replay.log")
        program.start()
        feeds = self.cluster.all_feeds
        random.Random(seed).shuffle(feeds)
        end, changes = time.monotonic() + REPLAY_SECONDS, 0
        try:
            with self._asker(port) as asker:
                wait_until("the replay is ready",
                           lambda: asker.ask("GET", "/readyz").is_done, 30)
                for feed in feeds:
                    if time.monotonic() > end:
                        break
                    changes += self._replay(asker, feed, end)
        finally:
            program.end()
        with open(f"{self.folder}/answers.ndjson", "w", encoding="utf-8") as file:
            for answer in self.answers:
                file.write(json.dumps(answer) + "\n")
        return changes, len(self.answers)

    def _asker(self, port):
        return Asker("replay", "127.0.0.1", port, "", "replay")

    def _replay(self, asker, feed, end):
        base = f"/v1/datasets/{feed.name}"
        make(asker, feed)
        self._ask(asker, feed.name, 1)
        for number, (revision, write) in enumerate(self.entries[feed.name]):
            if time.monotonic() > end:
                return number
            if (feed.name, write) not in self.bodies:
                self.cluster.history.finding(f"{feed.name} at {revision}: no client wrote {write}")
                return number
            body = self.bodies[feed.name, write]
            reply = asker.ask("POST", f"{base}/{'undo' if body is None else 'batches'}", body,
                              {"Content-Type": "application/x-ndjson"} if body else {})
            if not reply.is_done or reply.revision != revision:
                self.cluster.history.finding(
                    f"a replay of {write} to {feed.name} at {revision}: {reply}")
                return number
            self._ask(asker, feed.name, revision)
        return len(self.entries[feed.name])

    def _ask(self, asker, dataset, revision):
        for question in sorted(self.asked[dataset, revision]):
            layout_name, rect, _ = question.split(" ")
            reply = asker.ask("GET", path(dataset, layout_name, rect))
            assert reply.is_done, reply
            self.answers.append({"dataset": dataset, "sequence": revision - 1,
                                 "question": question, "digest": reply.digest})


def check(checker, folder, operations="operations", log="log"):
    """Runs the project's checker; returns its exit code and output."""
    files = [f"{folder}/{name}.ndjson" for name in (operations, log, "answers")]
    done = subprocess.run([checker, *(file for file in files if os.path.exists(file))],
                          capture_output=True, text=True, timeout=600)
    return done.returncode, done.stdout + done.stderr


def all_nodes(cluster):
    """Returns the nodes, and a new one with an empty disk."""
    fresh = cluster.nodes.fourth()
    fresh.start()
    wait_until("the fresh node is ready", lambda: cluster.nodes.is_ready("fresh"), 60)
    return {**cluster.nodes.programs, "fresh": fresh}
