"""Takes the picture of the inspector for the README: imports the sample, serves it, and writes
docs/inspector.jpg.

    .build/browser/bin/python3 Scripts/screenshot.py LAYOUTCACHE
"""

import os
import pathlib
import re
import subprocess
import sys
import tempfile

from playwright.sync_api import sync_playwright

ROOT = pathlib.Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "Tests" / "PageTests"))
import harness  # noqa: E402

LAYOUT = ["--width", "1180", "--columns", "5", "--column-spacing", "12", "--line-spacing", "12",
          "--inset", "12", "--minimum-length", "120", "--maximum-length", "420", "--header", "44",
          "--pins-header"]


def main(layoutcache):
    with tempfile.TemporaryDirectory() as folder:
        os.environ["LAYOUTCACHE_DATABASE"] = f"{folder}/museum.sqlite"

        def run(*arguments):
            subprocess.run([layoutcache, *arguments], check=True, stdout=subprocess.DEVNULL)

        run("import", str(ROOT / "Sources/DemoSample/tate-sample.csv"), "--dataset", "museum",
            "--key", "accession", "--section", "year", "--data", "title,artist",
            "--on-invalid", "skip")
        run("layout", "set", "desktop", "--dataset", "museum", *LAYOUT)
        service = subprocess.Popen([layoutcache, "serve", "--port", "0"],
                                   stderr=subprocess.PIPE, text=True)
        try:
            url = next(found[0] for line in service.stderr
                       if (found := re.search(r"http://[^ ]*", line)))
            with sync_playwright() as playwright:
                browser = playwright.chromium.launch(
                    executable_path=harness.chromium(), args=["--no-sandbox"])
                context = browser.new_context(viewport={"width": 1280, "height": 720})
                context.add_init_script(harness.PROBES)
                page = context.new_page()
                page.goto(f"{url}/?dataset=museum&layout=desktop")
                harness.wait(page, "probe.feed()?.view && probe.cells().length > 0")
                page.evaluate("probe.feed().moveTo(20184)")
                page.evaluate("probe.rest()")
                page.screenshot(path=ROOT / "docs" / "inspector.jpg", type="jpeg", quality=80)
                browser.close()
        finally:
            service.terminate()
            service.wait()


main(sys.argv[1])
