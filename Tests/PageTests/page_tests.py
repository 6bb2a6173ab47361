"""Use of the page: order, keys, roles, search, and kept scroll positions."""

import time
import urllib.parse

from harness import equal, intercept, move, near, reveal, wait, wait_for_saved_position

NODES_MOST = 250


def nodes_are_few_and_in_item_order(lab):
    page = lab.open()
    for number in range(12):
        page.evaluate("number => probe.feed().moveTo(number * 7777777.5)", number)
        page.evaluate("probe.rest()")
        order = page.evaluate(
            "[...document.querySelectorAll('.lc-cell')].map(({ element }) =>"
            " [element.section, element.item])")
        equal(order, sorted(order), f"the order at place {number}")
        assert len(order) == len(set(map(tuple, order))), "an item occurs twice"
        count = page.evaluate("document.querySelectorAll('.lc-element, .lc-lane').length")
        assert 0 < count < NODES_MOST, f"{count} nodes"


def roles_describe_positions_in_the_whole_feed(lab):
    page = lab.open()
    count = lab.server.described()["items"]
    page.evaluate("key => probe.feed().reveal(key)", lab.server.key_at(0.7))
    page.evaluate("probe.rest()")
    wait(page, "document.querySelector('.lc-cell[aria-posinset]')")
    equal(page.get_attribute("#feed", "role"), "feed", "the feed's role")
    rows = lab.server.ask(lab.server.under(lab.server.dataset, "sections")
                          + f"?layout={lab.server.layout}&from=0&count=256")["sections"]
    for cell in page.evaluate(
            "[...document.querySelectorAll('.lc-cell')].map((n) => ({ tag: n.tagName,"
            " section: n.element.section, item: n.element.item, label: n.ariaLabel,"
            " index: n.ariaPosInSet, count: n.ariaSetSize }))"):
        equal(cell["tag"], "ARTICLE", "a cell's element")
        equal(int(cell["count"]), count, "aria-setsize")
        equal(int(cell["index"]), rows[cell["section"]]["firstItem"] + cell["item"] + 1,
              "aria-posinset")
        assert cell["label"], "a cell has no name"
    bar = page.locator("#scrubber")
    equal(bar.get_attribute("role"), "scrollbar", "the scrubber's role")
    equal(bar.get_attribute("aria-valuenow"), "70", "the scrubber's value")


def keys_work_without_a_click(lab):
    page = lab.open()
    visible = page.evaluate("probe.feed().visibleLength")
    page.keyboard.press("PageDown")
    equal(page.evaluate("probe.feed().position"), visible, "PageDown")
    page.keyboard.press("Home")
    equal(page.evaluate("probe.feed().position"), 0, "Home")
    page.keyboard.press("End")
    equal(page.evaluate("probe.feed().view.position === probe.feed().view.end"), True, "End")
    page.keyboard.press("/")
    page.wait_for_selector("#find[open]")
    page.keyboard.press("Escape")
    page.wait_for_selector("#find:not([open])", state="attached")
    page.keyboard.press("Home")
    equal(page.evaluate("probe.feed().position"), 0, "Home under a dialog")


def _focused(page):
    return page.evaluate("(() => { const { element } = document.activeElement;"
                         " return element && [element.cross, element.start, element.key]; })()")


def _press(page, key):
    before = _focused(page)
    page.keyboard.press(key)
    wait(page, "before => (document.activeElement.element?.key ?? null) !== before",
        arg=before and before[2])
    return _focused(page)


def arrow_keys_move_between_columns(lab):
    page = lab.open()
    page.evaluate("probe.rest()")
    first = _press(page, "ArrowDown")
    second = _press(page, "ArrowDown")
    equal(second[0], first[0], "the column below")
    assert second[1] > first[1]
    right = _press(page, "ArrowRight")
    assert right[0] > second[0], "to the right is another column"
    back = _press(page, "ArrowLeft")
    equal(back[0], second[0], "the column to the left")
    here = back
    for _ in range(25):
        down = _press(page, "ArrowDown")
        equal(down[0], here[0], "the column further down")
        assert down[1] > here[1]
        here = down
    page.evaluate("probe.rest()")
    place = page.evaluate("probe.place(document.activeElement)")
    assert 0 <= place < page.evaluate("probe.feed().visibleLength"), "the focused item is not visible"


