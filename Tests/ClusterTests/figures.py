"""Statistics of the clients' requests."""

import collections
import threading
import time


class Figures:
    def __init__(self):
        self.lock = threading.Lock()
        self.counts = collections.Counter()
        self.outcomes = collections.Counter()
        self.write_seconds, self.read_seconds = [], []
        # The times of acknowledged writes, and by target those of answered plain reads.
        self.writes, self.reads = [], collections.defaultdict(list)
        self.read_counts = collections.Counter()
        # By node: the periods in which a fault affected it.
        self.hits = collections.defaultdict(list)
        self.faults = collections.Counter()
        self.recoveries = []
        self.statuses = collections.Counter()

    def count(self, name, number=1):
        with self.lock:
            self.counts[name] += number

    def write_attempt(self, reply):
        with self.lock:
            self.statuses[reply.problem or reply.status or
                          ("lost" if reply.was_sent else "not reached")] += 1

    def write(self, outcome, nanoseconds):
        with self.lock:
            self.outcomes[outcome] += 1
            if outcome == "committed":
                self.writes.append(time.monotonic())
                self.write_seconds.append(nanoseconds / 1e9)

    def read(self, target, reply, nanoseconds, is_asked_much):
        is_answered = reply.status in (200, 304)
        with self.lock:
            self.read_counts["answered" if is_answered else
                             "refused as too old" if is_asked_much and reply.status == 503 else
                             "not answered"] += 1
            if is_answered:
                self.read_seconds.append(nanoseconds / 1e9)
                if not is_asked_much:
                    self.reads[target].append(time.monotonic())

    def fault(self, name, nodes, begun, ended):
        with self.lock:
            self.faults[name] += 1
            for node in nodes:
                self.hits[node].append((begun, ended))

    def begin(self):
        """Starts counting outages."""
        with self.lock:
            self.begun = time.monotonic()

    # Results

    def gaps(self, times):
        inside = [self.begun, *(one for one in times if one > self.begun)]
        return [(earlier, later) for earlier, later in zip(inside, inside[1:])]

    def longest_write_outage(self):
        return max((later - earlier for earlier, later in self.gaps(self.writes)), default=0)

    def longest_read_outage(self, node, with_own_faults):
        """The longest time without an answer, with or without the periods of its own faults."""
        return max((later - earlier for earlier, later in self.gaps(self.reads[node])
                    if with_own_faults or not any(
                        begun < later and earlier < ended for begun, ended in self.hits[node])),
                   default=0)

    def lines(self, nodes, lost):
        """Yields the lines of a readable table."""
        def share(values, part):
            ordered = sorted(values) or [0]
            return ordered[min(len(ordered) - 1, int(len(ordered) * part))] * 1000
        reads = sum(self.read_counts.values()) or 1
        yield (f"writes    {self.outcomes['committed']} acknowledged, "
               f"{self.outcomes['refused']} refused, {self.outcomes['unknown']} unknown, "
               f"{lost} lost")
        yield (f"          p50 {share(self.write_seconds, 0.5):.1f} ms, p99 "
               f"{share(self.write_seconds, 0.99):.1f} ms, "
               f"longest outage {self.longest_write_outage():.1f} s")
        yield "attempts  " + ", ".join(f"{count} {name}" for name, count in
                                       self.statuses.most_common())
        answered = self.read_counts["answered"]
        yield (f"reads     {answered} answered ({100 * answered / reads:.2f} %), "
               f"{self.read_counts['refused as too old']} refused as too old, "
               f"{self.read_counts['not answered']} not answered")
        yield (f"          p50 {share(self.read_seconds, 0.5):.1f} ms, p99 "
               f"{share(self.read_seconds, 0.99):.1f} ms")
        for node in nodes:
            yield (f"          node {node}: longest outage "
                   f"{self.longest_read_outage(node, False):.1f} s, including its own faults "
                   f"{self.longest_read_outage(node, True):.1f} s")
        yield "others    " + ", ".join(f"{count} {name}" for name, count in
                                       sorted(self.counts.items()))
        yield "faults    " + (", ".join(f"{count} {name}" for name, count in
                                        sorted(self.faults.items())) or "none")
        if self.recoveries:
            yield f"          whole again after {max(self.recoveries):.1f} s at most"
