"""Edits, in this page and elsewhere, never move the item that the reader looks at."""

import threading
import time

from harness import Requests, equal, follow, intercept, move, near, wait, wait_until


def _open_in_the_middle(lab, share=0.4, **options):
    page = lab.open(**options)
    key = lab.server.key_at(share)
    page.evaluate("key => probe.feed().reveal(key, 'start')", key)
    page.evaluate("probe.feed().moveBy(700.140625)")
    page.evaluate("probe.rest()")
    return page


def _focus(page, key):
    """Gives an item the focus, which a change of the page's nodes may take away once."""
    wait(page, """key => {
      const node = probe.node(key);
      if (node && document.activeElement === node) return true;
      node?.focus();
      return false;
    }""", arg=key)


def _above(lab, page, back=4):
    """Returns the key of an item of the same section, some distance before the visible ones."""
    first = page.evaluate("probe.anchor().key")
    item = lab.server.item(first)
    section = item["section"]
    rows = lab.server.ask(lab.server.under(lab.server.dataset, "sections")
                          + f"?layout={lab.server.layout}&from={section}&count=1")["sections"]
    assert item["item"] > back, "too near to the section's start for this test"
    frame = item["frame"]
    low = max(rows[0]["start"], frame["y"] - 3000)
    cells = [e for e in lab.server.elements(f"0,{low},1120,600")["elements"]
             if e["category"] == "cell" and e["section"] == section]
    return cells[0]


def _grow(lab, cell, by):
    frame = cell["frame"]
    lab.server.batch({"op": "resize", "key": cell["key"], "width": frame["width"],
                      "height": frame["height"] + by})


def _wait_for_revision(page, revision):
    follow(page, revision)
    page.evaluate("probe.rest()")


def a_live_edit_appears_without_a_jump(lab):
    page = _open_in_the_middle(lab)
    for number, kind in enumerate(("resize", "insert", "delete", "move", "other section")):
        anchor = page.evaluate("probe.anchor()")
        above = _above(lab, page)
        if kind == "resize":
            _grow(lab, above, 123.4)
        elif kind == "insert":
            lab.server.batch({"op": "insert", "before": above["key"], "items": [
                {"key": f"new-{time.time_ns()}-{n}", "width": 100, "height": 90 + n}
                for n in range(5)]})
        elif kind == "delete":
            lab.server.batch({"op": "delete", "keys": [above["key"]]})
        elif kind == "move":
            lab.server.batch({"op": "move", "key": above["key"],
                              "section": above["sectionKey"], "index": 0})
        else:
            _grow(lab, lab.server.elements("0,5000,1120,500")["elements"][1], 77)
        _wait_for_revision(page, lab.server.described()["revision"])
        place = page.evaluate("key => probe.place(probe.node(key))", anchor["key"])
        near(place, anchor["place"], f"{number}: the reader's item after a {kind} above")


def items_inserted_by_others_appear(lab):
    page = _open_in_the_middle(lab)
    anchor = page.evaluate("probe.anchor()")
    key = f"seen-{time.time_ns()}"
    commit = lab.server.batch({"op": "insert", "after": anchor["key"], "items": [
        {"key": key, "width": 100, "height": 80, "data": {"title": "Come by wire"}}]})
    _wait_for_revision(page, commit["revision"])
    assert page.evaluate("key => Boolean(probe.feed().store.cell(key))", key)
    text = page.evaluate("key => probe.node(key)?.innerText", key)
    assert text is None or "Come by wire" in text, text
    place = page.evaluate("key => probe.place(probe.node(key))", anchor["key"])
    near(place, anchor["place"], "the item before it")
    lab.server.batch({"op": "data", "key": anchor["key"], "data": {"title": "Another name"}})
    wait(page, "key => probe.node(key)?.innerText.includes('Another name')",
                           arg=anchor["key"])


