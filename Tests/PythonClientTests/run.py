#!/usr/bin/env python3
"""Runs the tests of the Python client against a binary, with one line per test.

    python3 Tests/PythonClientTests/run.py --binary .build/debug/layoutcache [NAME ...]

NAME selects tests whose name contains it. The random tests print their seed; LAYOUTCACHE_SEED
sets it, and LAYOUTCACHE_STEPS sets the number of their steps. With `--installed`, the package is
the one of the Python that runs this, instead of the source tree.
"""

import argparse
import faulthandler
import os
import sys
import time
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
TEST_SECONDS_MAX = int(os.environ.get("LAYOUTCACHE_TEST_SECONDS", "180"))


class Lines(unittest.TestResult):
    """Prints one line per test, with its seconds."""

    passed = 0

    def startTest(self, test):
        super().startTest(test)
        self.begun = time.monotonic()
        self.has_failed = False
        faulthandler.dump_traceback_later(TEST_SECONDS_MAX, exit=True)

    def stopTest(self, test):
        faulthandler.cancel_dump_traceback_later()
        super().stopTest(test)

    def line(self, word, test, text=""):
        print(f"{word:7} {time.monotonic() - self.begun:6.2f} s  {test.id()}{text}", flush=True)

    def fail(self, test, error):
        self.has_failed = True
        self.begun = getattr(self, "begun", time.monotonic())
        self.line("FAILED", test, "\n" + self._exc_info_to_string(error, test))

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

    def addSuccess(self, test):
        if not self.has_failed:
            self.passed += 1
            self.line("passed", test)

    def addSkip(self, test, reason):
        super().addSkip(test, reason)
        self.line("skipped", test, f": {reason}")


def main():
    parser = argparse.ArgumentParser(description="Tests the Python client with a binary")
    parser.add_argument("--binary", help="the layoutcache command (default: the package's)")
    parser.add_argument("--source", help="the folder of the package (default: the source tree)")
    parser.add_argument("--installed", action="store_true", help="test the installed package")
    parser.add_argument("names", nargs="*", help="parts of the names of tests to run")
    options = parser.parse_args()
    sys.dont_write_bytecode = True
    sys.path.insert(0, HERE)
    if not options.installed:
        source = options.source or os.path.join(ROOT, "clients", "python", "src")
        sys.path.insert(0, source)
    if options.binary:
        if not os.access(options.binary, os.X_OK):
            parser.error(f"there is no command at {options.binary}")
        os.environ["LAYOUTCACHE_BINARY"] = os.path.abspath(options.binary)
    loader = unittest.TestLoader()
    loader.testNamePatterns = [f"*{name}*" for name in options.names] or None
    result = Lines()
    loader.discover(HERE, top_level_dir=HERE).run(result)
    failed = len(result.failures) + len(result.errors)
    print(f"{result.passed} passed, {failed} failed, {len(result.skipped)} skipped")
    sys.exit(1 if failed or not result.passed else 0)


if __name__ == "__main__":
    main()
