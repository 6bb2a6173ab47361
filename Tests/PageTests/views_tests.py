"""Filters, orders and named views: in the inspector, and in a feed of a viewer's token."""

import json
import os
import pathlib
import tempfile

import service as services
from harness import equal, follow, near, wait

NAME = "shop"
CONFIGURATION = {
    "container": {"width": 800},
    "section": {"columns": 2, "header": 40, "pinsHeader": True, "columnSpacing": 8}}
ROWS = [{"key": f"p{number}", "width": 100, "height": 50 + number * 37 % 90,
         "section": f"s{number // 100}",
         "data": {"title": f"Lamp {number}", "price": number * 7919 % 400}}
        for number in range(600)]
LINES = "".join(json.dumps(row) + "\n" for row in ROWS).encode()


def _make(lab):
    lab.server.remove(NAME)
    lab.server.ask(lab.server.under(NAME, "import") + "?format=ndjson", LINES)
    lab.server.put(lab.server.under(NAME, "layouts", "wide"), CONFIGURATION)
    lab.server.put(lab.server.under(NAME, "views", "sale"),
                   {"where": "price < 100", "order": [{"by": "price", "descending": True}]})


def _open(lab, **options):
    page = lab.open(dataset=NAME, layout="wide", width=1000, **options)
    if page.locator("#filters").is_hidden():
        page.get_by_role("button", name="Filter and order").click()
    return page


def _matching(test, order=lambda data: 0):
    """Returns the keys of matching items in an order, as plain lists do."""
    rows = [row for row in ROWS if test(row["data"])]
    return [row["key"] for row in sorted(rows, key=lambda row: (order(row["data"]), row["key"]))]


def _agree(lab, page, keys, query, what, dataset=NAME):
    """The page shows the first items of a view, where the service has them."""
    page.evaluate("probe.rest()")
    equal(page.evaluate("probe.feed().itemCount"), len(keys), f"{what}: the count")
    position, length = page.evaluate("[probe.feed().position, probe.feed().visibleLength]")
    path = lab.server.under(dataset, "layouts", "wide", "elements")
    answer = lab.server.ask(f"{path}?rect=0,{position},800,{length}&{query}")
    expected = {each["key"]: each["frame"]["y"] - position for each in answer["elements"]
                if each["category"] == "cell"}
    found = {cell["key"]: cell["place"] for cell in page.evaluate("probe.cells()")}
    equal(sorted(found), sorted(expected), f"{what}: the cells")
    assert found.keys() <= set(keys), f"{what}: {found.keys() - set(keys)} do not match"
    for key, place in expected.items():
        near(found[key], place, f"{what}: {key}")
    return list(found)


def _wait_for(page, count):
    """Waits until the page shows a feed of a number of items."""
    wait(page, """count => document.querySelector('#feed').ariaBusy === 'false'
      && probe.feed().itemCount === count""", arg=count)


def _filter(page, text):
    page.get_by_label("Filter", exact=True).fill(text)
    page.keyboard.press("Enter")


def a_filter_an_order_and_named_views_show_a_part_of_the_feed(lab):
    _make(lab)
    page = _open(lab)
    cheap = _matching(lambda data: data["price"] < 60)
    _filter(page, "price < 60")
    _wait_for(page, len(cheap))
    _agree(lab, page, cheap, "where=price%20%3C%2060", "a filter")
    page.get_by_label("Order by").select_option("price")
    chip = page.get_by_role("button", name="price, ascending: reverse")
    chip.click()
    page.get_by_role("button", name="price, descending: reverse").wait_for()
    ordered = _matching(lambda data: data["price"] < 60, lambda data: -data["price"])
    _wait_for(page, len(ordered))
    _agree(lab, page, ordered, "where=price%20%3C%2060&order=-price", "an order")
    equal(page.evaluate("probe.anchor().key"), ordered[0], "the first item")
    page.reload()
    lab.ready(page)
    _agree(lab, page, ordered, "where=price%20%3C%2060&order=-price", "a reload")
    page.get_by_role("button", name="sale").click()
    equal(page.get_by_label("Filter", exact=True).input_value(), "", "the filter's field")
    sale = _matching(lambda data: data["price"] < 100)
    _wait_for(page, len(sale))
    _agree(lab, page, sale, "view=sale", "a named view")
    page.get_by_role("button", name="sale", pressed=True).click()
    _wait_for(page, len(ROWS))
    _agree(lab, page, [row["key"] for row in ROWS], "", "all items")


def a_filter_that_is_wrong_or_matches_nothing_says_so(lab):
    _make(lab)
    page = _open(lab)
    page.evaluate("probe.feed().moveTo(3000)")
    page.evaluate("probe.rest()")
    _filter(page, "price <")
    page.locator("#filters .problem", has_text="expected a value").wait_for()
    lab.ready(page)
    equal(page.evaluate("probe.feed().position"), 3000, "the position")
    equal(page.evaluate("probe.feed().itemCount"), len(ROWS), "the items")
    assert "where" not in page.url, page.url
    _filter(page, "price > 4000")
    page.get_by_role("button", name="Show all items").click()
    page.locator("#empty").wait_for(state="hidden")
    lab.ready(page)
    equal(page.evaluate("probe.feed().itemCount"), len(ROWS), "the items again")
    page.goto(page.url.split("?")[0] + f"?dataset={NAME}&layout=wide&view=none")
    page.locator("#filters .problem", has_text="no view 'none'").wait_for()
    lab.ready(page)


