"""The page's requests to the service, and its behaviour if that is slow, broken or offline."""

import contextlib
import os

from harness import equal, follow, near, wait, wait_until
import service as services

REQUESTS_MOST = 60
TABS = 8


def _first_cell(lab):
    return next(e for e in lab.server.elements("0,100,1120,500")["elements"]
                if e["category"] == "cell")


def _expect_height(lab, page, key):
    page.evaluate("probe.rest()")
    height = page.evaluate("key => probe.node(key).getBoundingClientRect().height", key)
    near(height, lab.server.item(key)["frame"]["height"], f"the height of {key}")


def eight_tabs_load_and_follow(lab):
    context = lab.context()
    pages = [lab.open(context) for _ in range(TABS)]
    cell = _first_cell(lab)
    commit = lab.server.batch({"op": "resize", "key": cell["key"], "width": 100, "height": 99})
    for page in pages:
        follow(page, commit["revision"])
    equal(lab.server.proxy.streams, 1, "event streams of eight tabs")
    # The tab that holds the stream is closed, and another one takes over.
    pages.pop(0).close()
    pages.pop(0).close()
    commit = lab.server.batch({"op": "resize", "key": cell["key"], "width": 100, "height": 98})
    for page in pages:
        follow(page, commit["revision"])


def a_fling_sends_few_requests(lab):
    page = lab.open()
    asked = []
    page.on("request", lambda request: asked.append(request.url))
    end = page.evaluate(
        """async () => {
          const feed = probe.feed();
          const until = performance.now() + 5000;
          while (performance.now() < until) {
            feed.scroller.scrollBy(0, 2500);
            await probe.frame();
          }
          await probe.rest();
          return feed.position;
        }""")
    assert end > 100000, end
    tiles = [url for url in asked if "/elements" in url]
    assert 0 < len(tiles) <= REQUESTS_MOST, f"{len(tiles)} requests in five seconds"
    assert page.evaluate("probe.cells().length") > 0


def scrubbing_loads_the_latest_position_first(lab):
    page = lab.open()
    before = len(lab.server.proxy.requests)
    with lab.server.proxy.faults(delay=0.3):
        page.evaluate(
            """async () => {
              const feed = probe.feed();
              for (let i = 1; i <= 60; i++) {
                feed.moveTo(i * 1000000 + 500);
                await probe.frame();
              }
            }""")
        assert page.locator(".lc-placeholder").count() > 0, "no placeholder in the meantime"
        page.evaluate("probe.rest()")
    asked = [path for _, path, _ in lab.server.proxy.requests[before:] if "/elements" in path]
    assert len(asked) < 30, f"{len(asked)} requests for 60 positions, most of them older ones"
    equal(page.evaluate("probe.feed().position"), 60000500, "the position")
    assert page.evaluate("probe.cells().length") > 0


def readers_at_one_position_request_the_same_urls(lab):
    urls = []
    for height in (840, 940):
        page = lab.open(height=height)
        asked = []
        page.on("request", lambda request: asked.append(request.url))
        page.evaluate("height => probe.feed().moveTo(50000000 + height / 4)", height)
        page.evaluate("probe.rest()")
        urls.append({url for url in asked if "rect=" in url})
    assert urls[0] & urls[1], f"no address in common: {urls}"


# The possible faults between page and service, for all routes.
_BREAKS = [{"status": 503}, {"status": 429}, {"status": 500}, {"drop": True},
           {"body_bytes_max": 20}]


def the_page_waits_for_an_unavailable_server(lab):
    page = lab.open()
    for number, fault in enumerate(_BREAKS):
        with lab.server.proxy.faults(**fault):
            page.evaluate("at => probe.feed().moveTo(at)", 70000000 - number * 9000000)
            page.wait_for_selector("#status[data-state=away]")
        page.wait_for_selector("#status[data-state=live]")
        page.evaluate("probe.rest()")
        assert page.evaluate("probe.cells().length") > 0, f"nothing is shown after {fault}"


def a_page_opened_during_an_outage_loads_afterwards(lab):
    for fault in _BREAKS:
        page = lab.context().new_page()
        with lab.server.proxy.faults(**fault):
            page.goto(f"{lab.server.url}/?dataset={lab.server.dataset}")
            page.wait_for_selector("#empty:not([hidden])")
        lab.ready(page)
        assert page.locator("#empty").is_hidden(), f"still empty after {fault}"