_WATCH = """
(() => {
  // Whenever the states are swapped or the base moves: the position of the reader's item
  // immediately before and immediately after, in the same frame.
  const feed = probe.feed();
  const watch = { worst: 0, swaps: 0, rebases: 0 };
  let anchor;
  const before = () => { anchor = probe.anchor(); };
  const after = () => {
    const node = anchor && probe.node(anchor.key);
    if (node) watch.worst = Math.max(watch.worst, Math.abs(probe.place(node) - anchor.place));
  };
  feed.addEventListener('replacing', before);
  feed.addEventListener('replaced', () => { after(); watch.swaps++; });
  const { rebase } = feed.view;
  feed.view.rebase = function (...values) {
    before();
    rebase.apply(this, values);
    feed.draw();
    after();
    watch.rebases++;
  };
  window.watch = watch;
})()
"""


def _edit_meanwhile(lab, cells, pause=0.15):
    def work():
        for number, cell in enumerate(cells):
            time.sleep(pause)
            _grow(lab, cell, 20.5 + number * 3.25)
    thread = threading.Thread(target=work)
    thread.start()
    return thread


def edits_above_while_scrolling_do_not_move_the_item(lab):
    page = _open_in_the_middle(lab)
    page.evaluate(_WATCH)
    thread = _edit_meanwhile(lab, [_above(lab, page)] * 8)
    moved = page.evaluate(
        """async () => {
          const { view, scroller } = probe.feed();
          const begin = view.axis.offset(scroller);
          for (let frame = 0; frame < 900 && (frame < 150 || watch.swaps < 3); frame++) {
            scroller.scrollBy(0, 7);
            await probe.frame();
          }
          return view.axis.offset(scroller) - begin;
        }""")
    thread.join()
    page.evaluate("probe.rest()")
    watch = page.evaluate("window.watch")
    assert moved > 1000 and watch["swaps"] >= 3, f"edits came too late: {watch}"
    near(watch["worst"], 0, "the largest move")


def _fling(session):
    """Moves a finger up quickly and releases it: the browser continues to scroll."""
    touch = {"x": 500, "y": 640}
    session.send("Input.dispatchTouchEvent", {"type": "touchStart", "touchPoints": [touch]})
    for _ in range(14):
        touch["y"] -= 36
        session.send("Input.dispatchTouchEvent", {"type": "touchMove", "touchPoints": [touch]})
        time.sleep(0.012)
    session.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})


def edits_above_during_a_fling_do_not_move_the_item(lab):
    page = _open_in_the_middle(lab, has_touch=True)
    page.evaluate(_WATCH)
    session = page.context.new_cdp_session(page)
    start = page.evaluate("probe.feed().position")
    thread = _edit_meanwhile(lab, [_above(lab, page)] * 8)
    for _ in range(4):
        _fling(session)
        page.wait_for_timeout(350)
    thread.join()
    page.evaluate("probe.rest()")
    watch = page.evaluate("window.watch")
    assert page.evaluate("probe.feed().position") - start > 1000, "the page did not scroll"
    assert watch["swaps"] >= 3, f"edits came too late: {watch}"
    near(watch["worst"], 0, "the largest move")


def without_web_locks_edits_do_not_move_the_item(lab):
    context = lab.context()
    context.add_init_script("delete Navigator.prototype.locks")
    page = lab.open(context)
    move(page, 3000)
    for count in (1, 3):
        anchor = page.evaluate("probe.anchor()")
        for number in range(count):
            _grow(lab, lab.server.elements("0,200,1120,300")["elements"][1], 10 * number + 7.5)
        _wait_for_revision(page, lab.server.described()["revision"])
        place = page.evaluate("key => probe.place(probe.node(key))", anchor["key"])
        near(place, anchor["place"], f"the reader's item after {count} edits")


def many_edits_in_a_row_end_in_the_state_of_the_service(lab):
    page = _open_in_the_middle(lab, 0.3)
    anchor = page.evaluate("probe.anchor()")
    above = _above(lab, page)
    for number in range(30):
        _grow(lab, above, number * 1.5)
    _wait_for_revision(page, lab.server.described()["revision"])
    place = page.evaluate("key => probe.place(probe.node(key))", anchor["key"])
    near(place, anchor["place"], "the reader's item after 30 edits")
    frame = lab.server.item(anchor["key"])["frame"]
    near(frame["y"] - page.evaluate("probe.feed().position"), place, "by the service's frame")


