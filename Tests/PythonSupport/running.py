"""Runs tests of a suite, with one line per test, the slowest tests and the numbers at the end."""

import os
import signal
import sys
import time
import unittest

SLOWEST = 10


class OutOfTime(BaseException):
    """No `except` of a test or of a client catches it."""


class Lines(unittest.TestResult):
    """Prints one line per test, with its seconds."""

    def __init__(self, seconds_max):
        super().__init__()
        self.seconds_max, self.begun, self.times = seconds_max, time.monotonic(), []
        self.passed = self.failed = 0

    def startTest(self, test):
        super().startTest(test)
        self.begun, self.has_failed = time.monotonic(), False
        signal.signal(signal.SIGALRM, self._end)
        signal.alarm(self.seconds_max)

    def _end(self, *_):
        raise OutOfTime(f"a test has {self.seconds_max} s")

    def stopTest(self, test):
        signal.alarm(0)
        super().stopTest(test)

    def _say(self, word, test, text=""):
        seconds = time.monotonic() - self.begun
        self.times.append((seconds, test.id()))
        print(f"{word:7} {seconds:6.2f} s  {test.id()}{text}", flush=True)

    def addSuccess(self, test):
        if not self.has_failed:
            self.passed += 1
            self._say("passed", test)

    def addSkip(self, test, reason):
        super().addSkip(test, reason)
        self._say("skipped", test, f": {reason}")

    def addFailure(self, test, error):
        self.has_failed = True
        self.failed += 1
        self._say("FAILED", test, "\n" + self._exc_info_to_string(error, test))

    addError = addFailure

    def addSubTest(self, test, subtest, error):
        if error:
            self.addFailure(subtest, error)


def run(suite, seconds_max):
    """Runs a suite; returns the numbers of tests that passed, failed and were skipped, and the
    seconds of each."""
    result = Lines(seconds_max)
    suite.run(result)
    return (result.passed, result.failed, len(result.skipped)), result.times


def load(folder, names, pattern="test_*.py"):
    """Loads the tests of a folder whose names contain one of some texts; all without any."""
    loader = unittest.TestLoader()
    loader.testNamePatterns = [f"*{name}*" for name in names] or None
    return loader.discover(folder, pattern, top_level_dir=folder)


def report(counts, times):
    """Prints the slowest tests and the numbers, and ends the process."""
    if len(times) > SLOWEST:
        print(f"the {SLOWEST} slowest:")
        for seconds, name in sorted(times, reverse=True)[:SLOWEST]:
            print(f"{seconds:14.2f} s  {name}")
    passed, failed, skipped = counts
    print(f"{passed} passed, {failed} failed, {skipped} skipped")
    sys.exit(1 if failed or not passed else 0)


def program(parser, path):
    """Returns the absolute path of a program; ends the process if there is none."""
    if not os.access(path, os.X_OK):
        parser.error(f"there is no program at {path}")
    return os.path.abspath(path)
