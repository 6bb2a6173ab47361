"""What the page asks of the service, and what it does when that is slow, shut or away."""

import time

from harness import equal, wait

REQUESTS_MOST = 60
TABS = 8


def eight_tabs_load_and_follow(lab):
    context = lab.context()
    pages = [lab.open(context) for _ in range(TABS)]
    cell = next(e for e in lab.server.elements("0,100,1120,500")["elements"]
                if e["category"] == "cell")
    commit = lab.server.batch({"op": "resize", "key": cell["key"], "width": 100, "height": 99})
    for page in pages:
        wait(page, "revision => probe.feed().store.revision >= revision",
                               arg=commit["revision"])
    if lab.server.is_fake:
        equal(lab.server.instruct()["streams"], 1, "event streams of eight tabs")
    # The tab that holds the stream goes, and another one takes over.
    pages.pop(0).close()
    pages.pop(0).close()
    time.sleep(0.5)
    commit = lab.server.batch({"op": "resize", "key": cell["key"], "width": 100, "height": 98})
    for page in pages:
        wait(page, "revision => probe.feed().store.revision >= revision",
                               arg=commit["revision"])


def a_fling_asks_for_little(lab):
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


def scrubbing_shows_the_newest_place_first(lab):
    page = lab.open()
    if lab.server.is_fake:
        lab.server.instruct(delay=0.3)
    try:
        page.evaluate(
            """async () => {
              const feed = probe.feed();
              for (let i = 1; i <= 60; i++) {
                feed.moveTo(i * 1000000 + 500);
                await probe.frame();
              }
            }""")
        # A quick server leaves nothing to stand in for.
        waits = page.locator(".lc-placeholder").count() > 0
        assert waits or not lab.server.is_fake, "no placeholder meanwhile"
        begun = time.monotonic()
        page.evaluate("probe.rest()")
        assert time.monotonic() - begun < 5, "older requests were waited for"
    finally:
        if lab.server.is_fake:
            lab.server.instruct(delay=0)
    equal(page.evaluate("probe.feed().position"), 60000500, "the place")
    assert page.evaluate("probe.cells().length") > 0


def readers_of_one_place_share_addresses(lab):
    urls = []
    for height in (800, 900):
        page = lab.open(height=height)
        asked = []
        page.on("request", lambda request: asked.append(request.url))
        page.evaluate("height => probe.feed().moveTo(50000000 + height / 4)", height)
        page.evaluate("probe.rest()")
        urls.append({url for url in asked if "rect=" in url})
    assert urls[0] & urls[1], f"no address in common: {urls}"


def a_server_that_is_away_is_waited_for(lab):
    page = lab.open()
    lab.server.instruct(fail=1)
    try:
        page.evaluate("probe.feed().moveTo(70000000)")
        page.wait_for_selector("#status[data-state=away]")
    finally:
        lab.server.instruct(fail=0)
    page.wait_for_selector("#status[data-state=live]")
    page.evaluate("probe.rest()")
    assert page.evaluate("probe.cells().length") > 0


def a_page_opened_while_the_server_is_away_opens_later(lab):
    lab.server.instruct(fail=1)
    try:
        page = lab.context().new_page()
        page.goto(lab.server.url)
        page.wait_for_selector("#empty:not([hidden])")
    finally:
        lab.server.instruct(fail=0)
    lab.ready(page)
    assert page.locator("#empty").is_hidden()


def a_token_is_asked_for_and_kept(lab):
    lab.server.instruct(token="secret")
    try:
        page = lab.context().new_page()
        page.goto(lab.server.url)
        page.locator("#token[open] input").fill("wrong")
        page.locator("#token[open] button").click()
        page.get_by_text("is not accepted").wait_for()
        page.locator("#token[open] input").fill("secret")
        page.locator("#token[open] button").click()
        lab.ready(page)
        page.reload()
        lab.ready(page)
        equal(page.evaluate("sessionStorage.getItem('layoutcache-token')"), "secret", "the token")
        assert "secret" not in page.url
    finally:
        lab.server.instruct(token="")


for _test in (a_server_that_is_away_is_waited_for, a_token_is_asked_for_and_kept,
              a_page_opened_while_the_server_is_away_opens_later):
    _test.needs_fake = True