def the_last_of_filters_in_quick_succession_is_shown(lab):
    _make(lab)
    page = _open(lab)
    with lab.server.proxy.faults(under="/elements", delay=3):
        for limit in (300, 200, 100):
            _filter(page, f"price < {limit}")
            # The page is busy until the last one is shown.
            equal(page.evaluate("document.querySelector('#feed').ariaBusy"), "true", "busy")
            page.wait_for_timeout(200)
        _wait_for(page, len(_matching(lambda data: data["price"] < 100)))
        page.wait_for_timeout(700)
    cheap = _matching(lambda data: data["price"] < 100)
    _agree(lab, page, cheap, "where=price%20%3C%20100", "the last filter")
    assert page.locator("#empty").is_hidden(), "the message about an earlier filter"


def _price(lab, key, price):
    return lab.server.batch({"op": "data", "key": key, "data": {"price": price}}, dataset=NAME)


def a_view_follows_commits_without_a_jump(lab, context=None):
    _make(lab)
    page = _open(lab, context=context)
    _filter(page, "price < 200")
    keys = _matching(lambda data: data["price"] < 200)
    _wait_for(page, len(keys))
    page.evaluate("probe.feed().moveTo(2000)")
    page.evaluate("probe.rest()")
    first = page.evaluate("probe.anchor()")
    # One that leaves, one that enters, both before the visible ones; one that stays hidden.
    for key, price in ((keys[0], 300), (next(r["key"] for r in ROWS if r["key"] not in keys), 5)):
        keys = [each for each in keys if each != key] + [key] * (price < 200)
        revision = _price(lab, key, price)["revision"]
        follow(page, revision)
        _agree(lab, page, keys, "where=price%20%3C%20200", f"{key} costs {price}")
        assert page.evaluate("probe.feed().store.revision") == revision
        near(page.evaluate("key => probe.place(probe.node(key))", first["key"]), first["place"],
             "the reader's item")
    # Nothing on the page is read again for commits that change nothing in the view.
    page.evaluate("""() => {
      const { follower } = probe.feed();
      const forget = follower.forget.bind(follower);
      follower.forgets = 0;
      follower.forget = (revision) => { follower.forgets++; forget(revision); };
    }""")
    hidden = next(row["key"] for row in ROWS if row["key"] not in keys)
    for number in range(3):
        revision = _price(lab, hidden, 350 + number)["revision"]
        page.evaluate("probe.feed().moveTo(%d)" % (6000 + 3000 * number))
        _agree(lab, page, keys, "where=price%20%3C%20200", "after a commit outside the view")
        follow(page, revision)
    for index in (5, -5):
        _price(lab, hidden, 360 + index)
        follow(page, _price(lab, keys.pop(index), 300)["revision"])
        _agree(lab, page, keys, "where=price%20%3C%20200", "after commits outside and inside")
    equal(page.evaluate("probe.feed().follower.forgets"), 0, "how often all was read again")
    # The page's own change.
    key = page.evaluate("probe.anchor().key")
    page.evaluate("key => probe.node(key).focus()", key)
    page.keyboard.press("Delete")
    keys.remove(key)
    _wait_for(page, len(keys))
    _agree(lab, page, keys, "where=price%20%3C%20200", "a deletion")
    page.evaluate("probe.node(probe.anchor().key).click()")
    page.locator("#details").get_by_role("button", name="Delete").wait_for()
    equal(page.locator("#details").get_by_role("button", name="Later").count(), 0,
          "moves in a view")


def a_view_is_polled_without_streams(lab):
    context = lab.context(width=1000)
    context.add_init_script("Object.defineProperty(navigator, 'locks', { value: undefined })")
    a_view_follows_commits_without_a_jump(lab, context)


def a_viewers_token_shows_its_part(lab):
    """In a page of a team's own, with the layout's configuration from its backend."""
    services.binary = os.environ["LAYOUTCACHE_BINARY"]
    with tempfile.TemporaryDirectory() as folder:
        file = os.path.join(folder, "tokens")
        services.command("token", "create", "app", "--key", NAME, "--tokens", file, check=True)
        token = services.command(
            "token", "sign", "app", "--datasets", NAME, "--layouts", "wide", "--where",
            "price < 200", "--tokens", file, check=True).stdout.strip()
        lines = services.token_line("writer") + pathlib.Path(file).read_text()
    service = services.Service(tokens=lines)
    try:
        def ask(method, path, body, kind=services.NDJSON):
            headers = {"Authorization": "Bearer writer", "Content-Type": kind}
            found = service.request(method, f"/v1/datasets/{NAME}/{path}", body, headers)
            assert found.status in (200, 201), found

        ask("POST", "import", LINES)
        ask("PUT", "layouts/wide", json.dumps(CONFIGURATION), "application/json")
        configuration = json.dumps(CONFIGURATION)
        page = lab.open_own(
            f"dataset: '{NAME}', layout: 'wide', token: () => '{token}', "
            f"configuration: {configuration}", service.url)
        keys = _matching(lambda data: data["price"] < 200)
        equal(page.evaluate("feed.itemCount"), len(keys), "the count")
        for key in page.evaluate("probe.cells()"):
            assert key["key"] in keys, key
        gone = page.evaluate("probe.anchor().key")
        ask("POST", "batches", json.dumps({"op": "data", "key": gone, "data": {"price": 300}}))
        wait(page, "count => feed.itemCount === count", arg=len(keys) - 1)
        page.evaluate("probe.rest()")
        assert not page.evaluate("key => probe.node(key)", gone), "a hidden item is shown"
    finally:
        service.remove()


a_viewers_token_shows_its_part.needs = "LAYOUTCACHE_BINARY"
