"""A layout of any width fills the window, and follows it."""

import json
import re
import urllib.parse
import urllib.request

from harness import equal, near

STEP = 8


def _set_layout(lab):
    body = json.dumps({
        "container": {"widths": {"step": STEP}},
        "section": {"columns": 2, "columnSpacing": 8, "lineSpacing": 8, "header": 44,
                    "pinsHeader": True, "inset": {"left": 8, "right": 8, "top": 8, "bottom": 8}},
        "breakpoints": [{"from": 600, "minimumColumnWidth": 180}]}).encode()
    request = urllib.request.Request(
        lab.server.service_url + lab.server.under("strip", "layouts", "any"), body,
        {"Content-Type": "application/json"}, method="PUT")
    urllib.request.urlopen(request, timeout=60).close()


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


def _settle(page):
    page.wait_for_timeout(80)
    for _ in range(300):
        if page.evaluate("probe.feed().fitting.variant === probe.feed().layout"
                         " && !probe.feed().fitting.isBusy"):
            break
        page.wait_for_timeout(50)
    page.evaluate("probe.rest()")


def a_window_dragged_from_400_to_1600_and_back_keeps_the_item_in_the_middle(lab):
    _set_layout(lab)
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


def a_page_requests_only_the_variant_that_fits(lab):
    _set_layout(lab)
    context = lab.context(width=1000, height=700)
    asked = set()
    context.on("request", lambda request: asked.update(
        re.findall("/layouts/(any[^/]*)/elements", urllib.parse.unquote(request.url))))
    page = lab.open(context, dataset="strip", layout="any")
    _settle(page)
    equal(asked, {page.evaluate("probe.feed().layout")}, "the variants requested")


def scrolling_chooses_another_item_to_keep(lab):
    _set_layout(lab)
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
    _set_layout(lab)
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
