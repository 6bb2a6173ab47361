"""What clients have done and seen, as `HistoryChecker` reads it, and what it led to in the log."""

import collections
import json
import threading
import time

from asking import now


class History:
    """Calls of all clients, each a line of a file at once.

    Revisions are the places: an entry that raises the dataset's revision has the sequence
    below it. Pins and layouts raise none; what they decide on is in the incarnations of
    results, which are part of what is asked.
    """

    def __init__(self, folder):
        self.lock = threading.Lock()
        self.operations = open(f"{folder}/operations.ndjson", "w", encoding="utf-8")
        self.bodies = open(f"{folder}/bodies.ndjson", "w", encoding="utf-8")
        self.findings, self.kinds = [], collections.Counter()
        # The digest of each answer that somebody has got, by its validator.
        self.answers = {}

    def close(self):
        self.operations.close()
        self.bodies.close()

    def finding(self, text):
        """Notes what must not be, and says so at once, unless much like it has been said."""
        words = [word for word in text.split() if word.isalpha() and word not in "abcproxy"]
        kind = " ".join(words)[:60]
        with self.lock:
            self.findings.append(text)
            self.kinds[kind] += 1
            if self.kinds[kind] <= 5:
                print(f"FINDING: {text}", flush=True)

    def repeated(self):
        """The kinds of findings of which not all were said, with their number."""
        return [(kind, count) for kind, count in self.kinds.items() if count > 5]

    def _note(self, line):
        with self.lock:
            self.operations.write(json.dumps(line, separators=(",", ":")) + "\n")

    def body(self, dataset, write, body):
        """Keeps what a write asks for, so that it can be replayed; None is an undo."""
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
        """Holds an answer to what others have got under its validator."""
        with self.lock:
            known = self.answers.setdefault((question, tag), (digest, target))
        if known[0] != digest:
            self.finding(f"{question} at {tag}: {target} answers {digest}, "
                         f"{known[1]} answered {known[0]}")

    def known_answer(self, question, tag):
        with self.lock:
            return self.answers.get((question, tag))


class LogCollector:
    """Reads the log from PostgreSQL, with what has been cut off."""

    SQL = """
      SELECT d.name, l.sequence, l.revision, l.kind, encode(l.chain, 'hex'),
             encode(l.request, 'hex'), l.proposal
      FROM (SELECT * FROM layoutcache.log UNION ALL SELECT * FROM public.cut) l
        JOIN layoutcache.dataset d ON d.id = l.dataset
      WHERE d.name IS NOT NULL AND l.at > %d ORDER BY d.name, l.sequence"""

    # An entry that was proposed longer ago has come, or never will.
    LATE_SECONDS = 120
    INTERVAL = 3

    def __init__(self, database):
        self.database = database
        self.rows = {}
        self.lock = threading.Lock()

    def run(self, is_over):
        """Collects again and again."""
        while not is_over.wait(self.INTERVAL):
            self.collect(recent=True)

    def collect(self, recent=False):
        """Adds what stands in the log now; False where nobody leads."""
        with self.lock:
            return self._collect((time.time() - self.LATE_SECONDS) * 1000 if recent else 0)

    def _collect(self, since):
        found = self.database.rows(self.SQL % since, seconds=60)
        if found is None:
            return False
        for name, sequence, revision, kind, chain, request, _ in found:
            # What came later counts: a deposed leader may have shown what was never so.
            self.rows.setdefault(name, {})[int(sequence)] = (
                int(revision), int(kind), chain, request)
        return True

    def entries(self, datasets):
        """By dataset, what raised its revision: (revision, chain, write), and its findings."""
        found, findings = {}, []
        for dataset in datasets:
            revision, rows = 1, []
            ordered = sorted(self.rows.get(dataset, {}).items())
            for number, (sequence, row) in enumerate(ordered, 1):
                if sequence != number:
                    findings.append(f"{dataset}: the log has {sequence} where {number} comes")
                    break
                if row[0] > revision:
                    rows.append((row[0], row[2], key_of(row[3])))
                    revision = row[0]
            found[dataset] = rows
        return found, findings


def key_of(request):
    """The Idempotency-Key of an entry's request: owner, key and hash, each behind its length."""
    data = bytes.fromhex(request)
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