def focus_is_kept_while_its_item_is_out_of_view(lab):
    page = lab.open()
    key = _press(page, "ArrowDown")[2]
    move(page, 40000000)
    equal(page.evaluate("document.activeElement.dataset.key"), key, "the focused item")
    move(page, 0)
    equal(page.evaluate("document.activeElement.dataset.key"), key, "the focused item")


def a_reload_keeps_the_scroll_position(lab):
    page = lab.open()
    page.evaluate("key => probe.feed().reveal(key, 'start')", lab.server.key_at(0.6))
    page.evaluate("probe.feed().moveBy(333.359375)")
    page.evaluate("probe.rest()")
    wait_for_saved_position(page)
    anchor = page.evaluate("probe.anchor()")
    page.reload()
    lab.ready(page)
    near(page.evaluate("key => probe.place(probe.node(key))", anchor["key"]), anchor["place"],
         "the item after a reload")
    page.goto("about:blank")
    page.go_back()
    lab.ready(page)
    near(page.evaluate("key => probe.place(probe.node(key))", anchor["key"]), anchor["place"],
         "the item after going back")


def deleting_the_anchor_item_keeps_the_next_one_in_place(lab):
    page = lab.open()
    page.evaluate("key => probe.feed().reveal(key, 'start')", lab.server.key_at(0.55))
    page.evaluate("probe.feed().moveBy(120)")
    page.evaluate("probe.rest()")
    wait_for_saved_position(page)
    places = page.evaluate("history.state.layoutcache.anchors")
    page.goto("about:blank")
    lab.server.batch({"op": "delete", "keys": [places[0]["key"]]})
    page.go_back()
    lab.ready(page)
    assert page.evaluate("key => !probe.feed().store.cell(key)", places[0]["key"])
    near(page.evaluate("key => probe.place(probe.node(key))", places[1]["key"]),
         places[1]["offset"] / 64, "the next item")


def changing_the_width_keeps_the_anchor_item(lab):
    page = lab.open()
    reveal(page, lab.server.key_at(0.35))
    key = page.evaluate("probe.anchor().key")
    for width, height in ((900, 1100), (1280, 800)):
        page.set_viewport_size({"width": width, "height": height})
        page.wait_for_timeout(300)
        page.evaluate("probe.rest()")
        assert page.evaluate("key => Boolean(probe.node(key))", key), f"lost at {width}"


def find_goes_to_sections_keys_and_titles(lab):
    page = lab.open(dataset="strip", layout="down")
    key = lab.server.key_at(0.8, "strip", "down")
    item = lab.server.item(key, "strip", "down")
    page.keyboard.press("/")
    page.keyboard.type(key)
    row = page.locator("#found li", has_text="Key").first
    row.wait_for()
    page.keyboard.press("Enter")
    wait(page, "key => probe.node(key)", arg=key)
    page.keyboard.press("Escape")
    page.keyboard.press("/")
    page.keyboard.type(item["sectionKey"])
    page.locator("#found li", has_text="Section").first.click()
    page.evaluate("probe.rest()")
    rows = lab.server.ask(lab.server.under("strip", "sections")
                          + f"?layout=down&from={item['section']}&count=1")
    equal(page.evaluate("probe.feed().position"), rows["sections"][0]["start"], "the section")
    title = page.evaluate("probe.node(probe.anchor().key).querySelector('h3').textContent")
    page.keyboard.press("/")
    page.keyboard.type(title[:-1])
    page.locator("#found li", has_text="Item").filter(has_text=title).first.wait_for()
    page.keyboard.press("Escape")


