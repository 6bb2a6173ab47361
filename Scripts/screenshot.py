"""Creates docs/inspector.jpg for the README: serves the demo's feed, and takes screenshots of the
inspector in windows of three widths.

    .build/browser/bin/python3 Scripts/screenshot.py LAYOUTCACHE
"""

import base64
import pathlib
import re
import subprocess
import sys
import tempfile

from playwright.sync_api import sync_playwright

ROOT = pathlib.Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "Tests" / "PageTests"))
import harness  # noqa: E402

HEIGHT, GAP = 844, 28
# The width of each window, and its scroll position.
WINDOWS = [(1200, 0), (768, 700), (390, 0)]


def picture(browser, url, width, distance):
    context = browser.new_context(viewport={"width": width, "height": HEIGHT})
    context.add_init_script(harness.PROBES)
    page = context.new_page()
    page.goto(f"{url}/?dataset=tate&layout=feed")
    harness.wait(page, "probe.feed()?.view && probe.cells().length > 0")
    page.evaluate("distance => probe.feed().moveTo(distance)", distance)
    page.evaluate("probe.rest()")
    png = base64.b64encode(page.screenshot()).decode()
    context.close()
    return f'<img width="{width}" height="{HEIGHT}" src="data:image/png;base64,{png}">'


def main(layoutcache):
    with tempfile.TemporaryDirectory() as folder:
        database = f"{folder}/museum.sqlite"
        subprocess.run([layoutcache, "demo", "--items", "0", "--database", database], cwd=folder,
                       check=True, stdout=subprocess.DEVNULL)
        service = subprocess.Popen(
            [layoutcache, "serve", "--port", "0", "--database", database],
            stderr=subprocess.PIPE, text=True)
        try:
            url = next(found[0] for line in service.stderr
                       if (found := re.search(r"http://[^ ]*", line)))
            with sync_playwright() as playwright:
                browser = playwright.chromium.launch(
                    executable_path=harness.chromium(), args=["--no-sandbox"])
                windows = [picture(browser, url, *window) for window in WINDOWS]
                width = sum(width for width, _ in WINDOWS) + GAP * (len(WINDOWS) + 1)
                page = browser.new_page(viewport={"width": width, "height": HEIGHT + 2 * GAP})
                page.set_content(
                    f"<style>body{{margin:{GAP}px;display:flex;gap:{GAP}px;background:#e8e8ec}}"
                    "img{border-radius:6px;box-shadow:0 2px 12px #0004}</style>" + "".join(windows))
                page.screenshot(path=ROOT / "docs" / "inspector.jpg", type="jpeg", quality=72)
                browser.close()
        finally:
            service.terminate()
            service.wait()


main(sys.argv[1])
