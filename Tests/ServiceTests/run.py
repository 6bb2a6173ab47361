#!/usr/bin/env python3
"""Runs the tests of the HTTP service against a binary, with one line per test.

    python3 Tests/ServiceTests/run.py --binary .build/debug/layoutcache [--jobs N] [NAME ...]

NAME selects tests whose name contains it. Tests with missing requirements are skipped and reported;
with CI set they fail. With `--jobs 2`, two files of tests run at a time, except those of ALONE; the
lines of a file appear when it has ended. LAYOUTCACHE_SERVICE_LONG=SECONDS sets the duration of
random tests, which otherwise take a number of steps. They print their seed, and LAYOUTCACHE_SEED
sets it.
"""

import argparse
import concurrent.futures
import glob
import os
import re
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
sys.path[:0] = [HERE, os.path.join(ROOT, "Tests", "PythonSupport")]
import running  # noqa: E402

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


def run_file(name, arguments):
    """Runs the tests of a file in a process; returns the numbers, and the seconds of each test."""
    done = subprocess.run(
        [sys.executable, os.path.abspath(__file__), "--file", name, *arguments], check=False,
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    lines = done.stdout.splitlines(keepends=True)
    counts = re.fullmatch(r"(\d+) passed, (\d+) failed, (\d+) skipped\n", "".join(lines[-1:]))
    print("".join(lines[:-1] if counts else lines), end="", flush=True)
    if counts is None:
        print(f"FAILED  {name}: exit status {done.returncode}", flush=True)
        return (0, 1, 0), []
    times = re.findall(r"(?m)^(?:passed|FAILED|skipped) +([\d.]+) s  (\S+)", done.stdout)
    return tuple(map(int, counts.groups())), [(float(seconds), name) for seconds, name in times]


def run_files(jobs, arguments):
    """Runs each file of tests in a process; returns the sums of the numbers, and all seconds."""
    names = sorted(os.path.basename(path) for path in glob.glob(os.path.join(HERE, "test_*.py")))
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        found = list(pool.map(
            lambda name: run_file(name, arguments), [one for one in names if one not in ALONE]))
    found += [run_file(name, arguments) for name in ALONE]
    counts, times = zip(*found)
    return tuple(map(sum, zip(*counts))), sum(times, [])


def main():
    parser = argparse.ArgumentParser(description="Tests the HTTP service of a binary")
    parser.add_argument("--binary", required=True, help="the layoutcache command")
    parser.add_argument("--jobs", type=int, default=1, help="files of tests to run at a time")
    parser.add_argument("--file", help="the only file of tests to run")
    parser.add_argument("names", nargs="*", help="parts of the names of tests to run")
    options = parser.parse_args()
    binary = running.program(parser, options.binary)
    in_own_environment()
    # The service warns of variables that it does not know, such as those of the Swift tests.
    for name in [name for name in os.environ if name.startswith("LAYOUTCACHE_REQUIRE_")]:
        del os.environ[name]
    if options.jobs > 1:
        running.report(*run_files(options.jobs, ["--binary", binary, *options.names]))
    import service

    service.binary = binary
    counts, times = running.run(
        running.load(HERE, options.names, options.file or "test_*.py"), TEST_SECONDS_MAX)
    running.report(counts, [] if options.file else times)


if __name__ == "__main__":
    main()