def find_lists_items_that_contain_a_text_or_match_a_filter(lab):
    page = lab.open(dataset="strip", layout="down")
    mark = f'needle \\ "{time.time_ns()}"'
    lab.server.batch({"op": "data", "key": "s30", "data": {"title": f"The {mark.upper()}"}},
                     {"op": "data", "key": "s2000", "data": {"title": "Near", "artist": mark}},
                     {"op": "data", "key": "s7", "data": {"title": "None", "medium": mark}},
                     dataset="strip")
    rows = page.locator("#found li")
    more = page.get_by_role("button", name="Show more")
    asked = []

    def answer(route):
        asked.append(urllib.parse.parse_qs(urllib.parse.urlsplit(route.request.url).query))
        return route.continue_()

    def find(text, note):
        """Returns the queries that were sent until the note is that one."""
        asked.clear()
        page.keyboard.press("/")
        page.locator("#find input").fill(text)
        wait(page, "text => document.querySelector('#find .note').textContent === text", arg=note)
        return list(asked)

    intercept(page, "**/elements?where=*", answer)
    tried, query = find(mark, "2 items found")
    equal(tried["where"], [mark], "the filter that was tried")
    escaped = mark.replace("\\", "\\\\").replace('"', '\\"')
    wanted = f'key CONTAINS "{escaped}" OR title CONTAINS "{escaped}" OR '
    assert query["where"][0].startswith(wanted), query
    equal(page.locator("#find code").inner_text(), query["where"][0], "the filter in the note")
    equal(rows.count(), 2, "the items with the text")
    assert mark.upper() in rows.first.inner_text(), rows.first.inner_text()
    assert "Near" in rows.last.inner_text() and mark in rows.last.inner_text()
    page.keyboard.press("Enter")
    wait(page, "key => probe.node(key)", arg="s30")
    wanted = "key STARTS WITH s12 AND height >= 62"
    query, = find(wanted, "First 24 items")
    equal((query["where"], query["from"], query["count"]), ([wanted], ["0.0"], ["24"]), "the query")
    for count in (48, 72, 96):
        more.click()
        wait(page, "text => document.querySelector('#find .note').textContent === text",
             arg=f"First {count} items")
        equal(rows.count(), count, "the rows")
    more.click()
    wait(page, "document.querySelector('#find .note').textContent === '111 items found'")
    equal((asked[-1]["where"], "after" in asked[-1]), ([wanted], True), "the last query")
    keys = page.evaluate("[...document.querySelectorAll('#found b')].map((b) => b.textContent)")
    equal(keys, ["s12", *(f"s{n}" for n in range(120, 130)), *(f"s{n}" for n in range(1200, 1300))],
          "the items of the filter")
    assert more.is_hidden()
    page.keyboard.press("Escape")
    find("key = none", "No items found")
    equal(rows.count(), 0, "the items of a filter that matches none")


# The feed "strip", created by Scripts/page-test-real.sh.
find_goes_to_sections_keys_and_titles.needs = "LAYOUTCACHE_PAGE_DATABASE"
find_lists_items_that_contain_a_text_or_match_a_filter.needs = "LAYOUTCACHE_PAGE_DATABASE"


def results_have_two_lines_on_a_phone(lab):
    page = lab.open(width=390, height=844)
    page.keyboard.press("/")
    page.keyboard.type("harbour 12345")
    page.locator("#found li").first.wait_for(timeout=120_000)
    title, about, row = page.evaluate(
        "['b', 'span:last-child', ''].map((part) => document.querySelector(`#found li ${part}`)"
        ".getBoundingClientRect().toJSON())")
    assert about["top"] >= title["bottom"] - 1, "the second line is not below the first"
    assert about["width"] > 100 and row["right"] <= 390, f"{about}, {row}"


def the_scrubber_reaches_every_position_and_ignores_taps(lab):
    page = lab.open()
    box = page.locator("#scrubber").bounding_box()
    middle = box["x"] + box["width"] - 14
    page.mouse.click(middle, box["y"] + box["height"] / 2)
    page.evaluate("probe.rest()")
    share = page.evaluate("probe.feed().view.position / probe.feed().view.end")
    near(share, 0.5, "the share of the whole", 0.01)
    page.mouse.down()
    page.mouse.move(middle, box["y"] + box["height"] * 0.9, steps=6)
    page.mouse.up()
    near(page.evaluate("probe.feed().view.position / probe.feed().view.end"), 0.9, "dragged", 0.01)
    touch = lab.open(has_touch=True)
    touch.touchscreen.tap(middle, box["y"] + box["height"] / 2)
    touch.wait_for_timeout(200)
    equal(touch.evaluate("probe.feed().position"), 0, "the position after a tap")


