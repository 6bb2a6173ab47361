"""Observations and a history that are changed, so that a rule is broken: each must be found."""

import copy
import json
import random

import checks
import observations


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


def lose(checker, folder, operations, log, seed):
    """Has the checker find that an acknowledged batch is not in the log. HistoryCheckerTests breaks
    each of its rules."""
    chooser = random.Random(f"{seed}/mutations")
    lost = chooser.choice([one for one in operations if one.get("outcome") == "committed"])
    with open(f"{folder}/spoilt-log.ndjson", "w", encoding="utf-8") as out:
        for line in log:
            # A node's own entry takes its place, so that the log remains dense.
            is_lost = (line["dataset"], line.get("write")) == (lost["dataset"], lost["write"])
            out.write(json.dumps({**line, "write": None} if is_lost else line) + "\n")
    code, text = checks.check(checker, folder, "operations", "spoilt-log")
    return code == 1 and "committedOnce " in text.splitlines()[-1]
