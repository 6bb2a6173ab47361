"""Shared tools of the page tests: a server, a browser, and queries of both.

A test is a function of a `Lab` in a module `*_tests.py`; its name is a sentence. Tests ask
the server themselves, over HTTP, what ought to be on the page.
"""

import json
import os
import pathlib
import shutil
import sys
import time
import unittest
import urllib.error
import urllib.parse
import urllib.request

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "PythonSupport"))
from fault_proxy import FaultProxy  # noqa: E402
from waiting import wait_for  # noqa: E402

UNIT = 64

# The step of the layouts that `set_any_layout` makes.
STEP = 8

# Runs before the page's own scripts: queries that tests send to the page.
PROBES = """
window.probe = {
  feed: () => window.inspector?.feed ?? window.feed,
  box: () => probe.feed().scroller.getBoundingClientRect(),
  /** A node's place along the main axis from the visible start, in pixels. */
  place(node) {
    const [box, own] = [probe.box(), node.getBoundingClientRect()];
    const { isHorizontal, isMirrored } = probe.feed().axis;
    if (!isHorizontal) return own.top - box.top;
    return isMirrored ? box.right - own.right : own.left - box.left;
  },
  node: (key) => document.querySelector(`.lc-cell[data-key="${CSS.escape(key)}"]`),
  /** Every cell on the page that is in sight: its key, and where it is drawn. */
  cells() {
    const { visibleLength } = probe.feed();
    return [...document.querySelectorAll('.lc-cell')].map((node) => {
      const own = node.getBoundingClientRect();
      const length = own[probe.feed().axis.length];
      return { key: node.dataset.key, place: probe.place(node), length,
        across: own[probe.feed().axis.isHorizontal ? 'top' : 'left'] };
    }).filter(({ place, length }) => place < visibleLength && place + length > 0);
  },
  frame: () => new Promise((resolve) => requestAnimationFrame(resolve)),
  async rest() {
    const feed = probe.feed();
    // A page that never settles fails its test and does not hold up the others.
    const limit = new Promise((_, reject) => {
      setTimeout(() => reject(new Error('the feed never settles')), 60000);
    });
    const rested = async () => {
      do {
        await feed.settled();
        await new Promise((resolve) => setTimeout(resolve, 40));
      } while (feed.view.isScrolling || !feed.isSettled);
    };
    return Promise.race([rested(), limit]);
  },
  /** The reader's item: the first that begins in sight, and where. */
  anchor() {
    const cells = probe.cells().filter(({ place }) => place >= 0);
    return cells.sort((a, b) => a.place - b.place || a.across - b.across)[0];
  },
};
"""


PAGE = HERE.parents[1] / "Sources" / "ServicePage"


def page_file(path):
    """Returns the page's file that is served at a path; None if there is none."""
    name = {"/": "index.html", "/client.js": "client.js", "/client.d.ts": "client.d.ts"}.get(
        path, path.removeprefix("/page/"))
    if "/" in name or not path.startswith(("/page/", "/client")) and path != "/":
        return None
    return next((file for folder in ("Client", "Inspector")
                 if (file := PAGE / folder / name).is_file()), None)