def keys_on_the_scrubber_move_by_sections(lab):
    page = lab.open()
    rows = lab.server.ask(lab.server.under(lab.server.dataset, "sections")
                          + f"?layout={lab.server.layout}&from=60&count=3")["sections"]
    starts = [row["start"] for row in rows]
    move(page, starts[1] + 333)
    page.locator("#scrubber").focus()
    for key, expected in (("ArrowDown", starts[2]), ("ArrowUp", starts[1]),
                          ("ArrowUp", starts[0]), ("ArrowDown", starts[1])):
        page.keyboard.press(key)
        wait(page, "position => probe.feed().position === position", arg=expected)
        page.evaluate("probe.rest()")
    page.keyboard.press("Home")
    equal(page.evaluate("probe.feed().position"), 0, "Home on the scrubber")
    page.keyboard.press("ArrowUp")
    page.keyboard.press("End")
    equal(page.evaluate("probe.feed().view.position === probe.feed().view.end"), True, "End")


def labels_name_a_common_beginning_once(lab):
    page = lab.open()

    def labels(*keys):
        return page.evaluate(
            "async keys => { const { labels } = await import('/page/scrubber.js');"
            " const label = labels(keys);"
            " return keys.map((key) => { const { group, text } = label(key);"
            " return [group, text]; }); }", list(keys))

    equal(labels("2024-01-14", "2024-02-02"), [["2024", "01-14"], ["2024", "02-02"]], "one year")
    equal(labels("2024-01-14", "2024-01-15"), [["2024-01", "14"], ["2024-01", "15"]], "one month")
    equal(labels("2023-12-30", "2023-12-31", "2024-01-01", "2024-01-02"),
          [["2023", "12-30"], ["2023", "12-31"], ["2024", "01-01"], ["2024", "01-02"]],
          "two years")
    equal(labels("1996", "1997", "2001"), [["", "1996"], ["", "1997"], ["", "2001"]], "years")
    equal(labels("Old masters", "New media"), [["", "Old masters"], ["", "New media"]], "names")
    equal(labels("main"), [["", "main"]], "one section")


def labels_cover_a_feed_of_many_sections(lab):
    rows = "".join(f'{{"key":"i{n}","width":3,"height":{2 + n % 5},"section":"s{n:05}"}}\n'
                   for n in range(6400))
    lab.server.ask("/v1/datasets/sections/import?mode=replace&allowEmpty=true", rows.encode())
    lab.server.ask(lab.server.under("sections", "layouts", "list"), b"""
        {"container": {"width": 300}, "section": {"columns": 1, "header": 20}}""", "PUT")
    page = lab.open(dataset="sections", layout="list")
    wait(page, "document.querySelectorAll('#scrubber .labels span').length > 10")
    names = page.evaluate(
        "[...document.querySelectorAll('#scrubber .labels span')].map((n) => n.innerText)")
    equal(names, sorted(names), "the labels")
    assert "s00000" <= names[0] < "s00300" and names[-1] > "s05900", f"{names[0]}, {names[-1]}"
    box = page.locator("#scrubber").bounding_box()
    x = box["x"] + box["width"] - 14
    page.mouse.move(x, box["y"] + box["height"] / 2 + 5)
    page.mouse.down()
    page.mouse.move(x, box["y"] + box["height"] * 0.77, steps=5)
    wait(page, "document.querySelector('#scrubber .bubble').innerText"
               " === probe.feed().sections.get(probe.feed().visibleElements()[0]?.section)?.key")
    page.mouse.up()


