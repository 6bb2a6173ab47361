"""Histories corrupted in one place each: the checker must reject every one of them."""

import copy
import json
import random

import checks
import observations


class Mutations:
    """Corruptions of the dataset with the most operations; the others can be left out, because
    the checker examines each dataset separately."""

    def __init__(self, operations, log, seed):
        self.random = random.Random(f"{seed}/mutations")
        written = [one["dataset"] for one in operations if one.get("outcome") == "committed"]
        dataset = max(sorted(set(written)), key=written.count)
        self.operations = [one for one in operations if one["dataset"] == dataset]
        self.log = [one for one in log if one["dataset"] == dataset]

    def all(self):
        """Yields each history with the rule that it breaks: (name, rule, operations, log)."""
        for name, rule, spoil in (
                ("an acknowledged batch is not in the log", "committedOnce", self._lose),
                ("a batch is in the log twice", "committedOnce", self._repeat),
                ("two batches have changed places in the log", "committedOnce", self._swap),
                ("two batches have changed places and revisions", "realTime", self._turn),
                ("a batch that is in the log was refused", "refusedNever", self._refuse),
                ("a batch in the log has no client", "askedFor", self._forget),
                ("a read goes back before an acknowledgement", "session", self._go_back),
                ("a read is older than it says", "age", self._lie),
                ("a body is another", "answer", self._falsify),
                ("a read is of a revision that never existed", "position", self._leap)):
            operations, log = copy.deepcopy(self.operations), copy.deepcopy(self.log)
            is_spoilt = spoil(operations, log)
            yield name, rule, operations if is_spoilt else None, log

    # Each changes one thing, and returns False if there is nothing to change.

    def _committed(self, operations):
        return [one for one in operations if one.get("outcome") == "committed"]

    def _entry(self, log, write):
        return next(one for one in log if one.get("write") == write["write"])

    def _lose(self, operations, log):
        write = self.random.choice(self._committed(operations))
        # A node's own entry takes its place, so that the log remains dense.
        del self._entry(log, write)["write"]
        return True

    def _repeat(self, operations, log):
        write = self.random.choice(self._committed(operations))
        last = max(log, key=lambda one: one["sequence"])
        log.append({**last, "sequence": last["sequence"] + 1, "revision": last["revision"] + 1,
                    "write": write["write"]})
        return True

    def _swap(self, operations, log):
        first, second = (self._entry(log, one)
                         for one in self.random.sample(self._committed(operations), 2))
        first["write"], second["write"] = second["write"], first["write"]
        return True

    def _turn(self, operations, log):
        ordered = sorted(self._committed(operations), key=lambda one: one["revision"])
        pairs = [(first, second) for first, second in zip(ordered, ordered[1:])
                 if first["end"] < second["begin"]]
        if not pairs:
            return False
        first, second = self.random.choice(pairs)
        entries = self._entry(log, first), self._entry(log, second)
        entries[0]["write"], entries[1]["write"] = second["write"], first["write"]
        for member in ("revision", "sequence"):
            first[member], second[member] = second[member], first[member]
        return True

    def _refuse(self, operations, log):
        write = self.random.choice(self._committed(operations))
        write["outcome"] = "refused"
        return True

    def _forget(self, operations, log):
        operations.remove(self.random.choice(self._committed(operations)))
        return True

    def _go_back(self, operations, log):
        # The last operation that each session has seen.
        seen, pairs = {}, []
        for one in sorted(operations, key=lambda one: one.get("end", 1 << 63)):
            before = seen.get(one["session"])
            if "read" in one and before and before["end"] < one["begin"] \
                    and before["revision"] > 1:
                pairs.append((before, one))
            if "revision" in one and "end" in one:
                if not before or one["revision"] >= before["revision"]:
                    seen[one["session"]] = one
        if not pairs:
            return False
        before, read = self.random.choice(pairs)
        self._place(read, before["revision"] - 1)
        return True

    def _lie(self, operations, log):
        writes = sorted(self._committed(operations), key=lambda one: one["end"])
        reads = [one for one in operations if "age" in one and writes
                 and one["begin"] > writes[0]["end"]]
        if not reads:
            return False
        read = self.random.choice(reads)
        newest = max(one["revision"] for one in writes if one["end"] < read["begin"])
        self._place(read, newest - 1)
        read["age"] = 0
        return True

    @staticmethod
    def _place(read, revision):
        read.update(revision=revision, sequence=revision - 1,
                    read=f"{read['read']} spoilt")

    def _falsify(self, operations, log):
        questions = {}
        for one in operations:
            if "read" in one:
                questions.setdefault((one["read"], one["revision"]), []).append(one)
        twice = [reads for reads in questions.values() if len(reads) > 1]
        if not twice:
            return False
        self.random.choice(twice)[0]["digest"] = "0" * 24
        return True

    def _leap(self, operations, log):
        reads = [one for one in operations if "read" in one]
        if not reads:
            return False
        last = max(one["revision"] for one in log)
        self._place(self.random.choice(reads), last + 7)
        return True


