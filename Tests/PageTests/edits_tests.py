"""Edits, in this page and elsewhere, never move the item that the reader looks at."""

import threading
import time

from harness import equal, near, wait


def _open_in_the_middle(lab, share=0.4, **options):
    page = lab.open(**options)
    key = lab.server.key_at(share)
    page.evaluate("key => probe.feed().reveal(key, 'start')", key)
    page.evaluate("probe.feed().moveBy(700.140625)")
    page.evaluate("probe.rest()")
    return page


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
    wait(page, "revision => probe.feed().store.revision >= revision", arg=revision)
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
    page.evaluate("probe.feed().moveTo(3000)")
    page.evaluate("probe.rest()")
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
    wait(page, "revision => probe.feed().store.revision > revision",
                           arg=page.evaluate("probe.feed().store.revision") - 1)
    page.wait_for_timeout(300)
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
    page.locator("#toasts").get_by_role("button", name="Undo").click()
    wait(page, "key => probe.feed().store.cell(key)", arg=key)
    after = lab.server.item(key)
    equal(after["item"], before["item"], "the item's index")
    # A second undo is a redo.
    page.locator("#changes").get_by_role("button", name="Undo").click()
    wait(page, "key => !probe.feed().store.cell(key)", arg=key)


def a_card_is_dragged_to_another_place(lab):
    page = _open_in_the_middle(lab, 0.25)
    cells = page.evaluate("probe.cells()")
    cells = [c for c in cells if 60 < c["place"] and c["place"] + c["length"] < 700]
    source, target = cells[0]["key"], cells[-1]["key"]
    boxes = [page.evaluate(
        "key => { const { x, y, width, height } = probe.node(key).getBoundingClientRect();"
        " return { x: x + width / 2, y: y + Math.min(height / 2, 20), low: y + height - 12 }; }",
        key) for key in (source, target)]
    page.mouse.move(boxes[0]["x"], boxes[0]["y"])
    page.mouse.down()
    page.mouse.move(boxes[0]["x"] + 20, boxes[0]["y"] + 20, steps=3)
    page.mouse.move(boxes[1]["x"], boxes[1]["low"], steps=8)
    assert page.locator(".ghost").count() == 1 and page.locator(".insertion").count() == 1
    revision = page.evaluate("probe.feed().store.revision")
    page.mouse.up()
    wait(page, "revision => probe.feed().store.revision > revision", arg=revision)
    equal(lab.server.item(source)["item"], lab.server.item(target)["item"] + 1, "its new index")
    assert page.locator(".ghost").count() == 0
