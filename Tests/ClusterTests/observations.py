"""Observations that are compared with rules of nodes instead of the log. Each rule is a function
of the observations alone, so that mutations can show that it fails."""

import collections
import os
import threading
import time

# The bound of a read that its node can answer alone, in seconds.
READ_MAX = 1
# The bound of any other. A call of PostgreSQL fails after 3 s if it waits for a lock, and may
# begin only once another of the dataset has ended.
ASKING_READ_MAX = 8
# A dataset that was read this recently, in seconds, is not evicted: nodes evict those that were
# not used for 5 s.
RESIDENT = 4
# The longest time without an acknowledged change of other datasets while one is locked.
LOCK_GAP_MAX = 3
# The time after which each node has polled a log of a newer version.
UPGRADE_SECONDS = 2
# A late thread of this process shows that the machine is too busy to be judged.
STALL = 0.25
LOCKED = "locked"
# Problems of changes that no other client may cause.
AWAY = ("log-unavailable", "outcome-unknown")


class Observations:
    """All times are those of one monotonic clock, in seconds."""

    def __init__(self):
        self.lock = threading.Lock()
        # Reads on one node: (node, question, begin, end, is answered, is plain).
        self.reads = []
        # Attempts of changes: (dataset, begin, end, problem).
        self.attempts = []
        # Acknowledged changes: (dataset, begin, end).
        self.writes = []
        # Faults: (names, nodes, begin, end).
        self.faults = []
        # The times between which the log had a newer version.
        self.upgrades = []
        # The times between which the leader's disk did not answer.
        self.freezes = []
        # Periods in which this process did not run in time.
        self.stalls = []
        # The machine's load averages: (time, load).
        self.loads = []
        # Changes of names: (source, target, begin, end, outcome); the target of a removal is None.
        self.names = []
        # States that were read by a name: (name, the earliest time of the state).
        self.accesses = []
        # Requests that must be rejected: (request, begin, end, status, body).
        self.rejections = []
        self.forks = []

    def note(self, kind, *values):
        with self.lock:
            getattr(self, kind).append(values)

    def upgraded(self, is_newer):
        with self.lock:
            if is_newer:
                self.upgrades.append((time.monotonic(), None))
            elif self.upgrades and self.upgrades[-1][1] is None:
                self.upgrades[-1] = (self.upgrades[-1][0], time.monotonic())


class Pulse(threading.Thread):
    """Records when this process did not run in time."""

    def __init__(self, observations, is_over):
        super().__init__(name="pulse", daemon=True)
        self.observations, self.is_over = observations, is_over

    def run(self):
        before = due = time.monotonic()
        while not self.is_over.wait(0.05):
            after = time.monotonic()
            if after > due:
                self.observations.note("loads", after, os.getloadavg()[0])
                due = after + 5
            if after - before > STALL:
                self.observations.note("stalls", before, after)
            before = after


def overlap(periods, begin, end):
    return any(first < end and begin < last for first, last in periods)


# The rules. Each returns its findings, and the number of observations that it has judged.


def slow_reads(seen):
    """A node without a fault of its machine answers each read in time, also if the answer is that
    PostgreSQL can't be reached."""
    found, count, last, known = [], 0, {}, set()
    hits = collections.defaultdict(list)
    for _, nodes, begin, end in seen.faults:
        for node in nodes:
            hits[node].append((begin, end))
    for node, question, begin, end, is_answered, is_plain in sorted(
            seen.reads, key=lambda one: one[3]):
        dataset = question.split("/")[0]
        before, is_new = last.get((node, dataset)), (node, question) not in known
        if is_answered:
            last[node, dataset] = end
            known.add((node, question))
        if overlap(hits[node], begin, end) or overlap(seen.stalls, begin, end):
            continue
        # A concurrent read may have made it resident.
        is_resident = before is not None and 0 <= begin - before <= RESIDENT
        bound = READ_MAX if is_plain and is_resident and not is_new else ASKING_READ_MAX
        count += 1
        if end - begin > bound:
            found.append(f"{node} leaves a read of {question} without an answer for "
                         f"{end - begin:.1f} s, during {during(seen, begin, end)}")
    return found, count


def during(seen, begin, end):
    """The names of the faults of a period, and the machine's load at its end."""
    names = {" and ".join(names) for names, _, first, last in seen.faults
             if first < end and begin < last}
    _, load = min(seen.loads, key=lambda one: abs(one[0] - end), default=(0, 0))
    return f"{', '.join(sorted(names)) or 'no fault'}, at a load of {load:.0f}"


def calm(seen):
    """Without a fault no change fails, whatever other clients send."""
    faults = [(begin, end + 1) for _, _, begin, end in seen.faults]
    judged = [one for one in seen.attempts if not overlap(faults, *one[1:3])]
    return [f"without a fault a change of {dataset} is {problem} after {end - begin:.1f} s"
            for dataset, begin, end, problem in judged if problem in AWAY], len(judged)


def row_locks(seen):
    """While a dataset is locked its changes are busy, and those of others continue."""
    found, count = [], 0
    for _, _, begin, end in (one for one in seen.faults if one[0] == ("row_lock",)):
        ends = sorted(one[2] for one in seen.writes
                      if one[0] != LOCKED and begin < one[2] < end)
        gaps = [(later - earlier, earlier, later)
                for earlier, later in zip([begin, *ends], [*ends, end])]
        gap = max((one for one in gaps if not overlap(seen.stalls, *one[1:])), default=(0,))[0]
        count += len(ends)
        if gap > LOCK_GAP_MAX:
            found.append(f"no change of other datasets for {gap:.1f} s during a row lock")
        found += [f"during a row lock a change of {dataset} is {problem}"
                  for dataset, first, last, problem in seen.attempts
                  if problem in AWAY and begin < first and last < end]
    return found, count