# By rule: what is added or changed, so that it is broken.


def spoil_slow_reads(seen, random):
    node, question, begin, *_ = random.choice(seen.reads)
    seen.faults = seen.stalls = []
    seen.reads = [(node, question, begin - 1, begin - 0.9, True, False),
                  (node, question, begin, begin + 1.2, False, True)]


def spoil_slow_reads_asking(seen, random):
    node, question, begin, *_ = random.choice(seen.reads)
    seen.faults = seen.stalls = []
    seen.reads = [(node, question, begin, begin + 9, False, False)]


def spoil_calm(seen, random):
    dataset, begin, end, _ = random.choice(seen.attempts)
    seen.faults = []
    seen.attempts = [(dataset, begin, end, "log-unavailable")]


def spoil_row_locks(seen, random):
    dataset, begin, end = random.choice(seen.writes)
    seen.faults.append((("row_lock",), [], begin - 1, end + 1))
    seen.attempts.append((dataset, begin, end, "outcome-unknown"))


def spoil_row_locks_gap(seen, random):
    _, begin, _ = random.choice(seen.writes)
    seen.writes = seen.stalls = []
    seen.faults.append((("row_lock",), [], begin, begin + 9))


def spoil_newer_version(seen, random):
    _, begin, end = random.choice(seen.writes)
    seen.upgrades.append((begin - 3, end + 1))


def spoil_frozen_disks(seen, random):
    _, begin, end = random.choice(seen.writes)
    seen.freezes.append((begin - 2, end + 1))


def spoil_hostile_input(seen, random):
    seen.rejections.append((*random.choice(seen.rejections)[:3], 500, b""))


def spoil_names_twice(seen, random):
    source, target, begin, end, _ = renamed(seen, random)
    seen.names.append((source, f"{target}-again", begin, end, "done"))


def spoil_names_refused(seen, random):
    one = renamed(seen, random)
    seen.names[seen.names.index(one)] = (*one[:4], "refused")


def spoil_names_read(seen, random):
    source, _, _, end, _ = renamed(seen, random)
    seen.accesses.append((source, end + 1))


def renamed(seen, random):
    return random.choice([one for one in seen.names
                          if one[0].startswith("moving") and one[4] == "done"])


def spoil_forks_status(seen, random):
    (one,) = random.choice(seen.forks)
    random.choice(sorted(one["statuses"].items()))[1].append(200)


def spoil_forks_events(seen, random):
    (one,) = random.choice(seen.forks)
    one["events"] = {"a": [(one["restored"] - 1, "commit", one["last"]),
                           (one["restored"] + 1, "commit", one["last"] + 1)]}


SPOILT = (("slow reads", spoil_slow_reads), ("slow reads", spoil_slow_reads_asking),
          ("calm", spoil_calm), ("row locks", spoil_row_locks),
          ("row locks", spoil_row_locks_gap), ("newer versions", spoil_newer_version),
          ("frozen disks", spoil_frozen_disks), ("hostile input", spoil_hostile_input),
          ("names", spoil_names_twice), ("names", spoil_names_refused),
          ("names", spoil_names_read), ("forks", spoil_forks_status),
          ("forks", spoil_forks_events))


def try_rules(cluster, final, seed):
    """Breaks each rule by changed observations; returns how many of them were found."""
    chooser, found = random.Random(f"{seed}/rules"), 0
    for name, spoil in SPOILT:
        seen = copy.copy(cluster.observations)
        for kind, value in vars(seen).items():
            if isinstance(value, list):
                setattr(seen, kind, copy.deepcopy(value))
        known = len(observations.judge(seen, final)[0])
        try:
            spoil(seen, chooser)
        except IndexError:
            cluster.history.finding(f"mutation: nothing was observed for the rule of {name}")
            continue
        if len(observations.judge(seen, final)[0]) > known:
            found += 1
        else:
            cluster.history.finding(f"mutation: {spoil.__name__} is not found")
    return found


def try_all(cluster, checker, folder, operations, log, seed):
    """Runs the checker on each corrupted history; returns how many it has detected."""
    found = 0
    for name, rule, spoilt, spoilt_log in Mutations(operations, log, seed).all():
        if spoilt is None:
            cluster.history.finding(f"mutation: there is nothing of which {name}")
            continue
        for file, lines in (("spoilt", spoilt), ("spoilt-log", spoilt_log)):
            with open(f"{folder}/{file}.ndjson", "w", encoding="utf-8") as out:
                out.writelines(json.dumps(line) + "\n" for line in lines)
        code, text = checks.check(checker, folder, "spoilt", "spoilt-log")
        if code != 1 or f"{rule} " not in text.splitlines()[-1]:
            cluster.history.finding(f"mutation: the checker does not find that {name}: {text}")
        else:
            found += 1
    return found
