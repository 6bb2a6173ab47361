"""Runs the Python blocks of the documentation, and compares their output.

UPDATE_GOLDEN=1 writes the output into docs/PYTHON.md.
"""

import contextlib
import io
import os
import re
import tempfile
import unittest

import layoutcache
from support import ROOT

BLOCK = re.compile(r"^```python\n(.*?)^```\n(?:\n```text\n(.*?)^```\n)?", re.M | re.S)


class DocumentTests(unittest.TestCase):
    maxDiff = None

    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="layoutcache-")
        self.addCleanup(folder.cleanup)
        self.addCleanup(os.chdir, os.getcwd())
        os.chdir(folder.name)

    def run_blocks(self, path, change=lambda page: page):
        """Yields each block with its output, in one namespace."""
        with open(path, encoding="utf-8") as file:
            page = change(file.read())
        names = {}
        self.addCleanup(lambda: "service" in names and names["service"].kill())
        for block in BLOCK.finditer(page):
            # Errors name the line of the page.
            lines = page[:block.start(1)].count("\n")
            code = compile("\n" * lines + block[1], path, "exec")
            output = io.StringIO()
            with contextlib.redirect_stdout(output):
                exec(code, names)
            yield page, block, output.getvalue()

    def test_the_tutorial_prints_the_documented_output(self):
        path = os.path.join(ROOT, "docs", "PYTHON.md")
        found = list(self.run_blocks(path))
        self.assertGreater(len(found), 10)
        if os.environ.get("UPDATE_GOLDEN") == "1":
            page = found[0][0]
            for _, block, output in found:
                text = f"```python\n{block[1]}```\n"
                page = page.replace(
                    block[0], text + (f"\n```text\n{output}```\n" if output else ""), 1)
            with open(path, "w", encoding="utf-8") as file:
                file.write(page)
            return
        for _, block, output in found:
            self.assertEqual(output, block[2] or "", block[1])

    def test_the_example_of_the_package_runs(self):
        outputs = [
            output for _, _, output in
            self.run_blocks(os.path.join(ROOT, "clients", "python", "README.md"))]
        self.assertEqual(outputs, [
            "a Rect(x=0, y=0, width=195, height=292.5)\n"
            "b Rect(x=195, y=0, width=195, height=260)\n"])

    def test_the_example_of_the_readme_runs(self):
        with layoutcache.serve() as service, service.client() as client:
            with open(os.path.join(ROOT, "Sources/DemoSample/tate-sample.csv"), "rb") as file:
                client.import_file(
                    "museum", file, format="csv", columns={"key": "accession", "section": "year"},
                    on_invalid="skip")
            client.set_layout("museum", "phone", {
                "container": {"width": 390, "height": 844},
                "section": {"columns": 2, "header": 44, "pinsHeader": True}})
            (_, _, output), = self.run_blocks(
                os.path.join(ROOT, "README.md"),
                lambda page: page.replace("http://127.0.0.1:8080", service.url))
            self.assertEqual(client.item("museum", "A00184").width, 4)
        self.assertIn("Rect(x=0, y=20000, width=390, height=44)", output)
        self.assertGreater(len(output.splitlines()), 8)

    def test_every_public_name_is_documented(self):
        with open(os.path.join(ROOT, "docs", "PYTHON.md"), encoding="utf-8") as file:
            page = file.read()
        missing = [
            name for name in dir(layoutcache.Client)
            if not name.startswith("_") and f"`{name}" not in page and f".{name}(" not in page]
        self.assertEqual(missing, [])
        for name in dir(layoutcache.Client) + layoutcache.__all__:
            value = getattr(layoutcache.Client, name, None) or getattr(layoutcache, name, None)
            if not name.startswith("_"):
                self.assertTrue(value.__doc__, name)