class Server:
    """The service under test: browsers reach it through a proxy, tests call it directly."""

    def __init__(self, url):
        self.service_url = url.rstrip("/")
        self.proxy = FaultProxy(self.service_url, keeps_alive=False)
        self.url = self.proxy.url
        self.dataset = os.environ.get("LAYOUTCACHE_PAGE_DATASET", "collection")
        self.layout = os.environ.get("LAYOUTCACHE_PAGE_LAYOUT", "desktop")
        self.takes_page_from_checkout = "LAYOUTCACHE_PAGE_FILES" in os.environ
        self.token = os.environ.get("LAYOUTCACHE_PAGE_TOKEN")

    def close(self):
        self.proxy.close()

    def ask(self, path, body=None, method=None, seconds=60):
        headers = {"Authorization": f"Bearer {self.token}"} if self.token else {}
        request = urllib.request.Request(self.service_url + path, body, headers, method=method)
        if body is not None and method is None:
            request.add_header("Content-Type", "application/x-ndjson")
        try:
            with urllib.request.urlopen(request, timeout=seconds) as response:
                text = response.read()
                return json.loads(text) if text else None
        except urllib.error.HTTPError as error:
            if error.code != 503 or b"#preparing" not in error.read():
                raise
        # A layout of millions of items is being laid out.
        time.sleep(1)
        return self.ask(path, body, method, seconds)

    def put(self, path, value=None):
        return self.ask(path, b"" if value is None else json.dumps(value).encode(), "PUT")

    def recreate(self, dataset):
        """Makes an empty dataset, in place of one of an earlier test."""
        self.remove(dataset)
        self.put(self.under(dataset))

    def remove(self, dataset):
        """Removes the dataset of an earlier test, if there is one."""
        if dataset in [each["dataset"] for each in self.ask("/v1/datasets")["datasets"]]:
            self.ask(self.under(dataset), method="DELETE")

    def under(self, *parts):
        return "/v1/datasets/" + "/".join(urllib.parse.quote(p, safe="") for p in parts)

    def batch(self, *operations, dataset=None):
        lines = "".join(json.dumps(operation) + "\n" for operation in operations)
        return self.ask(self.under(dataset or self.dataset, "batches"), lines.encode())

    def item(self, key, dataset=None, layout=None):
        return self.ask(self.under(dataset or self.dataset, "items", key)
                        + f"?layout={layout or self.layout}")

    def elements(self, rect, dataset=None, layout=None, *parameters):
        path = self.under(dataset or self.dataset, "layouts", layout or self.layout, "elements")
        return self.ask("&".join([f"{path}?rect={rect}", *parameters]))

    def described(self, dataset=None):
        return self.ask(self.under(dataset or self.dataset))

    def key_at(self, share, dataset=None, layout=None):
        """Returns the first item after a fraction of the whole length; the last one for 1."""
        size = self.elements("0,0,1,1", dataset, layout)["contentSize"]
        across = size["width"] > size["height"]
        length = size["width"] if across else size["height"]
        at = min(length * share, length - 3000)
        rect = f"{at},0,4000,{size['height']}" if across else f"0,{at},{size['width']},4000"
        cells = [e for e in self.elements(rect, dataset, layout)["elements"]
                 if e["category"] == "cell"]
        cells.sort(key=lambda cell: (cell["section"], cell["item"]))
        return (cells[-1] if share == 1 else cells[0])["key"]


class Lab(unittest.TestCase):
    """A test, with a browser and a server."""

    def __init__(self, name, test, browser, server):
        super().__init__("run_test")
        self.name, self.test = name, test
        self.browser, self.server, self.contexts, self.errors = browser, server, [], []

    def id(self):
        return self.name

    def run_test(self):
        needed = getattr(self.test, "needs", "PATH")
        if needed not in os.environ:
            self.skipTest(f"{needed} is not set")
        self.addCleanup(self.close)
        self.test(self)

    def context(self, width=1280, height=800, ratio=1, **options):
        settings = {"viewport": {"width": width, "height": height},
                    "device_scale_factor": ratio, "reduced_motion": "reduce"} | options
        context = self.browser.new_context(**settings)
        context.add_init_script(PROBES)
        if self.server.takes_page_from_checkout:
            context.route(lambda url: self.file(url) is not None, self.serve_file)
        self.contexts.append(context)
        return context

    def file(self, url):
        """Returns the file in the checkout that an address refers to."""
        if not url.startswith(self.server.url):
            return None
        return page_file(urllib.parse.urlsplit(url).path)

    def serve_file(self, route):
        file = self.file(route.request.url)
        kinds = {".html": "text/html", ".js": "text/javascript", ".css": "text/css",
                 ".svg": "image/svg+xml"}
        route.fulfill(body=file.read_bytes(), content_type=kinds.get(file.suffix, "text/plain"))

    def open(self, context=None, dataset=None, layout=None, path=None, **options):
        """Opens the inspector on a feed, and waits until it is ready."""
        context = context or self.context(**options)
        page = context.new_page()
        self.watch(page)
        query = urllib.parse.urlencode({"dataset": dataset or self.server.dataset,
                                        "layout": layout or self.server.layout})
        page.goto(self.server.url + (path or f"/?{query}"))
        self.ready(page)
        return page

    def open_own(self, options, url=None, style="", **context):
        """Opens a page with one feed: `options` is the text of its options."""
        page = self.context(**context).new_page()
        self.watch(page)
        page.route("**/own", lambda route: route.fulfill(content_type="text/html", body=f"""
            <!doctype html><body style="{style}"><div id="feed" style="height: 700px"></div>
            <script type="module">
              import {{ Feed }} from '/client.js';
              window.feed = new Feed(document.querySelector('#feed'), {{ {options} }});
              await feed.open();
            </script>"""))
        page.goto((url or self.server.url) + "/own")
        self.ready(page)
        return page

    def watch(self, page):
        """Errors in the page and violations of its security policy fail the test."""
        page.on("pageerror", lambda error: self.errors.append(str(error)))
        page.on("console", lambda message: "Security Policy" in message.text
                and self.errors.append(message.text))

    def ready(self, page, seconds=15):
        wait(page, "probe.feed()?.view && probe.cells().length > 0", seconds=seconds)
        page.evaluate("probe.rest()")

    def close(self):
        for context in self.contexts:
            context.close()
        assert not self.errors, f"errors in the page: {self.errors}"


