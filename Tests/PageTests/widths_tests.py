"""A layout of any width fills the window, and follows it."""

import re
import urllib.parse

from harness import STEP, equal, near, set_any_layout


def _fitting(page):
    """The width that the feed has, the room for it, and the visible cells beyond the room."""
    return page.evaluate("""(() => {
      const { scroller, layout, store } = probe.feed();
      const room = scroller.clientWidth;
      const { left } = scroller.getBoundingClientRect();
      const cut = [...document.querySelectorAll('.lc-cell')].filter((node) =>
        node.getBoundingClientRect().right > left + room + 0.02);
      return { room, breadth: store.breadth / 64, layout, cut: cut.length };
    })()""")


def _middle(page):
    """The cell at the middle of the visible part, and the part of it that is there."""
    return page.evaluate("""(() => {
      const feed = probe.feed();
      const held = feed.fitting.middle();
      return { key: held.key, part: held.part };
    })()""")


def _settle(page, seconds=15):
    page.wait_for_timeout(80)
    for _ in range(seconds * 20):
        if page.evaluate("probe.feed().fitting.variant === probe.feed().layout"
                         " && !probe.feed().fitting.isBusy"):
            break
        page.wait_for_timeout(50)
    page.evaluate("probe.rest()")


def a_window_dragged_from_400_to_1600_and_back_keeps_the_item_in_the_middle(lab):
    set_any_layout(lab, "strip")
    page = lab.open(dataset="strip", layout="any", width=400, height=800)
    page.evaluate("key => probe.feed().reveal(key, 'center')",
                  lab.server.key_at(0.5, "strip", "any@400"))
    _settle(page)
    held = _middle(page)
    for width in [*range(400, 1600, 97), 1600, *range(1600, 400, -103), 400]:
        page.set_viewport_size({"width": width, "height": 800})
        _settle(page)
        found = _fitting(page)
        equal(found["cut"], 0, f"cells beyond the window at {width}")
        equal(found["layout"], f"any@{int(found['room'] // STEP * STEP)}", f"variant at {width}")
        assert 0 <= found["room"] - found["breadth"] < STEP, f"{found} at {width}"
        place = page.evaluate(
            "key => { const n = probe.node(key);"
            " return [probe.place(n), n.getBoundingClientRect().height]; }", held["key"])
        middle = page.evaluate("probe.feed().visibleLength") / 2
        near(place[0] + held["part"] * place[1], middle, f"the item at {width}", 1)


# Records what each frame shows: the cells that the window cuts, and the distance of the held
# item's point from the middle. A frame that begins with another size is recorded once the feed
# knows it, as it is painted.
RECORDER = """(held) => {
  const feed = probe.feed();
  const { scroller } = feed;
  let known = scroller.clientWidth;
  window.frames = [];
  const record = () => {
    const { left } = scroller.getBoundingClientRect();
    const cells = [...document.querySelectorAll('.lc-cell')].map((node) =>
      node.getBoundingClientRect());
    const node = probe.node(held.key);
    const box = node?.getBoundingClientRect();
    window.frames.push({
      width: known, layout: feed.layout,
      cut: cells.filter((cell) =>
        cell.left < left - 0.02 || cell.right > left + known + 0.02).length,
      away: box && probe.place(node) + held.part * box.height - scroller.clientHeight / 2,
    });
  };
  new ResizeObserver(() => {
    known = scroller.clientWidth;
    record();
  }).observe(scroller);
  const tick = () => {
    if (scroller.clientWidth === known) record();
    requestAnimationFrame(tick);
  };
  requestAnimationFrame(tick);
}"""


def _expect_frames(page, what, least):
    """No frame cuts a column, and the held item stays in the middle of all of them."""
    frames = page.evaluate("window.frames.splice(0)")
    assert len(frames) >= least, f"{what}: {len(frames)} frames"
    cut = [frame for frame in frames if frame["cut"]]
    assert not cut, f"{what}: {len(cut)} of {len(frames)} frames cut columns: {cut[:3]}"
    away = [frame for frame in frames if frame["away"] is None or abs(frame["away"]) > 1]
    assert not away, f"{what}: {len(away)} of {len(frames)} frames move the item: {away[:3]}"


