"""The pages of the guide, on another origin, and of the tutorial.

The tests start the command themselves (LAYOUTCACHE_BINARY).
"""

import contextlib
import http.server
import os
import pathlib
import subprocess
import tempfile
import threading

from harness import HERE, equal, wait
import service as services


@contextlib.contextmanager
def _foreign_page():
    """Serves a page, and a picture under all paths that end with .svg; yields the port, and a list
    with the page, which can be changed."""
    picture = (HERE.parents[1] / "Sources/ServicePage/Inspector/icon.svg").read_bytes()

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            is_picture = self.path.endswith(".svg")
            self.send_response(200)
            self.send_header("Content-Type", "image/svg+xml" if is_picture else "text/html")
            self.end_headers()
            self.wfile.write(picture if is_picture else pages[0].encode())

        def log_message(self, *_):
            pass

    pages = [""]
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield server.server_port, pages
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


@contextlib.contextmanager
def _service(*arguments, **options):
    services.binary = os.environ["LAYOUTCACHE_BINARY"]
    service = services.Service(arguments, **options)
    try:
        yield service
    finally:
        service.remove()


def the_example_of_the_guide_works(lab):
    """As it is pasted, on a page of another port, with the flag of the guide."""
    guide = (HERE.parents[1] / "docs" / "CLIENT.md").read_text()
    example = guide.split("```html\n")[1].split("```")[0]
    assert len(example.splitlines()) <= 28, "the example has grown"
    assert "--allow-origin http://localhost:8000" in guide.split("```sh\n")[1].split("```")[0]
    rows = "".join(
        f'{{"key":"m{number}","width":300,"height":{300 + number * 41 % 200},'
        f'"section":"{1890 + number // 50}",'
        f'"data":{{"title":"Work {number}","image_url":"/{number}.svg"}}}}\n'
        for number in range(4000))
    example = example.replace("await feed.open();", "window.feed = feed; await feed.open();")
    with _foreign_page() as (port, pages):
        with _service("--allow-origin", f"http://localhost:{port}") as service:
            pages[0] = example.replace("http://localhost:8080", f"http://localhost:{service.port}")
            headers = {"Content-Type": services.NDJSON}
            equal(service.request("POST", "/v1/datasets/museum/import", rows, headers).status,
                  200, "the import")
            equal(service.request("PUT", "/v1/datasets/museum/layouts/phone", """
                {"container": {"width": 390, "height": 844},
                 "section": {"columns": 2, "columnSpacing": 8, "lineSpacing": 8, "header": 44}}
                """).status, 201, "the layout")
            page = lab.context().new_page()
            lab.watch(page)
            page.goto(f"http://localhost:{port}/")
            lab.ready(page)
            page.mouse.move(page.evaluate("probe.box().left + 100"), 300)
            page.mouse.wheel(0, 1000)
            wait(page, "feed.position === 1000")
            page.evaluate("probe.rest()")
            assert page.evaluate("probe.cells().length") > 3
            key = page.evaluate("probe.anchor().key")
            image = page.locator(f"[data-key={key}] img")
            equal(image.get_attribute("alt"), f"Work {key[1:]}", "the picture's text")
            label = page.locator("#scrubber .labels span").first
            equal(label.inner_text(), "1890", "the first label of the scrubber")
            page.locator("#scrubber").focus()
            page.keyboard.press("End")
            page.evaluate("probe.rest()")
            equal(page.evaluate("feed.view.position === feed.view.end"), True, "the end")
            assert page.evaluate("Boolean(probe.node('m3999'))"), "the last item is missing"


the_example_of_the_guide_works.needs = "LAYOUTCACHE_BINARY"


def the_shop_of_the_tutorial_works(lab):
    """With its file, imported as its session does."""
    page_text = (HERE.parents[1] / "docs" / "TUTORIAL.md").read_text()
    part = page_text[page_text.index("# Second part"):]
    example = part.split("```html\n")[1].split("```")[0]
    example = example.replace("let feed;", "window.feed = undefined;")
    shown = part.split("```console\n")[1].split("```")[0]
    script = "\n".join(line[2:] for line in shown.splitlines() if line[:2] in ("$ ", "> "))
    services.binary = os.environ["LAYOUTCACHE_BINARY"]
    with tempfile.TemporaryDirectory() as folder:
        pages = pathlib.Path(folder, "pages")
        pages.mkdir()
        (pages / "index.html").write_text(example)
        bin_folder = os.path.dirname(os.path.abspath(services.binary))
        subprocess.run(["bash", "-euc", script], cwd=folder, check=True, capture_output=True,
                       env={**os.environ, "PATH": f"{bin_folder}:{os.environ['PATH']}"})
        with _service("--pages", str(pages), database=f"{folder}/shop.sqlite") as service:
            page = lab.context().new_page()
            lab.watch(page)
            page.goto(f"{service.url}/pages/")
            lab.ready(page)
            equal(page.evaluate("feed.itemCount"), 300, "all products")
            page.get_by_label("Order").select_option("Cheapest")
            page.get_by_label("Filter").select_option("Red")
            wait(page, "feed.view && feed.itemCount === 100")
            page.evaluate("probe.rest()")
            first = "feed.visibleElements().find((e) => e.category === 'cell').data"
            equal(page.evaluate(first), {"name": "Lamp 180", "price": 15, "color": "red",
                                         "added": "2026-01-13"}, "the cheapest red one")


the_shop_of_the_tutorial_works.needs = "LAYOUTCACHE_BINARY"