def newer_version(seen):
    """A node acknowledges nothing while the log has rules or a format that it does not support."""
    judged = [one for one in seen.upgrades if one[1] is not None]
    return [f"a change of {dataset} is acknowledged under a newer version"
            for dataset, begin, end in seen.writes
            if any(first + UPGRADE_SECONDS < begin and end < last for first, last in judged)
            ], len(judged)


def frozen_disks(seen):
    """No change is acknowledged while the leader's disk does not answer."""
    return [f"a change of {dataset} is acknowledged without the leader's disk"
            for dataset, begin, end in seen.writes
            if any(first + 1 < begin and end < last for first, last in seen.freezes)
            ], len(seen.freezes)


def hostile_input(seen):
    """Malformed requests are rejected; a list may begin after any text. During a fault a node may
    first find that the log is unavailable."""
    faults = [(begin, end + 1) for _, _, begin, end in seen.faults]
    return [f"{request} is answered with {status}: {body!r}"
            for request, begin, end, status, body in seen.rejections
            if not 400 <= status < 500 and not (status == 200 and "?after=" in request)
            and not (status == 503 and overlap(faults, begin, end))
            ], len(seen.rejections)


def names(seen, final):
    """Each name was given at most once, so each dataset's names are a path: it contains all
    acknowledged renames, none that was rejected, and ends with its name in the log.

    - `final`: the names in the log.
    """
    found, incoming, outgoing = [], {}, collections.defaultdict(list)
    for one in seen.names:
        source, target, _, _, outcome = one
        if target is not None:
            incoming[target] = one
        if outcome != "refused":
            outgoing[source].append(one)
    removed = {one[0] for one in seen.names if one[1] is None and one[4] != "refused"}
    paths = set()
    for name in [one for one in final if dataset_of(one)] + sorted(removed):
        while name in incoming and incoming[name] not in paths:
            paths.add(incoming[name])
            name = incoming[name][0]
    gone = {dataset_of(name) for name in removed}
    present = collections.Counter(dataset_of(name) for name in final if dataset_of(name))
    for source, ways in outgoing.items():
        done = [one for one in ways if one[1] is not None and one[4] == "done"]
        if len(done) > 1:
            found.append(f"two renames of {source} succeed: {done}")
    for one in seen.names:
        source, target, _, _, outcome = one
        if target is None:
            if outcome == "done" and present[dataset_of(source)]:
                found.append(f"{source} was removed, and its dataset is still in the log")
        elif outcome == "done" and one not in paths:
            found.append(f"the rename of {source} to {target} is undone")
        elif outcome == "refused" and one in paths:
            found.append(f"the rejected rename of {source} to {target} is made")
        if outcome != "refused" and dataset_of(source) not in gone \
                and present[dataset_of(source)] != 1:
            found.append(f"{dataset_of(source)} has {present[dataset_of(source)]} names")
    lost = {one[0]: one[3] for one in seen.names if one[4] == "done"}
    found += [f"{name} is read after it was lost" for name, time_of_state in seen.accesses
              if name in lost and lost[name] < time_of_state]
    return sorted(set(found)), len(seen.names) + len(seen.accesses)


def dataset_of(name):
    """The dataset of a name that a client of names has given; None for others."""
    parts = name.split("-")
    return "-".join(parts[:2]) if parts[0] in ("moving", "fleeting") else None


def forks(seen):
    """When the log has lost a tail, its positions become invalid at each node, and each stream
    that has seen it is reset before it continues."""
    found = []
    for (one,) in seen.forks:
        where = f"after {one['dataset']} has lost {one['first']} to {one['last']}"
        for node, statuses in one["statuses"].items():
            if 409 in statuses:
                statuses = statuses[statuses.index(409):]
            if not statuses or statuses[-1] != 409 or 200 in statuses:
                found.append(f"{node}, {where}: its position is answered with {statuses[-20:]}")
        for node, events in one["events"].items():
            found += [f"{node}, {where}: {reason}" for reason in silent(events, one)]
    return found, sum(len(one["statuses"]) + len(one["events"]) for (one,) in seen.forks)


def silent(events, fork):
    """Why a stream of (time, kind, revision) misses a fork."""
    seen = [event for event in events if event[0] <= fork["restored"]]
    if not any(revision >= fork["first"] for _, _, revision in seen):
        return
    last = seen[-1][2]
    for moment, kind, revision in events:
        if moment <= fork["restored"]:
            continue
        if kind == "reset":
            return
        if revision > fork["last"] or revision <= last:
            yield f"the stream continues from {last} with {revision}"
            return
        last = revision
    yield "the stream is not reset"


RULES = {"slow reads": slow_reads, "calm": calm, "row locks": row_locks,
         "newer versions": newer_version, "frozen disks": frozen_disks,
         "hostile input": hostile_input, "forks": forks}


def judge(seen, final):
    """Returns the findings, and by rule the number of judged observations."""
    results = {name: rule(seen) for name, rule in RULES.items()}
    results["names"] = names(seen, final)
    return ([finding for found, _ in results.values() for finding in found],
            {name: count for name, (_, count) in results.items()})
