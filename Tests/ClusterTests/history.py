"""The operations of clients, in the format of `HistoryChecker`, and the resulting log."""

import collections
import json
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
  SELECT d.name, l.first, l.last, encode(l.chain, 'hex'), encode(l.entries, 'hex')
  FROM (SELECT * FROM layoutcache.log UNION ALL SELECT * FROM public.cut) l
    JOIN layoutcache.dataset d ON d.id = l.dataset
  WHERE d.name IS NOT NULL ORDER BY d.name, l.last"""


class Bytes:
    """Reads the entries of an append; see docs/FORMAT.md."""

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

    def signed(self):
        value = self.varint()
        return value >> 1 ^ -(value & 1)


def entries_of(row):
    """The entries of a row: (sequence, revision, chain, request). Only the last has its chain."""
    first, last, chain, data = int(row[0]), int(row[1]), row[2], Bytes(bytes.fromhex(row[3]))
    data.take(data.varint())
    revision, _ = data.varint(), data.signed()
    found = []
    for sequence in range(first, last + 1):
        data.take(1)
        if sequence > first:
            revision += data.signed()
            data.signed()
        data.take(16)
        length = data.varint()
        request = data.take(length - 1) if length else b""
        data.take(data.varint())
        found.append((sequence, revision, chain if sequence == last else "", request))
    if data.place != len(data.data):
        raise ValueError(f"bytes after entry {last}")
    return found


def read_log(database, datasets):
    """Reads the log from PostgreSQL, including cut entries: by dataset, the entries that raised
    its revision, (revision, chain, write), and the errors found.

    Only the final log counts: reading it earlier as well would hide entries that were
    lost."""
    rows = database.rows(LOG, seconds=60)
    if rows is None:
        return {dataset: [] for dataset in datasets}, ["the log can't be read at the end"]
    by_dataset = {}
    for name, *row in rows:
        by_dataset.setdefault(dataset_of(name) or name, []).extend(entries_of(row))
    found, findings = {}, []
    for dataset in datasets:
        last, entries = 1, []
        for number, (sequence, revision, chain, request) in enumerate(
                by_dataset.get(dataset, []), 1):
            if sequence != number:
                findings.append(f"{dataset}: the log has {sequence} where {number} comes")
                break
            if revision > last:
                last = revision
                entries.append((last, chain, key_of(request)))
        found[dataset] = entries
    return found, findings


def key_of(request):
    """The Idempotency-Key of an entry's request: owner, key and hash, each after its length."""
    data = request
    if not data:
        return None
    owner = data[0]
    length = data[1 + owner]
    return data[2 + owner:2 + owner + length].decode()


def write_log(path, entries):
    with open(path, "w", encoding="utf-8") as file:
        for dataset, rows in sorted(entries.items()):
            first = {"dataset": dataset, "sequence": 0, "revision": 1, "chain": ""}
            file.write(json.dumps(first) + "\n")
            for revision, chain, write in rows:
                line = {"dataset": dataset, "sequence": revision - 1, "revision": revision,
                        "chain": chain}
                if write:
                    line["write"] = write
                file.write(json.dumps(line) + "\n")
