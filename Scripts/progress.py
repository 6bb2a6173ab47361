#!/usr/bin/env python3
"""Runs a command and shows how far it is in a few lines; what fails is shown whole.

progress.py LOG TITLE COMMAND...

Everything that the command prints is appended to LOG. Lines that say that something has
started, been compiled or passed are counted; every other line is passed on as it is. The last
line has the seconds, and the seconds of processor time, which do not depend on what else the
machine does. The exit status is the command's.
"""

import re
import resource
import subprocess
import sys
import time

# What says only that all goes well.
NOISE = re.compile(
    r"◇ |✔ |↳ (Testing Library|Target Platform)|\[\d+/\d+\] |Test Suite '|\s+Executed \d+ tests?,"
    r"|Build(ing for| complete| of product|ing)|Compiling|(Fetch|Creat|Comput|Updat)(ing|ed) "
    r"|Working copy of|\s*$"
    # What a file that a test has damaged makes the library log.
    r"|\d{4}-\d\d-\d\dT\S+ warning layoutcache:"
    # Tests in Python.
    r"|passed +\d+\.\d+ s | +seed ")
# A test, not one of its cases nor the run.
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
        # Whether an argument of a test goes on over several lines.
        self.in_argument = False

    def take(self, line):
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
        """How far it is."""
        if self.started == 0:
            return self.step or "under way"
        counts = [f"{self.counts['passed']} of {self.started} tests passed"]
        for what in ("failed", "skipped"):
            if self.counts[what]:
                counts.append(f"{self.counts[what]} {what}")
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
        # After a crash these are where to look.
        for test in list(self.running)[:20]:
            self.say(f"  had not ended: {test}")
        self.say(f"  everything is in {self.log.name}")


def main():
    path, title, *command = sys.argv[1:]
    with open(path, "a", encoding="utf-8") as log:
        progress = Progress(log, title)
        progress.say(f"▸ {title}")
        process = subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
            encoding="utf-8", errors="replace", bufsize=1)
        try:
            for line in process.stdout:
                progress.take(line)
        except KeyboardInterrupt:
            process.wait()
            sys.exit(130)
        status = process.wait()
        status = 128 - status if status < 0 else status
        progress.end(status)
    sys.exit(status)


if __name__ == "__main__":
    main()
