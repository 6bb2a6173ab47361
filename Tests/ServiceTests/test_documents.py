"""Runs each block of docs/HTTP.md and then of docs/RUNNING.md, in order, in one shell, those of
docs/UPGRADING.md, and each session of the README, and compares the output with the page.
test_cluster.py does the same for docs/CLUSTER.md.

UPDATE_GOLDEN=1 writes the output into the pages.
"""

import os
import re
import subprocess
import tempfile
import unittest

import service
from service import ROOT, free_ports
from waiting import missing, required

PAGES = [os.path.join(ROOT, "docs", name) for name in ("HTTP.md", "RUNNING.md")]
README = os.path.join(ROOT, "README.md")
TUTORIAL = os.path.join(ROOT, "docs", "TUTORIAL.md")
# A session: the command after "$", continued after ">", and its output.
SESSION = re.compile(r"^```console\n(.*?)^```\n", re.M | re.S)
STEP = re.compile(r"^\$ (.*\n(?:> .*\n)*)((?:(?!\$ ).*\n)*)", re.M)
BLOCK = re.compile(r"^```sh\n(.*?)^```\n(?:\n```(json|text)\n(.*?)^```\n)?", re.M | re.S)
# Values that differ each time: random names, measured values, times of day.
RANDOM = [
    (r"\b[0-9a-f]{13,16}\b", "0000000000000000"),
    (r'"microseconds":\d+', '"microseconds":0'),
    (r'"next":"[\w-]{40,}"', '"next":"token"'),
    (r"\d{4}-\d\d-\d\dT[\d:.]+Z", "2026-01-01T00:00:00.000Z"),
    # Positions in a log that nodes share, its name, and ages.
    (r"\b[0-9a-f]{8,16}\.(\d+)\.(\d+)\.[0-9a-f]{8,16}\b", r"log.\1.\2.chain"),
    (r"\b[0-9a-f]{32}\b", "0" * 32),
    (r"(?m)\b\d\.\d{3}$", "0.000"),
]
MARK = "----- end of a block"


def masked(text):
    for pattern, plain in RANDOM:
        text = re.sub(pattern, plain, text)
    return text.rstrip("\n")


class PageCase(unittest.TestCase):
    """A page whose blocks must print the documented output."""

    maxDiff = None
    # The environment of the shell.
    environment = {}

    def setUp(self):
        required("curl", "no curl")
        version = subprocess.run(["curl", "--version"], capture_output=True, text=True).stdout
        if [int(part) for part in re.search(r"curl (\d+)\.(\d+)", version).groups()] < [7, 84]:
            missing("curl has no %header{} before 7.84")

    def run_blocks(self, blocks):
        """Returns the output of each block."""
        script = "set -eu\ntrap 'kill $(jobs -p) 2>/dev/null || true' EXIT\n" + "".join(f"{block}echo; echo '{MARK}'\n" for block in blocks)
        ports = dict(zip(("8080", "8081", "8082"), map(str, free_ports(3))))
        for port, free in ports.items():
            script = re.sub(rf"\b{port}\b", free, script)
        with tempfile.TemporaryDirectory() as folder:
            os.symlink(service.binary, os.path.join(folder, "layoutcache"))
            os.symlink(os.path.join(ROOT, "Sources"), os.path.join(folder, "Sources"))
            done = subprocess.run(
                ["bash", "-c", script], cwd=folder, capture_output=True, text=True, timeout=100,
                env={**os.environ, "PATH": f"{folder}:{os.environ['PATH']}", "COLUMNS": "120",
                     "NO_COLOR": "1", **self.environment})
        self.assertEqual(done.returncode, 0, done.stdout[-2000:] + done.stderr[-2000:])
        printed = done.stdout
        for port, free in ports.items():
            printed = re.sub(rf"\b{free}\b", port, printed)
        return printed.split(f"\n{MARK}\n")[:-1]

    def check(self, paths, count_min):
        """Runs the blocks of the pages, in order, in one shell."""
        pages = []
        for path in paths:
            with open(path, encoding="utf-8") as file:
                pages.append(file.read())
        found = [[match.groups() for match in BLOCK.finditer(page)] for page in pages]
        blocks = [block for of_page in found for block, _, _ in of_page]
        self.assertGreater(len(blocks), count_min)
        printed = iter(self.run_blocks(blocks))
        for path, page, of_page in zip(paths, pages, found):
            texts = [next(printed) for _ in of_page]
            if os.environ.get("UPDATE_GOLDEN") == "1":
                self.write(path, page, texts)
                continue
            for (block, _, said), text in zip(of_page, texts):
                with self.subTest(page=os.path.basename(path), block=block):
                    self.assertEqual(masked(text), masked(said or ""))

    def write(self, path, page, printed):
        texts = iter(printed)

        def replaced(match):
            block, form, said = match.groups()
            text = next(texts).rstrip("\n")
            return f"```sh\n{block}```\n" + (f"\n```{form}\n{text}\n```\n" if form else "")

        with open(path, "w", encoding="utf-8") as file:
            file.write(BLOCK.sub(replaced, page))


class PageTests(PageCase):
    def test_the_blocks_print_the_documented_output(self):
        self.check(PAGES, 10)

    def test_the_blocks_of_the_upgrade_print_the_documented_output(self):
        self.check([os.path.join(ROOT, "docs", "UPGRADING.md")], 2)

    def test_the_readme_sessions_print_the_documented_output(self):
        self.check_sessions(README, "")

    def test_the_shop_of_the_tutorial_prints_the_documented_output(self):
        self.check_sessions(TUTORIAL, "# Second part")

    def check_sessions(self, path, begin):
        """Runs the sessions of a page after a line, in order, in one shell."""
        with open(path, encoding="utf-8") as file:
            page = file.read()
        sessions = SESSION.findall(page[page.index(begin):])
        steps = [step for session in sessions for step in STEP.findall(session)]
        self.assertGreater(len(steps), 5)
        printed = self.run_blocks([typed.replace("\n> ", "\n") for typed, _ in steps])
        for (typed, said), text in zip(steps, printed):
            if os.environ.get("UPDATE_GOLDEN") == "1":
                lines = text.rstrip("\n") + "\n" if text.strip() else ""
                page = page.replace(f"$ {typed}{said}", f"$ {typed}{lines}", 1)
                continue
            with self.subTest(typed=typed):
                self.assertEqual(masked(text), masked(said))
        if os.environ.get("UPDATE_GOLDEN") == "1":
            with open(path, "w", encoding="utf-8") as file:
                file.write(page)
