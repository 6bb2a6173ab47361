#!/usr/bin/env python3
"""Counts the work of one call of each operation, and compares it with a table.

counts.py PROGRAM TABLE [--update]
  PROGRAM   the benchmarks' program, a release build
  TABLE     Benchmarks/Counts.txt
  --update  write the table

Unlike times, counts do not depend on the machine's load. Each is the difference between two runs
of the program with different numbers of calls, divided by the difference of the numbers.
Instructions and allocations may differ from the table's by 3 % in either direction, or by a little
for short operations; bytes and nodes must be equal. A table of another compiler, architecture or version of SQLite is ignored.
"""
import concurrent.futures
import json
import os
import pathlib
import platform
import re
import shutil
import subprocess
import sys

CALLS = (100, 200)
TOLERANCE = 0.03
# The mean of a hundred short calls differs between runs of one build: by up to 2 % of one
# allocation, and by some 450 instructions.
SLACK = {"instructions": 600, "allocations": 0.1}
COLUMNS = ("operation", "instructions", "allocations", "bytes", "nodes")


def run(*words):
    """The standard output and the standard error of a program."""
    environment = dict(os.environ, SWIFT_DETERMINISTIC_HASHING="1")
    result = subprocess.run(words, capture_output=True, text=True, env=environment)
    if result.returncode:
        sys.exit(f"counts: {' '.join(words)} failed:\n{result.stderr[-2000:]}")
    return result.stdout, result.stderr


def totals(program, operation, calls):
    """The counts of one run, in the order of the columns; None for a column without a count."""
    command = (program, "counts", operation, str(calls))
    work = json.loads(run(*command)[0])
    _, cachegrind = run("valgrind", "--tool=cachegrind", "--cache-sim=no",
                        "--cachegrind-out-file=/dev/null", *command)
    _, dhat = run("valgrind", "--tool=dhat", "--dhat-out-file=/dev/null", *command)
    instructions = re.search(r"I +refs: +([\d,]+)", cachegrind)[1]
    allocations = re.search(r"Total: .* in ([\d,]+) blocks", dhat)[1]
    return [int(instructions.replace(",", "")), int(allocations.replace(",", "")),
            work["bytes"], work["nodes"]]


def per_call(program, operation):
    """The columns of an operation, as text."""
    fewer, more = (totals(program, operation, calls) for calls in CALLS)
    means = [None if least is None or most is None else (most - least) / (CALLS[1] - CALLS[0])
             for least, most in zip(fewer, more)]
    return [f"{means[0]:.0f}"] + ["-" if mean is None else f"{mean:.2f}" for mean in means[1:]]


def table(conditions, rows):
    """The text of the file."""
    lines = [COLUMNS] + [(name, *values) for name, values in rows.items()]
    return f"# {conditions}\n" + "".join(
        f"{name:14}" + "".join(f"{value:>14}" for value in values) + "\n"
        for name, *values in lines)


def parsed(text):
    """The conditions and the rows of the file."""
    lines = text.splitlines()
    rows = {name: values for name, *values in map(str.split, lines[2:])}
    return lines[0].removeprefix("# ") if lines else "", rows


def change(was, now):
    """The change in percent; empty if it is undefined."""
    if "-" in (was, now) or float(was) == 0:
        return ""
    return f" ({100 * (float(now) / float(was) - 1):+.1f} %)"


def differences(known, found):
    """One line for each count that differs from the table."""
    lines = [f"{name} is not in the table" for name in found if name not in known]
    for name, old in known.items():
        if name not in found:
            lines.append(f"{name} is no longer counted")
            continue
        for column, was, now in zip(COLUMNS[1:], old, found[name]):
            if column in SLACK:
                allowed = max(TOLERANCE * float(was), SLACK[column])
                is_same = abs(float(now) - float(was)) <= allowed
            else:
                is_same = now == was
            if not is_same:
                lines.append(f"{name}: {now} {column}, in the table {was}{change(was, now)}")
    return lines


def outcome(text, conditions, count):
    """The exit code and a message: `count` returns the rows of this build."""
    listed, known = parsed(text)
    if conditions != listed:
        return 0, f"counts: skipped: the table is of {listed}, this is {conditions}"
    found = count()
    lines = differences(known, found)
    if not lines:
        return 0, f"counts: {len(found)} operations as in the table"
    lines.append("if this is intended, `make counts UPDATE=1` writes the table")
    return 1, "\n".join(f"counts: {line}" for line in lines)


def main():
    if len(sys.argv) not in (3, 4) or sys.argv[3:] not in ([], ["--update"]):
        sys.exit(__doc__.strip())
    program, file = sys.argv[1], pathlib.Path(sys.argv[2])
    if not shutil.which("valgrind"):
        print("counts: skipped: valgrind is not installed")
        return
    swift = re.search(r"Swift version ([\d.]+)", run("swift", "--version")[0])[1]
    about = json.loads(run(program, "counts")[0])
    conditions = f"Swift {swift}, {platform.machine()}, SQLite {about['sqlite']}"

    def count():
        names = about["operations"]
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            return dict(zip(names, pool.map(lambda name: per_call(program, name), names)))

    if "--update" in sys.argv:
        file.write_text(table(conditions, count()))
        return
    code, message = outcome(file.read_text(), conditions, count)
    print(message, file=sys.stderr if code else sys.stdout)
    sys.exit(code)


if __name__ == "__main__":
    main()