def an_edit_requests_only_changed_elements(lab):
    page = _open_in_the_middle(lab)
    # The length of another section: all loaded elements move, and nothing must be requested.
    page.evaluate("probe.feed().sections.all(400)")
    # The cells ahead are requested after the visible ones.
    wait(page, "probe.feed().wish().tiles.length === 0")
    first = lab.server.elements("0,5000,1120,500")["elements"]
    cell = next(each for each in first if each["category"] == "cell")
    asked = []
    page.on("request", lambda request: asked.append(request.url))
    _grow(lab, cell, 31)
    _wait_for_revision(page, lab.server.described()["revision"])
    equal([url for url in asked if "/elements" in url], [], "requests for elements")


def resize_delete_and_move_from_the_page(lab):
    page = _open_in_the_middle(lab, 0.2)
    key = page.evaluate("probe.anchor().key")
    size = page.evaluate("key => probe.node(key).getBoundingClientRect().height", key)
    page.evaluate("key => probe.node(key).click()", key)
    page.get_by_role("button", name="Increase height by 15 percent").click()
    wait(page, "([key, size]) => probe.node(key)?.getBoundingClientRect().height > size * 1.1",
        arg=[key, size])
    page.locator("#changes .diagram .is-changed").first.wait_for()
    assert "column" in page.locator("#changes").inner_text()
    before = lab.server.item(key)["item"]
    page.get_by_role("button", name="Later").click()
    wait_until(lambda: lab.server.item(key)["item"] != before, "the item did not move", page=page)
    equal(lab.server.item(key)["item"], before + 1, "the item's index")
    page.get_by_role("button", name="Delete").click()
    wait(page, "key => !probe.feed().store.cell(key)", arg=key)


def undo_restores_a_deleted_item_at_its_position(lab):
    page = _open_in_the_middle(lab, 0.2)
    key = page.evaluate("probe.anchor().key")
    before = lab.server.item(key)
    page.evaluate("key => probe.node(key).click()", key)
    page.get_by_role("button", name="Delete").click()
    wait(page, "key => !probe.feed().store.cell(key)", arg=key)
    undo = page.get_by_role("button", name="Undo")
    equal(undo.count(), 1, "buttons that undo")
    undo.click()
    wait(page, "key => probe.feed().store.cell(key)", arg=key)
    # It is scrolled into view, and has the focus.
    wait(page, "key => document.activeElement.dataset.key === key", arg=key)
    assert page.evaluate("key => getComputedStyle(probe.node(key)).visibility === 'visible'", key)
    place = page.evaluate("key => probe.place(probe.node(key))", key)
    assert 0 <= place < page.evaluate("probe.feed().visibleLength"), f"it is at {place}"
    after = lab.server.item(key)
    equal(after["item"], before["item"], "the item's index")
    page.get_by_role("button", name="Redo").click()
    wait(page, "key => !probe.feed().store.cell(key)", arg=key)


def keys_undo_and_redo_the_newest_change(lab):
    page = _open_in_the_middle(lab, 0.22)
    key = page.evaluate("probe.anchor().key")
    page.keyboard.press("Control+z")
    page.locator("#toasts", has_text="no change of yours").wait_for()
    _focus(page, key)
    page.keyboard.press("Delete")
    wait(page, "key => !probe.feed().store.cell(key)", arg=key)
    for keys, is_there in (("Control+z", True), ("Control+Shift+z", False), ("Control+z", True),
                           ("Control+y", False)):
        page.keyboard.press(keys)
        wait(page, "([key, isThere]) => Boolean(probe.feed().store.cell(key)) === isThere",
             arg=[key, is_there])
        page.evaluate("probe.rest()")
    # Another client's change is not undone.
    _grow(lab, _above(lab, page), 10)
    revision = lab.server.described()["revision"]
    _wait_for_revision(page, revision)
    page.keyboard.press("Control+z")
    page.locator("#toasts", has_text="no change of yours").wait_for()
    equal(lab.server.described()["revision"], revision, "the revision")