def chromium():
    for name in ("chromium", "chromium-browser", "google-chrome"):
        if path := shutil.which(name):
            return path
    raise SystemExit("page tests: no Chromium; run 'make browser'")


def wait(page, expression, arg=None, seconds=15):
    """Waits until an expression is true. Playwright's own waiting needs an eval in the page,
    which the page's security policy forbids."""
    wait_for(lambda: page.evaluate(expression, arg), f"{expression} of {arg!r}", seconds)


def wait_until(condition, text, page=None):
    """Waits until a condition is true; with a page, its requests are answered in the meantime."""
    wait_for(condition, text, 15, page and (lambda: page.wait_for_timeout(30)))


def intercept(page, pattern, act):
    """Handles a loaded page's requests to `pattern`. Chromium confirms an interception before the
    page's requests take that way: those sent at once may still reach the server."""
    page.route(pattern, act)
    page.route("**/intercepted", lambda route: route.fulfill(status=204))
    wait(page, "fetch('/intercepted').then(({ status }) => status === 204)")
    page.unroute("**/intercepted")


def move(page, position):
    """Moves the feed to a position, and waits until it rests."""
    page.evaluate("position => probe.feed().moveTo(position)", position)
    page.evaluate("probe.rest()")


def reveal(page, key):
    """Moves the feed to where an item begins, and waits until it rests."""
    page.evaluate("key => probe.feed().reveal(key, 'start')", key)
    page.evaluate("probe.rest()")


def follow(page, revision):
    """Waits until the page shows a revision or a later one."""
    wait(page, "revision => probe.feed().store.revision >= revision", arg=revision)


def wait_for_saved_position(page):
    """Waits until the scroll position is saved in the history entry."""
    wait(page, "history.state?.layoutcache?.position === probe.feed().view.position")


class Requests:
    """The requests of a page whose URL contains `part`."""

    def __init__(self, page, part):
        self.page, self.under_way, self.last_sent = page, set(), time.monotonic()

        def sent(request):
            if part in request.url:
                self.under_way.add(request)
                self.last_sent = time.monotonic()

        page.on("request", sent)
        for event in ("requestfinished", "requestfailed"):
            # Playwright accepts no built-in method.
            page.on(event, lambda request: self.under_way.discard(request))

    def wait_until_answered(self, seconds=0.3):
        """Waits until all are answered, and none was sent for some time."""
        wait_until(lambda: not self.under_way and time.monotonic() - self.last_sent > seconds,
                   "the page keeps sending requests", page=self.page)


def equal(actual, expected, what):
    assert actual == expected, f"{what}: {actual!r}, expected {expected!r}"


def near(actual, expected, what, tolerance=1 / UNIT):
    assert abs(actual - expected) <= tolerance, f"{what}: {actual!r}, expected {expected!r}"


def set_any_layout(lab, dataset, *widths):
    """Sets the layout `any`, of any width, and lays out variants before a page waits for them."""
    path = lab.server.under(dataset, "layouts", "any")
    lab.server.put(path, {
        "container": {"widths": {"step": STEP, "keep": 64}},
        "section": {"columns": 2, "columnSpacing": 8, "lineSpacing": 8, "header": 44,
                    "pinsHeader": True, "inset": {"left": 8, "right": 8, "top": 8, "bottom": 8}},
        "breakpoints": [{"from": 600, "minimumColumnWidth": 180}]})
    for width in widths:
        lab.server.ask(f"{path}@{width}/prepare", b"", "POST", seconds=300)