def the_scrubber_and_panels_leave_the_feed_free(lab):
    for width, height in ((1400, 900), (1000, 800), (700, 900), (390, 844)):
        page = lab.open(width=width, height=height)
        boxes = page.evaluate(
            "['#feed', '#scrubber', '.where'].map((name) =>"
            " document.querySelector(name).getBoundingClientRect().toJSON())")
        feed, scrubber, where = boxes
        for name, box in (("the scrubber", scrubber), ("the position", where)):
            assert box["width"] > 20 and box["height"] > 20, f"{name} at {width}: {box}"
            assert box["left"] >= feed["right"] or box["top"] >= feed["bottom"], \
                f"{name} covers the feed at {width}: {box}"
            assert box["right"] <= width and box["bottom"] <= height, f"{name} at {width}: {box}"


def the_position_and_the_number_of_items_are_always_visible(lab):
    count = lab.server.described()["items"]
    for width in (1400, 390):
        page = lab.open(width=width)
        key = lab.server.key_at(0.5)
        reveal(page, key)
        numbers = page.evaluate(
            "probe.feed().visibleElements().filter((e) => e.category === 'cell'"
            " && e.start >= probe.feed().view.position)"
            ".map((e) => probe.feed().sections.get(e.section).firstItem + e.item + 1)")
        wait(page, "text => document.querySelector('#where').innerText.includes(text)",
             arg=f"{min(numbers):,} of {count:,} items")
        assert page.locator("#where").is_visible()


def a_long_feed_has_a_scroll_bar_to_its_end(lab):
    """The browser's own ends with the spacer; the module replaces it unless it has a scrubber."""
    page = lab.open_own(f"dataset: '{lab.server.dataset}', layout: '{lab.server.layout}'")
    equal(page.evaluate("getComputedStyle(feed.scroller).scrollbarWidth"), "none", "the own bar")
    bar = page.locator(".lc-rail .lc-scrubber")
    box = bar.bounding_box()
    equal(box["height"], 700, "the bar's length")
    feed = page.evaluate("feed.scroller.getBoundingClientRect().toJSON()")
    near(box["x"] + box["width"], feed["right"], "the bar's edge")
    for share, place in ((0.5, 350), (1, 699.5), (0, 0)):
        page.mouse.move(box["x"] + 7, box["y"] + 200)
        page.mouse.down()
        page.mouse.move(box["x"] + 7, box["y"] + place, steps=4)
        page.mouse.up()
        page.evaluate("probe.rest()")
        near(page.evaluate("feed.view.position / feed.view.end"), share, "the share", 0.002)
        equal(bar.bounding_box(), box, "the bar while the feed scrolls")
    page.evaluate("feed.close()")
    equal(bar.count(), 0, "bars after closing")


def unknown_names_in_the_address_are_explained(lab):
    page = lab.context().new_page()
    lab.watch(page)
    page.goto(lab.server.url + "/?dataset=nowhere&layout=phone")
    page.get_by_role("heading", name="There is no dataset \u201cnowhere\u201d").wait_for()
    page.get_by_role("button", name=lab.server.dataset, exact=True).click()
    # The page prefers a layout of any width, which other tests set. Its first layout at this width
    # takes several seconds, more on a busy machine.
    lab.ready(page, seconds=60)
    page.goto(f"{lab.server.url}/?dataset={lab.server.dataset}&layout=never")
    page.get_by_role("heading", name="There is no layout \u201cnever\u201d").wait_for()
    page.get_by_role("button", name=lab.server.layout, exact=True).click()
    lab.ready(page)
    equal(page.evaluate("probe.feed().layout"), lab.server.layout, "the layout")
    assert page.locator("#empty").is_hidden()


def keys_are_listed(lab):
    page = lab.open()
    page.keyboard.press("?")
    page.locator("#keys[open]").wait_for()
    text = page.locator("#keys").inner_text()
    for key in ("Ctrl", "Delete", "Home", "/"):
        assert key in text, f"{key} is not listed"
    page.keyboard.press("Escape")
    page.locator("#keys:not([open])").wait_for(state="attached")


