#!/usr/bin/env python3
"""Runs a command and summarizes its progress; failures are shown in full.

progress.py LOG TITLE COMMAND...

The command's output is appended to LOG, which is created with its folder. Lines that report a started, compiled or passed step are
counted; all other lines are printed unchanged. The last line has the elapsed time, and the
processor time, which depends less on other programs. The exit status is the command's.
"""

import os
import re
import resource
import subprocess
import sys
import time

# Lines that report only success.
NOISE = re.compile(
    r"◇ |✔ |↳ (Testing Library|Target Platform)|\[\d+/\d+\] |Test Suite '|\s+Executed \d+ tests?,"
    r"|Build(ing for| complete| of product|ing)|Compiling|(Fetch|Creat|Comput|Updat)(ing|ed) "
    r"|Working copy of|\s*$"
    # The library's warnings about files that a test has damaged.
    r"|\d{4}-\d\d-\d\dT\S+ warning layoutcache:"
    # Tests in Python.
    r"|passed +\d+\.\d+ s | +seed ")
# A test, as opposed to a test case or the run.
TEST = r'Test ("[^"]*"|[^\s(]+\([^)]*\))'
STARTED = re.compile(rf"◇ {TEST} started\.")
ENDED = re.compile(rf"[✔✘➜] {TEST} (?:with \d+ test cases? )?(passed|failed|skipped)\b")
STEP = re.compile(r"\[(\d+)/(\d+)\] ")
SECONDS_BETWEEN = 10


class Progress:
    def __init__(self, log, title):
        self.log = log
        self.title = title
        self.begun = self.shown = time.monotonic()
        self.counts = {"passed": 0, "failed": 0, "skipped": 0}
        self.running = {}
        self.failed = []
        self.step = None
        self.started = 0
        # Whether the previous line ended within a test's argument.
        self.in_argument = False

    def add(self, line):
        self.log.write(line)
        if started := STARTED.match(line):
            self.running[started[1]] = True
            self.started += 1
        elif ended := ENDED.match(line):
            self.counts[ended[2]] += 1
            self.running.pop(ended[1], None)
            if ended[2] == "failed":
                self.failed.append(ended[1])
        elif step := STEP.match(line):
            self.step = f"step {step[1]} of {step[2]}"
        if line.startswith("◇ Test case") or self.in_argument:
            self.in_argument = not line.endswith(" started.\n")
        elif not NOISE.match(line):
            return self.say(line.rstrip("\n"))
        if time.monotonic() - self.shown >= SECONDS_BETWEEN:
            self.say(f"  {self.title}: {self.state()}, {self.seconds()} s")

    def say(self, text):
        print(text, flush=True)
        self.shown = time.monotonic()

    def seconds(self):
        return round(time.monotonic() - self.begun)

    def state(self):
        """The number of tests that have passed, or the build's step."""
        if self.started == 0:
            return self.step or "running"
        counts = [f"{self.counts['passed']} of {self.started} tests passed"]
        for outcome in ("failed", "skipped"):
            if self.counts[outcome]:
                counts.append(f"{self.counts[outcome]} {outcome}")
        return ", ".join(counts)

    def times(self):
        used = resource.getrusage(resource.RUSAGE_CHILDREN)
        return f"{self.seconds()} s, processor {round(used.ru_utime + used.ru_stime)} s"

    def end(self, status):
        tests = f" ({self.state()})" if self.started else ""
        if status == 0:
            self.say(f"✔ {self.title}{tests}, {self.times()}")
            return
        self.say(f"✘ {self.title}{tests}, {self.times()}: exit status {status}")
        for test in self.failed:
            self.say(f"  failed: {test}")
        # After a crash, one of these tests caused it.
        for test in list(self.running)[:20]:
            self.say(f"  did not finish: {test}")
        self.say(f"  full output: {self.log.name}")


def main():
    path, title, *command = sys.argv[1:]
    # A fresh clone has no build folder yet.
    os.makedirs(os.path.dirname(path) or ".", exist_ok=True)
    with open(path, "a", encoding="utf-8") as log:
        progress = Progress(log, title)
        progress.say(f"▸ {title}")
        process = subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
            encoding="utf-8", errors="replace", bufsize=1)
        try:
            for line in process.stdout:
                progress.add(line)
        except KeyboardInterrupt:
            process.wait()
            sys.exit(130)
        status = process.wait()
        status = 128 - status if status < 0 else status
        progress.end(status)
    sys.exit(status)


if __name__ == "__main__":
    main()
