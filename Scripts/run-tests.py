#!/usr/bin/env python3
"""Runs the Swift tests in two processes at a time, each of which runs one test after the other.

run-tests.py BUNDLE LOG [--only PATTERN] [--skip PATTERN] [--processes N]

BUNDLE is the built test program. Its suites are divided into groups, and each group is one
process: a test has a core to itself, so its time is its own, and a crash ends only its group.
PATTERN is a regular expression that is searched in `Target.Suite`. Failures are printed in full;
LOG receives the whole output. The last lines are the ten slowest tests and the numbers, which are
those that the processes report. The exit status is 1 if a test failed or a process ended early.
"""

import argparse
import os
import re
import signal
import subprocess
import sys
import threading
import time

from progress import ENDED, NOISE, SECONDS_BETWEEN, STARTED

# Targets whose tests take long: they run first, so that no core is idle at the end.
FIRST = ["LayoutCachePropertyTests", "LayoutCacheScaleTests", "LayoutCacheProcessTests",
         "LayoutClusterTests", "LayoutServiceTests", "LayoutCacheCommandTests"]
SUITES_PER_PROCESS = 5
# Ends a process that hangs.
SECONDS_MAX = 1800
SECONDS = re.compile(r"(?:passed|failed) after (\d+\.\d+) seconds")
RUN = re.compile(r"[✔✘] Test run with (\d+) tests? .*(passed|failed) after")
SLOWEST = 10


def suites(bundle, only, skip):
    """The suites by target, as `Target.Suite`."""
    listed = subprocess.run(
        [bundle, "--testing-library", "swift-testing", "--list-tests"],
        capture_output=True, text=True, check=True).stdout
    names = sorted({line.split("/")[0] for line in listed.splitlines() if "/" in line})
    # A test without a suite is listed as `Target.function()`.
    names += sorted({line for line in listed.splitlines() if line and "/" not in line})
    by_target = {}
    for name in names:
        if re.search(only, name) and not (skip and re.search(skip, name)):
            by_target.setdefault(name.split(".")[0], []).append(name)
    return by_target


def groups(by_target):
    """The suites of each process, those of the slow targets first."""
    order = FIRST + sorted(by_target.keys() - set(FIRST))
    for target in order:
        names = by_target.get(target, [])
        for begin in range(0, len(names), SUITES_PER_PROCESS):
            yield names[begin:begin + SUITES_PER_PROCESS]


class Run:
    def __init__(self, bundle, log):
        self.bundle = bundle
        self.log = log
        self.lock = threading.Lock()
        self.begun = self.shown = time.monotonic()
        self.passed = self.skipped = 0
        self.failed = []
        # Seconds and name.
        self.times = []
        # Groups whose process did not report its end.
        self.broken = []

    def say(self, text):
        print(text, flush=True)
        self.shown = time.monotonic()

    def seconds(self):
        return round(time.monotonic() - self.begun)

    def run(self, group):
        # The filter is searched in `Target.Suite/function()`.
        pattern = "^(" + "|".join(re.escape(name) for name in group) + ")(/|$)"
        process = subprocess.Popen(
            [self.bundle, "--testing-library", "swift-testing", "--no-parallel",
             "--filter", pattern],
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, encoding="utf-8",
            errors="replace", env={**os.environ, "NO_COLOR": "1"}, start_new_session=True)
        limit = threading.Timer(SECONDS_MAX, os.killpg, (process.pid, signal.SIGKILL))
        limit.start()
        lines, running, reported, in_argument = [], {}, 0, False
        for line in process.stdout:
            lines.append(line)
            # A message of a failure may contain anything, so only these lines are counted.
            if started := STARTED.match(line):
                running[started[1]] = True
            elif ended := ENDED.match(line):
                running.pop(ended[1], None)
                self.record(ended[1], ended[2], SECONDS.search(line), group)
            elif run := RUN.match(line):
                reported = int(run[1])
            if line.startswith("◇ Test case") or in_argument:
                in_argument = not line.endswith(" started.\n")
            elif not NOISE.match(line):
                with self.lock:
                    self.say(line.rstrip("\n"))
        status = process.wait()
        limit.cancel()
        with self.lock:
            self.log.writelines(lines)
            if not reported:
                self.broken.append((group, status, list(running)))
            elif status and not self.failed:
                self.broken.append((group, status, []))

    def record(self, name, outcome, seconds, group):
        with self.lock:
            if outcome == "failed":
                self.failed.append(name)
            elif outcome == "skipped":
                self.skipped += 1
            else:
                self.passed += 1
            if seconds:
                self.times.append((float(seconds[1]), f"{group[0].split('.')[0]}: {name}"))
            if time.monotonic() - self.shown >= SECONDS_BETWEEN:
                self.say(f"  tests: {self.passed} passed, {self.seconds()} s")

    def end(self):
        self.say("The slowest tests, in seconds:")
        for seconds, name in sorted(self.times, reverse=True)[:SLOWEST]:
            self.say(f"  {seconds:6.1f} {name}")
        for name in self.failed:
            self.say(f"✘ {name}")
        for group, status, running in self.broken:
            self.say(f"✘ the process of {', '.join(group)} ended with {status}"
                     + "".join(f"\n  did not finish: {name}" for name in running))
        failed = len(self.failed) + len(self.broken)
        if failed:
            self.say(f"full output: {self.log.name}")
        skipped = f", {self.skipped} skipped" if self.skipped else ""
        self.say(f"tests: {self.passed} passed, {failed} failed{skipped}")
        return 1 if failed or not self.passed else 0


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("bundle")
    parser.add_argument("log")
    parser.add_argument("--only", default="")
    parser.add_argument("--skip", default="")
    parser.add_argument("--processes", type=int, default=os.cpu_count() or 2)
    options = parser.parse_args()
    waiting = groups(suites(options.bundle, options.only, options.skip))
    next_group = threading.Lock()

    def work(run):
        while True:
            with next_group:
                group = next(waiting, None)
            if group is None:
                return
            run.run(group)

    with open(options.log, "a", encoding="utf-8") as log:
        run = Run(options.bundle, log)
        workers = [threading.Thread(target=work, args=(run,)) for _ in range(options.processes)]
        for worker in workers:
            worker.start()
        for worker in workers:
            worker.join()
        sys.exit(run.end())


if __name__ == "__main__":
    main()
