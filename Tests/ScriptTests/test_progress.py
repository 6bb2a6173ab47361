"""Tests of Scripts/progress.py: where the log is written, and the exit status."""

import pathlib
import subprocess
import sys
import tempfile
import unittest

PROGRESS = pathlib.Path(__file__).parents[2] / "Scripts" / "progress.py"


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

    def test_the_exit_status_is_the_command_s(self):
        with tempfile.TemporaryDirectory() as folder:
            done = self.run_progress(pathlib.Path(folder) / "log", "sh", "-c", "exit 7")
            self.assertEqual(done.returncode, 7)
            self.assertIn("✘ a title", done.stdout)


if __name__ == "__main__":
    unittest.main()