def truncated_answers_are_requested_again(lab):
    page = lab.open()
    for number, length in enumerate((0, 1, 300, 2000)):
        with lab.server.proxy.faults(under="/elements", body_bytes_max=length) as fault:
            page.evaluate("at => probe.feed().moveTo(at)", 20000000 + number * 5000000)
            wait_until(lambda: fault.hits > 1, "nothing is requested", page=page)
        page.evaluate("probe.rest()")
        position = page.evaluate("probe.feed().position")
        expected = lab.server.elements(f"0,{position},1120,600")["elements"]
        expected = {each["key"] for each in expected if each["category"] == "cell"}
        found = {cell["key"] for cell in page.evaluate("probe.cells()")}
        assert expected and expected <= found, f"after answers of {length} bytes"


def a_cut_stream_resumes_where_it_ended(lab):
    page = lab.open()
    cell = _first_cell(lab)
    commit = None
    for number in range(2):
        # The next stream delivers the commits of the outage.
        with lab.server.proxy.faults(under="/events", drop=True) as fault:
            lab.server.proxy.cut()
            wait_until(lambda: fault.hits > 0, "the page does not ask for another stream")
            page.wait_for_selector("#status[data-state=away]")
            for height in range(1, number + 2):
                commit = lab.server.batch({"op": "resize", "key": cell["key"], "width": 100,
                                           "height": 90 + 10 * number + height})
        follow(page, commit["revision"])
        _expect_height(lab, page, cell["key"])


def events_in_pieces_and_events_cut_in_two_are_received_whole(lab):
    # The first event of a stream does not fit into 120 bytes.
    for number, fault in enumerate(({"piece_bytes": 50}, {"body_bytes_max": 120})):
        page = lab.open()
        cell = _first_cell(lab)
        with lab.server.proxy.faults(under="/events", **fault) as met:
            lab.server.proxy.cut()
            wait_until(lambda: met.hits > 0, "the page does not ask for another stream")
            for height in (61 + 10 * number, 62 + 10 * number):
                commit = lab.server.batch(
                    {"op": "resize", "key": cell["key"], "width": 100, "height": height})
                page.wait_for_timeout(300)
        follow(page, commit["revision"])
        _expect_height(lab, page, cell["key"])


@contextlib.contextmanager
def _service_with_token(scope):
    """Starts another service on the same file, with the token "secret"."""
    services.binary = os.environ["LAYOUTCACHE_BINARY"]
    service = services.Service(
        tokens=services.token_line("all", scope, token="secret")
               + ("public read\n" if scope == "write" else ""),
        database=os.environ["LAYOUTCACHE_PAGE_DATABASE"])
    try:
        yield service
    finally:
        service.remove()


def _give_token(page, token):
    page.locator("#token[open] input").fill(token)
    page.locator("#token[open] button").click()


def a_token_is_requested_and_stored(lab):
    with _service_with_token("read") as service:
        page = lab.context().new_page()
        page.goto(f"{service.url}/?dataset={lab.server.dataset}&layout={lab.server.layout}")
        # The prompt can be dismissed, and asked for again.
        for dismiss in (lambda: page.keyboard.press("Escape"),
                        lambda: page.get_by_role("button", name="Cancel").click()):
            page.locator("#token[open]").wait_for()
            dismiss()
            page.locator("#token:not([open])").wait_for(state="attached")
            page.get_by_role("button", name="Use another token").click()
        _give_token(page, "wrong")
        page.get_by_text("was not accepted").wait_for()
        _give_token(page, "secret")
        lab.ready(page)
        page.reload()
        lab.ready(page)
        equal(page.evaluate("sessionStorage.getItem('layoutcache-token')"), "secret", "the token")
        assert "secret" not in page.url
        page.close()


def edits_are_offered_with_a_token_that_permits_them(lab):
    with _service_with_token("write") as service:
        page = lab.context().new_page()
        page.goto(f"{service.url}/?dataset={lab.server.dataset}&layout={lab.server.layout}")
        lab.ready(page)
        revision = page.evaluate("probe.feed().store.revision")
        larger = page.get_by_role("button", name="Increase height by 15 percent")
        page.evaluate("probe.node(probe.cells()[2].key).click()")
        page.locator("#details .facts").first.wait_for()
        equal(larger.count(), 0, "buttons that need a token")
        page.get_by_role("button", name="View only").click()
        # With the token, the page opens the feed again.
        page.evaluate("window.feedBefore = probe.feed()")
        _give_token(page, "secret")
        wait(page, "probe.feed() !== feedBefore && Boolean(probe.feed()?.view)")
        lab.ready(page)
        page.evaluate("probe.node(probe.cells()[2].key).click()")
        larger.click()
        wait(page, "revision => probe.feed().store.revision > revision", arg=revision)
        page.close()


for _test in (a_token_is_requested_and_stored,
              edits_are_offered_with_a_token_that_permits_them):
    _test.needs = "LAYOUTCACHE_PAGE_DATABASE"