def a_window_dragged_without_pause_over_millions_of_items_cuts_no_column(lab):
    dataset = lab.server.dataset
    set_any_layout(lab, dataset, 400)
    page = lab.open(dataset=dataset, layout="any", width=400, height=800)
    page.evaluate("key => probe.feed().reveal(key, 'center')",
                  lab.server.key_at(0.6, dataset, page.evaluate("probe.feed().layout")))
    _settle(page)
    held = _middle(page)
    page.evaluate(RECORDER, held)
    for widths in (range(400, 1601, 8), range(1600, 399, -8)):
        for width in widths:
            page.set_viewport_size({"width": width, "height": 800})
        _settle(page, seconds=180)
        _expect_frames(page, f"dragged to {widths[-1]}", least=50)
        found = _fitting(page)
        assert 0 <= found["room"] - found["breadth"] < STEP, f"{found} at {widths[-1]}"


def a_turned_phone_keeps_the_item_in_the_middle(lab):
    set_any_layout(lab, "strip")
    page = lab.open(dataset="strip", layout="any", width=390, height=844, has_touch=True,
                    is_mobile=True)
    page.evaluate("key => probe.feed().reveal(key, 'center')",
                  lab.server.key_at(0.4, "strip", page.evaluate("probe.feed().layout")))
    _settle(page)
    page.evaluate(RECORDER, _middle(page))
    for turn in range(4):
        width, height = (844, 390) if turn % 2 == 0 else (390, 844)
        page.set_viewport_size({"width": width, "height": height})
        _settle(page)
        _expect_frames(page, f"turned to {width} by {height}", least=2)
        found = _fitting(page)
        assert 0 <= found["room"] - found["breadth"] < STEP, f"{found} at {width}"


def a_scrubber_that_the_module_adds_covers_no_column(lab):
    """A page without a scrubber, over a feed that is longer than the browser's scroll bar."""
    dataset = lab.server.dataset
    set_any_layout(lab, dataset, 1000, 984)
    page = lab.open_own(
        f"dataset: '{dataset}', layout: 'any'", style="margin: 0", width=1000, height=700)
    _settle(page, seconds=180)
    bar = page.locator(".lc-rail .lc-scrubber").bounding_box()
    equal(bar["x"], 1000 - bar["width"], "the bar's edge")
    equal(page.evaluate("feed.layout"), f"any@{int((1000 - bar['width']) // STEP * STEP)}",
          "the variant next to it")
    right = page.evaluate("Math.max(...[...document.querySelectorAll('.lc-cell')]"
                          ".map((node) => node.getBoundingClientRect().right))")
    assert right <= bar["x"], f"cells reach {right}"


def a_page_requests_only_the_variant_that_fits(lab):
    set_any_layout(lab, "strip")
    context = lab.context(width=1000, height=700)
    asked = set()
    context.on("request", lambda request: asked.update(
        re.findall("/layouts/(any[^/]*)/elements", urllib.parse.unquote(request.url))))
    page = lab.open(context, dataset="strip", layout="any")
    _settle(page)
    equal(asked, {page.evaluate("probe.feed().layout")}, "the variants requested")


def scrolling_chooses_another_item_to_keep(lab):
    set_any_layout(lab, "strip")
    page = lab.open(dataset="strip", layout="any", width=800, height=700)
    page.evaluate("probe.feed().moveTo(20000)")
    _settle(page)
    page.set_viewport_size({"width": 900, "height": 700})
    _settle(page)
    first = page.evaluate("probe.feed().fitting.anchor.key")
    page.evaluate("probe.feed().moveBy(5000)")
    _settle(page)
    held = _middle(page)
    page.set_viewport_size({"width": 700, "height": 700})
    _settle(page)
    equal(page.evaluate("probe.feed().fitting.anchor.key"), held["key"], "the item kept")
    assert held["key"] != first


def a_commit_is_shown_after_the_window_has_changed(lab):
    set_any_layout(lab, "strip")
    page = lab.open(dataset="strip", layout="any", width=800, height=700)
    page.set_viewport_size({"width": 640, "height": 700})
    _settle(page)
    key = page.evaluate("probe.anchor().key")
    lab.server.batch({"op": "resize", "key": key, "width": 100, "height": 300}, dataset="strip")
    for _ in range(200):
        height = page.evaluate("key => probe.node(key)?.getBoundingClientRect().height", key)
        frame = lab.server.item(key, "strip", page.evaluate("probe.feed().layout"))["frame"]
        if height is not None and abs(height - frame["height"]) < 0.05:
            break
        page.wait_for_timeout(50)
    else:
        raise AssertionError(f"{key} is {height} long, not {frame['height']}")
    lab.server.batch({"op": "resize", "key": key, "width": 100, "height": 99}, dataset="strip")
