"""Sliders change a layout, and the page says what that lays out again."""

import json
import re

from harness import UNIT, equal, move, near, wait, wait_until

COUNTS = {"hero": 12, "tiles": 8, "first": 400, "second": 200}
HOME = {
    "container": {"widths": {}},
    "section": {"kind": "waterfall", "columns": 2, "columnSpacing": 8, "lineSpacing": 8,
                "itemWidth": {"fraction": 0.8}, "header": 40, "pinsHeader": True,
                "inset": {"top": 8, "left": 8, "bottom": 8, "right": 8}},
    "breakpoints": [{"from": 600, "columns": 3}, {"from": 1000, "minimumColumnWidth": 220}],
    "styles": {"hero": {"kind": "carousel", "itemLength": 160, "spacing": 8},
               "tiles": {"kind": "grid", "minimumColumnWidth": 170, "rowLength": 60}}}


def _open_home(lab, configuration=HOME, context=None, **options):
    """Opens a feed of a carousel, a grid and two waterfalls, in a layout of any width."""
    lab.server.recreate("home")
    for section, count in COUNTS.items():
        style = {"style": section} if section in HOME["styles"] else {}
        lab.server.batch(
            {"op": "insertSection", "key": section, **style},
            {"op": "insert", "section": section, "items": [
                {"key": f"{section}{i}", "width": 100, "height": 80 + i * 37 % 90}
                for i in range(count)]}, dataset="home")
    lab.server.put(lab.server.under("home", "layouts", "feed"), configuration)
    page = lab.open(context, dataset="home", layout="feed", **options)
    page.get_by_role("button", name="Change the layout").click()
    return page


def _configuration(lab):
    return lab.server.ask(lab.server.under("home", "layouts", "feed"))["configuration"]


def _result(page, pattern):
    """Waits until the panel says what was laid out."""
    result = page.locator("#tuning .result")
    wait_until(lambda: re.fullmatch(pattern, result.inner_text()),
               lambda: f"{result.inner_text()!r} does not match {pattern!r}", page=page)


def _recomputed(page):
    """The sections with cells in sight that are shown as recomputed, and those without."""
    found = page.evaluate("""[...document.querySelectorAll('.lc-cell')].map((node) =>
      [node.element.sectionKey, node.classList.contains('is-recomputed')])""")
    return ({key for key, is_recomputed in found if is_recomputed},
            {key for key, is_recomputed in found if not is_recomputed})


def _slide(page, name, value):
    page.locator(f"#tuning input[name={name}]").evaluate(
        "(slider, value) => { slider.value = value; slider.dispatchEvent(new Event('input')); }",
        value)


def sliders_change_the_layout_and_keep_the_item(lab):
    rows = "".join(f'{{"key":"t{n}","width":100,"height":{60 + n * 37 % 130}}}\n'
                   for n in range(2000))
    lab.server.ask("/v1/datasets/tuned/import?mode=replace&allowEmpty=true", rows.encode())
    path = lab.server.under("tuned", "layouts", "wall")
    original = {"container": {"width": 900}, "section": {
        "kind": "waterfall", "columns": 5, "columnSpacing": 8, "lineSpacing": 8}}
    lab.server.ask(path, json.dumps(original).encode(), "PUT")
    page = lab.open(dataset="tuned", layout="wall")
    move(page, 9000)
    anchor = page.evaluate("probe.anchor()")
    page.get_by_role("button", name="Change the layout").click()

    def check(what, expected):
        wait(page, "text => document.querySelector('#tuning .result').innerText.match(text)",
             arg=r"^Laid out 2,000 items in \d+ ms$")
        wait_until(lambda: expected(lab.server.ask(path)["configuration"]["section"]),
                   what, page=page)
        # The page shows a configuration after the service has it.
        wait(page, "!inspector.tuning.isApplying")
        page.evaluate("probe.rest()")
        page.wait_for_timeout(300)
        place = page.evaluate("key => probe.place(probe.node(key))", anchor["key"])
        near(place, anchor["place"], f"the item after {what}")

    _slide(page, "columns", 3)
    check("three columns", lambda section: section["columns"] == 3)
    across = {cell["across"] for cell in page.evaluate("probe.cells()")}
    equal(len(across), 3, "the columns on the page")
    for value in (10, 20, 30):
        _slide(page, "columnSpacing", value)
    check("more spacing", lambda section: section["columnSpacing"] == 30)
    page.locator("#tuning [name=kind]").select_option("justified")
    check("another kind", lambda section: section["kind"] == "justified")
    page.get_by_role("button", name="Reset").click()
    check("a reset", lambda section: section["columns"] == 5 and section["kind"] == "waterfall")
    equal(len({cell["across"] for cell in page.evaluate("probe.cells()")}), 5, "the columns")