def a_key_pressed_twice_undoes_once(lab):
    """The second press waits for the answer to the first, instead of being rejected with it."""
    page = _open_in_the_middle(lab, 0.225)
    key = page.evaluate("probe.anchor().key")
    _focus(page, key)
    held, sent = [], []
    intercept(page, "**/v1/datasets/*/batches*", lambda route: held.append(route))
    intercept(page, "**/v1/datasets/*/undo*",
              lambda route: (held.append(route), sent.append(route)))
    page.keyboard.press("Delete")
    wait_until(lambda: held, "no request", page=page)
    # Before the answer there is no revision to undo yet.
    page.keyboard.press("Control+z")
    page.wait_for_timeout(100)
    equal(len(held), 1, "requests before the answer to the first")
    held.pop().continue_()
    wait_until(lambda: sent, "the change is not undone", page=page)
    page.keyboard.press("Control+z")
    page.wait_for_timeout(100)
    equal(len(sent), 1, "requests to undo")
    held.pop().continue_()
    page.locator("#toasts", has_text="no change of yours").wait_for()
    wait(page, "key => Boolean(probe.feed().store.cell(key))", arg=key)
    equal(len(sent), 1, "requests to undo")
    equal(page.locator("#toasts .toast").count(), 1, "notifications")


def _consecutive(page, count):
    """Returns the keys of visible items that follow each other in the feed."""
    cells = page.evaluate(
        "probe.feed().visibleElements().filter((e) => e.category === 'cell')"
        ".map(({ key, section, item }) => [key, section, item])")
    for run in (cells[n:n + count] for n in range(1, len(cells) - count)):
        if all((a[1], a[2] + 1) == (b[1], b[2]) for a, b in zip(run, run[1:])):
            return [key for key, _, _ in run]
    raise AssertionError(f"no {count} consecutive items are visible")


def a_deleted_card_disappears_before_the_server_answers(lab):
    page = _open_in_the_middle(lab, 0.21)
    first, second, third = _consecutive(page, 3)
    _focus(page, first)
    page.keyboard.press("Enter")
    page.locator("#details").wait_for()
    batches = "**/v1/datasets/*/batches*"
    held = []
    intercept(page, batches, lambda route: held.append(route))
    page.keyboard.press("Delete")
    hidden = "key => getComputedStyle(probe.node(key)).visibility === 'hidden'"
    assert page.evaluate(hidden, first), "the deleted card is visible"
    wait(page, "key => document.activeElement.dataset.key === key", arg=second)
    wait(page, "key => document.querySelector('#details').innerText.includes(key)", arg=second)
    wait_until(lambda: held, "no request", page=page)
    held.pop().continue_()
    wait(page, "key => !probe.feed().store.cell(key)", arg=first)
    page.evaluate("probe.rest()")
    equal(page.evaluate("document.activeElement.dataset.key"), second, "the focus")
    # One that cannot be deleted comes back.
    page.keyboard.press("Delete")
    assert page.evaluate(hidden, second)
    wait(page, "key => document.activeElement.dataset.key === key", arg=third)
    wait_until(lambda: held, "no request", page=page)
    held.pop().fulfill(status=409, content_type="application/problem+json",
                       body='{"title": "Conflict", "detail": "not today"}')
    page.locator("#toasts", has_text="not today").wait_for()
    assert not page.evaluate(hidden, second), "the card is still hidden"
    page.unroute(batches)


def the_focus_leaves_an_item_that_another_client_deletes(lab):
    page = _open_in_the_middle(lab, 0.26)
    first, second, third = _consecutive(page, 3)
    _focus(page, first)
    commit = lab.server.batch({"op": "delete", "keys": [first, second]})
    _wait_for_revision(page, commit["revision"])
    equal(page.evaluate("document.activeElement.dataset.key"), third, "the focus")
    equal(page.evaluate("keys => keys.filter((key) => probe.node(key))", [first, second]), [],
          "deleted items on the page")


