"""Shows that tests can fail: changes one place of the sources after the other, and runs a test
that must find it."""

import os
import subprocess
import sys
from typing import NamedTuple


class Mutation(NamedTuple):
    """A change of one place in the sources, and the test that must fail with it."""

    name: str
    file: str
    text: str
    replacement: str
    test: str


def tried(mutation, folder, test, build=lambda: None, failure="FAILED"):
    """Applies a mutation to the files of a folder and reverts it afterwards.

    - `test`: the words of the command that runs its test.
    - `build`: returns why the changed sources do not build.
    - `failure`: part of the output of a test that fails.
    - Returns: `None` if the test fails with it, else the reason.
    """
    path = os.path.join(folder, mutation.file)
    with open(path, encoding="utf-8") as file:
        text = file.read()
    if text.count(mutation.text) != 1:
        return f"the text is in the file {text.count(mutation.text)} times"
    try:
        with open(path, "w", encoding="utf-8") as file:
            file.write(text.replace(mutation.text, mutation.replacement))
        if reason := build():
            return f"it does not build:\n{reason}"
        done = subprocess.run(test, capture_output=True, text=True)
    finally:
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
    output = done.stdout + done.stderr
    is_found = done.returncode != 0 and failure in output
    return None if is_found else f"the test does not find it:\n{output[-2000:]}"


def try_all(mutations, names, attempt):
    """Tries the mutations whose names contain one of some texts, prints a line for each, and ends
    the process. `attempt` returns what `tried` does."""
    chosen = [one for one in mutations if not names or any(name in one.name for name in names)]
    missed = 0
    for mutation in chosen:
        problem = attempt(mutation)
        missed += problem is not None
        print(f"{'MISSED' if problem else 'found '}  {mutation.name}"
              + (f": {problem}" if problem else ""), flush=True)
    print(f"{len(chosen) - missed} of {len(chosen)} mutations are found")
    sys.exit(1 if missed or not chosen else 0)