def sliders_edit_the_breakpoint_that_applies(lab):
    page = _open_home(lab, width=1280, height=900)
    label = page.locator("#tuning label", has=page.locator("[name=minimumColumnWidth]"))
    assert "in containers from 1,000 points" in label.inner_text(), label.inner_text()
    equal(page.locator("#tuning [name=columns]").count(), 0, "sliders without effect")
    _slide(page, "minimumColumnWidth", 150)
    _result(page, r"Laid out 600 items in 2 sections in \d+ ms")
    expected = json.loads(json.dumps(HOME))
    expected["breakpoints"][1]["minimumColumnWidth"] = 150
    found = _configuration(lab)
    for member in ("breakpoints", "styles"):
        equal(found[member], expected[member], member)
    equal(found["section"]["columns"], 2, "the columns of narrow windows")
    page.evaluate("probe.rest()")
    equal(_recomputed(page), ({"first"}, {"hero", "tiles"}), "the recomputed sections in sight")
    assert page.evaluate("document.querySelector('#feed').classList.contains('shows-change')")
    page.get_by_role("button", name="Close").click()
    equal(_recomputed(page)[0], set(), "recomputed sections after a click")


def sliders_edit_the_chosen_style(lab):
    page = _open_home(lab, width=1280, height=900)
    page.locator("#tuning [name=style]").select_option("hero")
    equal(page.locator("#tuning [name=kind]").input_value(), "carousel", "the kind of the style")
    _slide(page, "itemWidth", 25)
    _result(page, r"Laid out 12 items in 1 section in \d+ ms")
    found = _configuration(lab)
    equal(found["styles"]["hero"]["itemWidth"]["fraction"], 0.25, "the width of its items")
    equal(found["section"]["itemWidth"]["fraction"], 0.8, "the width in other sections")
    page.evaluate("probe.rest()")
    width = page.evaluate("probe.node('hero0').getBoundingClientRect().width")
    breadth = page.evaluate("probe.feed().store.breadth") / UNIT
    near(width, (breadth - 16) / 4, "the width of a card", 1 / UNIT)
    equal(_recomputed(page)[0], {"hero"}, "the recomputed sections")
    page.locator("#tuning [name=scrolling]").select_option("groupPaging")
    _result(page, "No item was laid out again.*")
    equal(_configuration(lab)["styles"]["hero"]["scrolling"], "groupPaging", "scrolling")


def every_kind_that_the_panel_offers_is_accepted(lab):
    page = _open_home(lab, width=800, height=900)
    for style in ("", "hero", "tiles"):
        page.locator("#tuning [name=style]").select_option(style)
        kinds = page.evaluate(
            "[...document.querySelector('#tuning [name=kind]').options].map((o) => o.value)")
        equal(len(kinds), 6, "kinds")
        for kind in kinds:
            page.evaluate("document.querySelector('#tuning .result').textContent = ''")
            page.locator("#tuning [name=kind]").select_option(kind)
            _result(page, r"(Laid out|No item).*")
            found = _configuration(lab)
            options = found["styles"][style] if style else found["section"]
            equal(options["kind"], kind, f"the kind of {style or 'the other sections'}")
            page.evaluate("probe.rest()")
            # Each of its sliders can be moved, too.
            for name in [] if style else page.evaluate(
                    "[...document.querySelectorAll('#tuning fieldset + fieldset input')]"
                    ".map((input) => input.name)"):
                page.evaluate("document.querySelector('#tuning .result').textContent = ''")
                slider = page.locator(f"#tuning input[name={name}]")
                most = slider.evaluate("(input) => input.min * 0.5 + input.max * 0.5")
                _slide(page, name, round(most))
                _result(page, r"(Laid out|No item).*")
    page.get_by_role("button", name="Reset").click()
    wait_until(lambda: _configuration(lab)["styles"] == HOME["styles"], "a reset", page=page)


