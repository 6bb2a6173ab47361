"""Tests of Scripts/progress.py: the log, the summary, and the exit status."""

import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

PROGRESS = pathlib.Path(__file__).parents[2] / "Scripts" / "progress.py"
PASSING = """[1/2] Compiling A.swift
◇ Test run started.
◇ Test a() started.
◇ Test case passing 1 argument text → "one
✘ two" to b(text:) started.
◇ Test b(text:) started.
✔ Test a() passed after 0.1 seconds.
✔ Test b(text:) with 1 test case passed after 0.1 seconds.
✔ Test run with 2 tests in 1 suite passed after 0.1 seconds.
"""


class ProgressTests(unittest.TestCase):
    def run_progress(self, log, *command):
        return subprocess.run(
            [sys.executable, PROGRESS, log, "a title", *command],
            capture_output=True, text=True, check=False)

    def test_the_folder_of_the_log_is_created(self):
        """In a fresh clone there is no build folder."""
        with tempfile.TemporaryDirectory() as folder:
            log = pathlib.Path(folder) / "build" / "deeper" / "test.log"
            for _ in range(2):
                done = self.run_progress(log, "echo", "a line")
                self.assertEqual(done.returncode, 0, done.stderr)
            self.assertEqual(log.read_text(), "a line\na line\n")

    def run_tests(self, output, exit_code):
        """Returns the finished script, and the log."""
        with tempfile.TemporaryDirectory() as folder:
            log = pathlib.Path(folder) / "log"
            done = self.run_progress(
                log, "sh", "-c", 'printf %s "$1"; exit "$2"', "sh", output, str(exit_code))
            self.assertEqual(done.returncode, exit_code)
            return done.stdout, log.read_text()

    def test_passing_tests_are_counted(self):
        output, log = self.run_tests(PASSING, 0)
        self.assertEqual(
            re.sub(r"\d+ s", "N s", output),
            "▸ a title\n✔ a title (2 of 2 tests passed), N s, processor N s\n")
        self.assertEqual(log, PASSING)

    def test_failures_are_shown_in_full_and_the_status_is_kept(self):
        failure = (
            "✘ Test c() recorded an issue at C.swift:1:1: Expectation failed: a == b\n"
            '↳ seed 7, "step 3"\n    and what it printed\n'
            "✘ Test c() failed after 0.1 seconds with 1 issue.\n")
        output, _ = self.run_tests(
            PASSING + "◇ Test c() started.\n◇ Test d() started.\n" + failure, 3)
        self.assertIn(failure, output)
        self.assertIn("(2 of 4 tests passed, 1 failed), ", output)
        self.assertIn(" s: exit status 3\n", output)
        self.assertIn("  failed: c()\n  did not finish: d()\n", output)


if __name__ == "__main__":
    unittest.main()