def nothing_is_offered_that_the_token_may_not_do(lab):
    context = lab.context()

    def read_only(route):
        answer = route.fetch()
        route.fulfill(response=answer, headers={**answer.headers, "layoutcache-access": "read"})

    context.route(f"**/v1/datasets/{lab.server.dataset}", read_only)
    changes = []
    page = lab.open(context)
    page.on("request", lambda request: request.method != "GET" and changes.append(request.url))
    key = page.evaluate("probe.anchor().key")
    page.evaluate("key => probe.node(key).click()", key)
    page.locator("#details .facts").first.wait_for()
    for name in ("Resize", "Later", "Delete"):
        equal(page.get_by_role("button", name=name).count(), 0, f"buttons named {name}")
    equal(page.locator(".handle").count(), 0, "handles")
    page.evaluate("key => probe.node(key).focus()", key)
    for keys in ("Delete", "Alt+ArrowDown", "Control+z", "Control+y"):
        page.keyboard.press(keys)
    box = page.evaluate("key => probe.node(key).getBoundingClientRect().toJSON()", key)
    page.mouse.move(box["x"] + 40, box["y"] + 60)
    page.mouse.down()
    page.mouse.move(box["x"] + 200, box["y"] + 200, steps=4)
    equal(page.locator(".ghost").count(), 0, "dragged cards")
    page.mouse.up()
    page.keyboard.press("?")
    assert "Delete" not in page.locator("#keys").inner_text(), "a key that has no effect is listed"
    page.keyboard.press("Escape")
    equal(changes, [], "requests that change something")
    page.get_by_role("button", name="Change the layout").click()
    assert page.locator("#tuning input").first.is_disabled(), "sliders without write access"
    page.get_by_role("button", name="View only").click()
    page.locator("#token[open]").wait_for()
    writer = lab.open()
    assert writer.get_by_role("button", name="View only").is_hidden()


def pictures_are_found_under_the_usual_names(lab):
    page = lab.open()
    key = page.evaluate("probe.anchor().key")
    title = "Seen from afar"
    picture, missing = f"{lab.server.url}/page/icon.svg", f"{lab.server.url}/page/no.png"
    for data in ({"image_url": picture}, {"img": picture}, {"src": picture},
                 {"hero_url": picture}, {"coverUrl": picture},
                 {"product_url": missing, "thumb_url": picture}):
        lab.server.batch({"op": "data", "key": key, "data": {"title": title, **data}})
        name = next(iter(data))
        wait(page, "([key, source]) => { const image = probe.node(key).querySelector('img');"
             " return image?.src === source && image.complete && image.naturalWidth > 0; }",
             arg=[key, picture])
        equal(page.evaluate("key => probe.node(key).querySelector('img').alt", key), title,
              f"the text of a picture named {name}")
        lab.server.batch({"op": "data", "key": key, "data": {"title": title}})
        wait(page, "key => !probe.node(key).querySelector('img')", arg=key)
    lab.server.batch({"op": "data", "key": key, "data": {"title": title, "src": missing}})
    wait(page, "key => !probe.node(key).querySelector('img')", arg=key)


def elements_of_cells_are_over_the_cells(lab):
    lab.server.recreate("badged")
    lab.server.batch(
        {"op": "insertSection", "key": "s"},
        {"op": "insert", "section": "s",
         "items": [{"key": f"k{n}", "width": 4, "height": 3} for n in range(6)]}, dataset="badged")
    lab.server.put(lab.server.under("badged", "layouts", "wide"), {
        "container": {"width": 400},
        "section": {"kind": "grid", "columns": 2, "supplementary": [{"kind": "filter", "length": 30}],
                    "badges": [{"kind": "flag", "size": {"width": 20, "height": 20}}],
                    "decorations": [{"kind": "row", "place": "run", "count": 2}]}})
    page = lab.open(dataset="badged", layout="wide")
    wait(page, "document.querySelectorAll('.lc-flag').length === 6")
    equal(page.evaluate(
        "[...document.querySelectorAll('.lc-flag')].filter((flag) => {"
        " const box = flag.getBoundingClientRect();"
        " const found = document.elementFromPoint(box.x + box.width / 2, box.y + box.height / 2);"
        " return !flag.contains(found) || flag.scrollWidth > flag.clientWidth;"
        "}).length"), 0, "covered badges, or with more than they hold")
    equal(page.evaluate("document.querySelectorAll('.lc-row').length"), 3, "decorations of runs")
    equal(page.locator(".lc-filter").inner_text(), "filter", "the element's label")