def later_and_earlier_say_what_they_did(lab):
    page = _open_in_the_middle(lab, 0.23)
    key = page.evaluate("probe.anchor().key")
    item = lab.server.item(key)
    page.evaluate("key => probe.node(key).click()", key)
    later = page.get_by_role("button", name="Later")
    for number in (1, 2):
        later.focus()
        page.keyboard.press("Enter")
        text = f"to item {item['item'] + 1 + number:,} of {item['sectionKey']}"
        page.locator("#changes", has_text=text).wait_for()
        wait(page, "() => document.activeElement.dataset.act === 'later'")
        equal(lab.server.item(key)["item"], item["item"] + number, "the item's index")
    rows = lab.server.ask(lab.server.under(lab.server.dataset, "sections")
                          + f"?layout={lab.server.layout}&from={item['section']}&count=1")
    lab.server.batch({"op": "move", "key": key, "section": item["sectionKey"],
                      "index": rows["sections"][0]["items"] - 1})
    _wait_for_revision(page, lab.server.described()["revision"])
    page.evaluate("key => probe.feed().reveal(key)", key)
    later.click()
    page.locator("#toasts", has_text=f"is the last item of {item['sectionKey']}").wait_for()


def a_change_is_shown_in_colour_until_the_next_click(lab):
    page = _open_in_the_middle(lab, 0.24)
    cells = page.evaluate("probe.cells()")
    key = next(cell["key"] for cell in cells if cell["place"] > 60)
    answers = []
    page.on("response", lambda response: "/batches" in response.url and answers.append(response))
    page.evaluate("key => probe.node(key).click()", key)
    page.get_by_role("button", name="Increase height by 15 percent").click()
    wait(page, "document.querySelector('#feed').classList.contains('shows-change')")
    page.evaluate("probe.rest()")
    change = answers[0].json()["layouts"][0]
    timing = dict(part.strip().split(";dur=")
                  for part in answers[0].headers["server-timing"].split(","))
    assert 0 < float(timing["layout"]) < float(timing["work"]), timing
    section, = change["sections"]
    expected, others = set(), set()
    for cell in page.evaluate("probe.cells()"):
        item = lab.server.item(cell["key"])
        low, high = section["interval"]
        frame = item["frame"]
        is_recomputed = (
            item["section"] == section["section"] and item["column"] in section["columns"]
            and any(first <= item["item"] <= last for first, last in section["items"])
            and frame["y"] < high and frame["y"] + frame["height"] > low)
        (expected if is_recomputed else others).add(cell["key"])
    coloured = "[...document.querySelectorAll('.is-recomputed')].map((n) => n.dataset.key)"
    visible = expected | others
    assert expected and others, "all or no cells are recomputed"
    equal(visible & set(page.evaluate(coloured)), expected, "the coloured cells")
    text = page.locator("#changes").inner_text()
    assert f"Recomputed {change['recomputedItems']:,} of " in text, text
    assert "1 of 5 columns" in text and " laying out, " in text and " on disk" in text, text
    page.mouse.move(300, 400)
    page.mouse.wheel(0, 100)
    page.wait_for_timeout(3000)
    assert page.evaluate(f"{coloured}.length") > 0, "the colours did not wait for a click"
    page.locator(".where").click()
    equal(page.evaluate(coloured), [], "coloured cells after a click")
    assert page.get_by_role("button", name="Undo").is_visible()


