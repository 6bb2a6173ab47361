"""The operations of clients, in the format of `HistoryChecker`, and the resulting log."""

import collections
import contextlib
import json
import sqlite3
import threading

from asking import now
from observations import dataset_of


class History:
    """The calls of all clients, each written immediately as a line of a file.

    Positions are revisions: an entry that raises the dataset's revision has the sequence
    below it. Pins and layouts raise none; their effect is visible in the incarnations of
    results, which are part of the question.
    """

    def __init__(self, folder):
        self.lock = threading.Lock()
        self.operations = open(f"{folder}/operations.ndjson", "w", encoding="utf-8")
        self.bodies = open(f"{folder}/bodies.ndjson", "w", encoding="utf-8")
        self.findings, self.kinds = [], collections.Counter()
        # The digest of each answer received, by its validator.
        self.answers = {}

    def close(self):
        self.operations.close()
        self.bodies.close()

    def finding(self, text):
        """Records a violation, and prints it unless several similar ones were printed."""
        words = [word for word in text.split() if word.isalpha() and word not in "abcproxy"]
        kind = " ".join(words)[:60]
        with self.lock:
            self.findings.append(text)
            self.kinds[kind] += 1
            if self.kinds[kind] <= 5:
                print(f"FINDING: {text}", flush=True)

    def repeated(self):
        """The kinds of findings of which not all were printed, with their number."""
        return [(kind, count) for kind, count in self.kinds.items() if count > 5]

    def _note(self, line):
        with self.lock:
            self.operations.write(json.dumps(line, separators=(",", ":")) + "\n")

    def body(self, dataset, write, body):
        """Stores the body of a write for the replay; None is an undo."""
        with self.lock:
            self.bodies.write(json.dumps({"dataset": dataset, "write": write, "body": body}) + "\n")

    def write(self, session, begin, end, dataset, name, outcome, revision=None, target=""):
        line = {"session": session, "begin": begin, "dataset": dataset, "write": name,
                "outcome": outcome, "target": target}
        if outcome == "committed":
            line.update(sequence=revision - 1, revision=revision)
        if outcome != "unknown":
            line["end"] = end
        self._note(line)

    def read(self, session, begin, dataset, question, revision, digest, age, target):
        line = {"session": session, "begin": begin, "end": now(), "dataset": dataset,
                "read": question, "sequence": revision - 1, "revision": revision,
                "digest": digest, "target": target}
        if age is not None:
            line["age"] = age
        self._note(line)

    def answer(self, question, tag, digest, target):
        """Compares an answer with others that had the same validator."""
        with self.lock:
            known = self.answers.setdefault((question, tag), (digest, target))
        if known[0] != digest:
            self.finding(f"{question} at {tag}: {target} answers {digest}, "
                         f"{known[1]} answered {known[0]}")

    def known_answer(self, question, tag):
        with self.lock:
            return self.answers.get((question, tag))


LOG = """
  SELECT d.name, l.first, l.last, encode(l.requests, 'hex')
  FROM (SELECT * FROM layoutcache.log UNION ALL SELECT * FROM public.cut) l
    JOIN layoutcache.dataset d ON d.id = l.dataset
  WHERE d.name IS NOT NULL ORDER BY d.name, l.last"""

RECORDED = "SELECT d.name, r.key, r.revision FROM requests r JOIN datasets d ON d.id = r.dataset"


class Bytes:
    """Reads the requests of an append; see docs/FORMAT.md."""

    def __init__(self, data):
        self.data, self.place = data, 0

    def take(self, count):
        self.place += count
        return self.data[self.place - count:self.place]

    def varint(self):
        value = shift = 0
        while True:
            byte = self.take(1)[0]
            value |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return value

    def counted(self):
        return self.take(self.varint())


def keys_of(row):
    """The requests of a row: (sequence, Idempotency-Key or None)."""
    first, last, data = int(row[0]), int(row[1]), Bytes(bytes.fromhex(row[2]))
    found = []
    for sequence in range(first, last + 1):
        kind = data.take(1)[0]
        data.varint()
        data.take(16)
        change = Bytes(data.counted())
        found.append((sequence, key_of(change) if kind == 0 else None))
    if data.place != len(data.data):
        raise ValueError(f"bytes after request {last}")
    return found


def key_of(change):
    flags = change.take(1)[0]
    change.counted()
    if flags & 1:
        change.varint()
    if not flags & 2:
        return None
    change.counted()
    return change.counted().decode()


def read_log(cluster, targets, datasets):
    """Reads the log from PostgreSQL, including cut rows, and the revisions that the nodes have
    recorded for its keys: by dataset, (revision, write), and the errors found.

    Only the final log counts: reading it earlier as well would hide entries that were
    lost."""
    rows = cluster.database.rows(LOG, seconds=60)
    if rows is None:
        return {dataset: [] for dataset in datasets}, ["the log can't be read at the end"]
    by_dataset, findings = {}, []
    for name, *row in rows:
        by_dataset.setdefault(dataset_of(name) or name, []).extend(keys_of(row))
    recorded = {}
    for target in targets:
        for name in sorted({row[0] for row in rows}):
            with cluster.nodes.asker(target) as asker:
                reply = asker.ask("GET", f"/v1/datasets/{name}", seconds=60,
                                  headers={"Max-Staleness": "1"})
            if not reply.is_done:
                findings.append(f"{target} at the end: {name}: {reply}")
        with contextlib.closing(sqlite3.connect(
                f"file:{cluster.nodes.database(target)}?mode=ro", uri=True)) as database:
            for name, key, revision in database.execute(RECORDED):
                known = recorded.setdefault((dataset_of(name) or name, key), (revision, target))
                if known[0] != revision:
                    findings.append(f"{name}: {key} is at {revision} at {target}, and at "
                                    f"{known[0]} at {known[1]}")
    found = {}
    for dataset in datasets:
        entries, last = [], 1
        for number, (sequence, key) in enumerate(by_dataset.get(dataset, []), 1):
            if sequence != number:
                findings.append(f"{dataset}: the log has {sequence} where {number} comes")
                break
            revision, _ = recorded.get((dataset, key), (0, None))
            # Others have changed nothing, or are repeated or rejected.
            if revision > last:
                if revision != last + 1:
                    findings.append(f"{dataset}: no key has revision {last + 1}")
                last = revision
                entries.append((revision, key))
        found[dataset] = entries
    return found, findings


def write_log(path, entries):
    with open(path, "w", encoding="utf-8") as file:
        for dataset, rows in sorted(entries.items()):
            first = {"dataset": dataset, "sequence": 0, "revision": 1, "chain": ""}
            file.write(json.dumps(first) + "\n")
            for revision, write in rows:
                line = {"dataset": dataset, "sequence": revision - 1, "revision": revision,
                        "chain": ""}
                if write:
                    line["write"] = write
                file.write(json.dumps(line) + "\n")
