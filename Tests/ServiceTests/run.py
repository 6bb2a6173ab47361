#!/usr/bin/env python3
"""Runs the tests of the HTTP service against a binary, with one line per test.

    python3 Tests/ServiceTests/run.py --binary .build/debug/layoutcache [--jobs N] [NAME ...]

NAME selects tests whose name contains it. Tests with missing requirements are skipped
and reported. With `--jobs 2`, two files of tests run at a time, except those of ALONE; the
lines of a file appear when it has ended. LAYOUTCACHE_SERVICE_LONG=SECONDS sets the duration of random tests. They print
their seed, and LAYOUTCACHE_SEED sets it.
"""

import argparse
import concurrent.futures
import glob
import os
import re
import signal
import subprocess
import sys
import time
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
# Files whose tests fill the machine or a resource of it, measure rates, or wait for deadlines.
ALONE = (
    "test_endings.py", "test_faults.py", "test_kills.py", "test_load.py", "test_slow_peers.py")
TEST_SECONDS_MAX = 120 + int(os.environ.get("LAYOUTCACHE_SERVICE_LONG", "0"))


def in_own_environment():
    """Continues in the environment created by Scripts/setup-service-tests.sh, if it exists."""
    environment = os.path.join(ROOT, ".build", "service-tests")
    python = os.path.join(environment, "bin", "python3")
    if os.path.exists(python) and os.path.abspath(sys.prefix) != environment:
        os.execv(python, [python, os.path.abspath(__file__), *sys.argv[1:]])


class Lines(unittest.TestResult):
    """Prints one line per test, with its seconds."""

    def startTest(self, test):
        super().startTest(test)
        self.begun = time.monotonic()
        self.passed = True
        signal.alarm(TEST_SECONDS_MAX)

    def stopTest(self, test):
        signal.alarm(0)
        super().stopTest(test)

    def say(self, word, test, text=""):
        seconds = time.monotonic() - self.begun if hasattr(self, "begun") else 0
        print(f"{word:7} {seconds:6.2f} s  {test.id()}{text}", flush=True)

    def addSuccess(self, test):
        if self.passed:
            self.count = getattr(self, "count", 0) + 1
            self.say("passed", test)

    def addSkip(self, test, reason):
        super().addSkip(test, reason)
        self.say("skipped", test, f": {reason}")

    def fail(self, test, error):
        self.passed = False
        self.say("FAILED", test, "\n" + self._exc_info_to_string(error, test))

    def addFailure(self, test, error):
        super().addFailure(test, error)
        self.fail(test, error)

    def addError(self, test, error):
        super().addError(test, error)
        self.fail(test, error)

    def addSubTest(self, test, subtest, error):
        super().addSubTest(test, subtest, error)
        if error:
            self.fail(subtest, error)


def raise_timeout(signal_number, frame):
    raise TimeoutError(f"a test has {TEST_SECONDS_MAX} s")


def run_file(name, arguments):
    """Runs the tests of a file in a process; returns its counts, or None if it did not end well."""
    done = subprocess.run(
        [sys.executable, os.path.abspath(__file__), "--file", name, *arguments], check=False,
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    lines = done.stdout.splitlines(keepends=True)
    counts = re.fullmatch(r"(\d+) passed, (\d+) failed, (\d+) skipped\n", "".join(lines[-1:]))
    print("".join(lines[:-1] if counts else lines), end="", flush=True)
    if counts is None:
        print(f"FAILED  {name}: exit status {done.returncode}", flush=True)
        return 0, 1, 0
    return tuple(map(int, counts.groups()))


def run_files(jobs, arguments):
    """Runs each file of tests in a process, and returns the sums of the counts."""
    names = sorted(os.path.basename(path) for path in glob.glob(os.path.join(HERE, "test_*.py")))
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        counts = list(pool.map(
            lambda name: run_file(name, arguments), [one for one in names if one not in ALONE]))
    counts += [run_file(name, arguments) for name in ALONE]
    return tuple(map(sum, zip(*counts)))


def main():
    parser = argparse.ArgumentParser(description="Tests the HTTP service of a binary")
    parser.add_argument("--binary", required=True, help="the layoutcache command")
    parser.add_argument("--jobs", type=int, default=1, help="files of tests to run at a time")
    parser.add_argument("--file", default="test_*.py", help="the file of tests to run")
    parser.add_argument("names", nargs="*", help="parts of the names of tests to run")
    options = parser.parse_args()
    if not os.access(options.binary, os.X_OK):
        parser.error(f"there is no command at {options.binary}")
    in_own_environment()
    # The service warns of variables that it does not know, such as those of the Swift tests.
    for name in [name for name in os.environ if name.startswith("LAYOUTCACHE_REQUIRE_")]:
        del os.environ[name]
    if options.jobs > 1:
        passed, failed, skipped = run_files(
            options.jobs, ["--binary", options.binary, *options.names])
        return report(passed, failed, skipped)
    sys.path.insert(0, HERE)
    import service

    service.binary = os.path.abspath(options.binary)
    signal.signal(signal.SIGALRM, raise_timeout)
    loader = unittest.TestLoader()
    loader.testNamePatterns = [f"*{name}*" for name in options.names] or None
    result = Lines()
    loader.discover(HERE, options.file, top_level_dir=HERE).run(result)
    report(
        getattr(result, "count", 0), len(result.failures) + len(result.errors),
        len(result.skipped))


def report(passed, failed, skipped):
    print(f"{passed} passed, {failed} failed, {skipped} skipped")
    sys.exit(1 if failed or not passed else 0)


if __name__ == "__main__":
    main()