def a_slider_shows_the_feed_in_a_narrower_window(lab):
    page = _open_home(lab, width=1280, height=900)
    whole = page.evaluate("probe.feed().layout")
    box = page.evaluate("probe.box().toJSON()")
    for width, columns in ((500, 2), (700, 3)):
        _slide(page, "width", width)
        layout = f"feed@{width // 8 * 8}"
        wait(page, "layout => probe.feed().layout === layout", arg=layout)
        # The positions of the grid's items are computed, not stored.
        _result(page, r"Laid out 612 items in \d+ ms")
        page.evaluate("probe.rest()")
        narrow = page.evaluate("probe.box().toJSON()")
        equal(narrow["width"], width, "the width of the feed")
        near(narrow["left"] + narrow["right"], box["left"] + box["right"], "its middle", 1)
        equal(page.locator("#tuning [name=columns]").input_value(), str(columns),
              "the columns that the panel shows")
    _slide(page, "width", 500)
    _result(page, "No item was laid out again")
    _slide(page, "width", 10000)
    wait(page, "layout => probe.feed().layout === layout", arg=whole)
    equal(page.evaluate("probe.box().toJSON()"), box, "the whole feed")
    equal(_configuration(lab)["breakpoints"], HOME["breakpoints"], "the configuration")
    # Another layout begins with the whole window.
    _slide(page, "width", 500)
    wait(page, "probe.feed().layout === 'feed@496'")
    page.locator("#layout").evaluate("(select) => select.dispatchEvent(new Event('change'))")
    wait(page, "layout => probe.feed()?.view && probe.feed().layout === layout", arg=whole)


def on_a_phone_the_work_stays_in_sight(lab):
    page = _open_home(lab, width=390, height=700, has_touch=True, is_mobile=True)
    sheet = page.locator("#tuning").bounding_box()
    assert page.evaluate("(({ scrollHeight, clientHeight }) => scrollHeight > clientHeight)("
                         "document.querySelector('#tuning'))"), "the sheet does not scroll"
    _slide(page, "columns", 3)
    _result(page, r"Laid out 600 items in 2 sections in \d+ ms")
    box = page.locator("#tuning .result").bounding_box()
    assert box["y"] >= sheet["y"] and box["y"] + box["height"] <= 700 + 0.5, f"{box} in {sheet}"


def another_width_needs_no_write_access(lab):
    context = lab.context(width=1280, height=900)

    def read_only(route):
        answer = route.fetch()
        route.fulfill(response=answer, headers={**answer.headers, "layoutcache-access": "read"})

    context.route("**/v1/datasets/home", read_only)
    changes = []
    page = _open_home(lab, context=context)
    page.on("request", lambda request: request.method != "GET" and changes.append(request.url))
    assert page.locator("#tuning [name=minimumColumnWidth]").is_disabled()
    _slide(page, "width", 500)
    wait(page, "probe.feed().layout === 'feed@496'")
    equal(changes, [], "requests that change something")


def _expect_marks(lab, page, key, columns):
    """The marks of a change cover the changed columns of the section, and no others."""
    layout = page.evaluate("probe.feed().layout")
    wait(page, "document.querySelectorAll('.recomputed').length === 0")
    page.evaluate("key => probe.node(key).click()", key)
    page.locator("#details .facts").first.wait_for()
    page.get_by_role("button", name="Increase height by 15 percent").click()
    page.locator(".recomputed").first.wait_for()
    marks = page.evaluate("""[...document.querySelectorAll('.recomputed')].map((node) =>
      [parseFloat(node.style.left), parseFloat(node.style.width)])""")
    frame = lab.server.item(key, "home", layout)["frame"]
    equal(len(marks), 1, f"the marks of {key}")
    near(marks[0][0], frame["x"], f"the left of the mark of {key}")
    near(marks[0][1], frame["width"], f"the width of the mark of {key}")
    text = page.locator("#changes .figures").inner_text()
    assert re.search(f"1 of {columns} columns", text), text
    equal(page.locator("#changes .diagram i").count(), columns, "the columns of the diagram")
    page.keyboard.press("Escape")


def marks_are_at_the_columns_of_breakpoints_styles_and_keys(lab):
    configuration = json.loads(json.dumps(HOME))
    # An override replaces the columns of the breakpoint.
    configuration["sections"] = {"first": {"minimumColumnWidth": 100}}
    configuration["styles"]["tiles"] = {"kind": "waterfall", "columns": 5,
                                        "inset": {"left": 40, "right": 24}}
    page = _open_home(lab, configuration, width=700, height=1000)
    page.get_by_role("button", name="Close").click()
    page.evaluate("probe.rest()")
    breadth = page.evaluate("probe.feed().store.breadth") / UNIT
    _expect_marks(lab, page, "tiles1", 5)
    _expect_marks(lab, page, "first2", int((breadth - 16 + 8) // 108))
    page.evaluate("probe.feed().reveal('second4', 'start')")
    page.evaluate("probe.rest()")
    _expect_marks(lab, page, "second4", 3)
