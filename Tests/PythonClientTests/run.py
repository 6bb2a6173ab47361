#!/usr/bin/env python3
"""Runs the tests of the Python client against a binary, with one line per test.

    python3 Tests/PythonClientTests/run.py --binary .build/debug/layoutcache [NAME ...]

NAME selects tests whose name contains it. The random tests print their seed; LAYOUTCACHE_SEED
sets it, and LAYOUTCACHE_STEPS sets the number of their steps. With `--installed`, the package is
the one of the Python that runs this, instead of the source tree.
"""

import argparse
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
sys.path[:0] = [HERE, os.path.join(ROOT, "Tests", "PythonSupport")]
import running  # noqa: E402

TEST_SECONDS_MAX = int(os.environ.get("LAYOUTCACHE_TEST_SECONDS", "180"))


def main():
    parser = argparse.ArgumentParser(description="Tests the Python client with a binary")
    parser.add_argument("--binary", help="the layoutcache command (default: the package's)")
    parser.add_argument("--source", help="the folder of the package (default: the source tree)")
    parser.add_argument("--installed", action="store_true", help="test the installed package")
    parser.add_argument("names", nargs="*", help="parts of the names of tests to run")
    options = parser.parse_args()
    sys.dont_write_bytecode = True
    if not options.installed:
        sys.path.insert(0, options.source or os.path.join(ROOT, "clients", "python", "src"))
    if options.binary:
        os.environ["LAYOUTCACHE_BINARY"] = running.program(parser, options.binary)
    running.report(*running.run(running.load(HERE, options.names), TEST_SECONDS_MAX))


if __name__ == "__main__":
    main()