def on_a_phone_the_selected_card_stays_above_the_sheet(lab):
    has_phone = "phone" in lab.server.described()["layouts"]
    page = lab.open(layout="phone" if has_phone else None, width=390, height=844, has_touch=True,
                    is_mobile=True)
    page.keyboard.press("End")
    page.evaluate("probe.rest()")
    key = page.evaluate("probe.feed().visibleElements().findLast((e) => e.category === 'cell').key")
    page.evaluate("key => probe.node(key).click()", key)

    def check(what):
        page.evaluate("probe.rest()")
        wait(page, "key => Boolean(probe.node(key))", arg=key)
        page.wait_for_timeout(200)
        sheet = page.locator("#details").bounding_box()
        box = page.evaluate("key => probe.node(key).getBoundingClientRect().toJSON()", key)
        assert sheet["height"] <= 844 / 2, f"{what}: the sheet is {sheet['height']} high"
        feed = page.locator("#feed").bounding_box()
        low, high = feed["y"], feed["y"] + feed["height"]
        assert high <= sheet["y"], f"{what}: the sheet covers the feed"
        visible = min(high, box["bottom"]) - max(low, box["top"])
        assert visible >= min(box["height"], 200) - 1, f"{what}: {visible} points are visible"

    page.locator("#details").wait_for()
    check("selected")
    page.get_by_role("button", name="Increase height by 15 percent").click()
    line = page.locator("#changes .figures")
    line.wait_for()
    check("after a change")
    assert "Recomputed" in line.inner_text()
    title = page.evaluate("key => probe.feed().store.cell(key).data.title", key)
    said = page.locator("#changes .what")
    assert said.is_visible() and f"Resized \u201c{title}" in said.inner_text(), said.inner_text()
    top = page.locator("#changes").bounding_box()
    assert top["height"] < 60, f"the line is {top['height']} high"
    equal(top["y"] + top["height"], page.locator("#details").bounding_box()["y"], "its place")


def a_dragged_card_lands_where_the_preview_shows_it(lab):
    page = _open_in_the_middle(lab, 0.25)
    cells = page.evaluate("probe.cells()")
    cells = [c for c in cells if 60 < c["place"] and c["place"] + c["length"] < 600]
    source, target = cells[0]["key"], cells[-1]["key"]
    boxes = [page.evaluate(
        "key => { const { x, y, width, height } = probe.node(key).getBoundingClientRect();"
        " return { x: x + width / 2, y: y + Math.min(height / 2, 20), low: y + height - 12 }; }",
        key) for key in (source, target)]
    revision = lab.server.described()["revision"]
    answers = []
    page.on("response", lambda response: "/movement" in response.url and answers.append(response))
    previews = Requests(page, "/movement")

    def drag():
        page.mouse.move(boxes[0]["x"], boxes[0]["y"])
        page.mouse.down()
        page.mouse.move(boxes[0]["x"] + 20, boxes[0]["y"] + 20, steps=3)
        page.mouse.move(boxes[1]["x"], boxes[1]["low"], steps=8)
        equal(page.locator(".ghost").count(), 1, "cards at the pointer")
        wait(page, "Boolean(probe.feed().dragged.shown)")
        previews.wait_until_answered()
        page.evaluate("probe.rest()")

    drag()
    page.keyboard.press("Escape")
    page.mouse.up()
    page.evaluate("probe.rest()")
    assert page.evaluate("!probe.feed().dragged.shown")
    now = {cell["key"]: cell for cell in page.evaluate("probe.cells()")}
    for cell in cells:
        equal(now[cell["key"]], cell, "a cell after a cancelled drag")
    equal(lab.server.described()["revision"], revision, "the revision after a cancelled drag")
    drag()
    assert page.evaluate("key => [undefined, '0'].includes(probe.node(key)"
                         " && getComputedStyle(probe.node(key)).opacity)", source), \
        "the dragged card is in the feed too"
    shown = {cell["key"]: cell for cell in page.evaluate("probe.cells()")
             if cell["key"] != source}
    before = {cell["key"]: cell for cell in cells}
    assert any(shown[key]["place"] != before[key]["place"] for key in shown if key in before), \
        "nothing moved in the preview"
    index_path, = answers[-1].json()["indexPaths"]
    page.mouse.up()
    wait(page, "revision => probe.feed().store.revision > revision", arg=revision)
    page.evaluate("probe.rest()")
    equal(page.locator(".ghost").count(), 0, "cards at the pointer after the drag")
    landed = lab.server.item(source)
    equal([landed["section"], landed["item"]], index_path, "its new place")
    # The commit keeps the first visible item in place: compare distances from another one.
    moved = {cell["key"]: cell for cell in page.evaluate("probe.cells()")}
    common = sorted(set(shown) & set(moved))
    assert len(common) > 5
    by = moved[common[0]]["place"] - shown[common[0]]["place"]
    for key in common:
        near(moved[key]["place"] - shown[key]["place"], by, f"{key} is where it was shown")
        near(moved[key]["across"], shown[key]["across"], f"{key} is in the column shown")
