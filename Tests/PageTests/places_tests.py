"""All elements match the service, at every position and every pixel ratio."""

from harness import equal, move, near, wait

VIEWS = {"across": (1100, 712), "across-rtl": (1100, 712), "down": (1000, 800)}


def _expected(lab, page, dataset=None, layout=None):
    """Returns the expected visible elements: offsets from the visible start by key."""
    position, visible, size, breadth, horizontal, mirrored, query = page.evaluate(
        "(({ position, visibleLength, contentLength, store, axis }) =>"
        " [position, visibleLength, contentLength, store.breadth / 64, axis.isHorizontal,"
        "  axis.isMirrored, axis.query])(probe.feed())")
    low = size - position - visible if mirrored else position
    rect = f"{low},0,{visible},{breadth}" if horizontal else f"0,{low},{breadth},{visible}"
    answer = lab.server.elements(rect, dataset, layout, *query)
    expected = {}
    for element in answer["elements"]:
        frame = element["frame"]
        if element["category"] != "cell":
            continue
        start, length = ((frame["x"], frame["width"]) if horizontal
                         else (frame["y"], frame["height"]))
        start = size - start - length if mirrored else start
        expected[element["key"]] = (start - position, length)
    return expected


def _agree(lab, page, what, dataset=None, layout=None, tolerance=1 / 64):
    page.evaluate("probe.rest()")
    expected = _expected(lab, page, dataset, layout)
    cells = {cell["key"]: cell for cell in page.evaluate("probe.cells()")}
    # A sliver at an edge may be visible by less than the browser's own rounding.
    for key in set(expected) ^ set(cells):
        start, length = expected.get(key) or (cells[key]["place"], cells[key]["length"])
        visible = page.evaluate("probe.feed().visibleLength")
        assert start + length < 1 or start > visible - 1, f"{what}: {key} is in one only"
    assert expected, f"{what}: nothing is there"
    for key in set(expected) & set(cells):
        near(cells[key]["place"], expected[key][0], f"{what}: where {key} is", tolerance)
        near(cells[key]["length"], expected[key][1], f"{what}: how long {key} is", tolerance)


def first_middle_and_last_items_match_the_service(lab):
    page = lab.open()
    count = lab.server.described()["items"]
    for share in (0, 0.5, 1):
        key = lab.server.key_at(share)
        page.evaluate("key => probe.feed().reveal(key)", key)
        _agree(lab, page, f"at {share} of {count}")
        frame = lab.server.item(key)["frame"]
        position = page.evaluate("probe.feed().position")
        place = page.evaluate("key => probe.place(probe.node(key))", key)
        near(place, frame["y"] - position, f"item at {share}")
    page.keyboard.press("End")
    page.evaluate("probe.rest()")
    view = page.evaluate("(({ position, visibleLength, contentLength }) => "
                         "[position + visibleLength, contentLength])(probe.feed())")
    equal(view[0], view[1], "the end")


def positions_of_every_magnitude_are_exact(lab):
    page = lab.open()
    length = page.evaluate("probe.feed().contentLength")
    for number in range(24):
        position = (number * 0.61803398875 % 1) * length
        page.evaluate("position => probe.feed().moveTo(position)", position)
        wanted = page.evaluate("position => Math.round(position * 64) / 64", position)
        end = page.evaluate("probe.feed().view.end / 64")
        near(page.evaluate("probe.feed().position"), min(wanted, end), f"place {number}", 0)
        _agree(lab, page, f"place {number}")


def headers_pin_and_are_pushed(lab):
    page = lab.open()
    rows = lab.server.ask(lab.server.under(lab.server.dataset, "sections")
                          + f"?layout={lab.server.layout}&from=100&count=2")["sections"]
    start, following = rows[0]["start"], rows[1]["start"]
    for position in (start + 500, following - 20, following - 44, following):
        move(page, position)
        answer = lab.server.elements(f"0,{position},1120,800")
        for element in answer["elements"]:
            if element.get("kind") != "header":
                continue
            expected = element["frame"]["y"] - position
            drawn = page.evaluate(
                "name => { const node = [...document.querySelectorAll('.lc-header')]"
                ".find((each) => each.element.sectionKey === name); return probe.place(node); }",
                element["sectionKey"])
            near(drawn, expected, f"header of {element['sectionKey']} at {position}", 0.5)


def _steps(page, count, each, per_frame):
    """Scrolls natively, in many steps per frame, like a wheel."""
    return page.evaluate(
        """async ([count, each, perFrame]) => {
          const feed = probe.feed();
          const before = feed.view.position;
          for (let done = 0; done < count; done += perFrame) {
            for (let i = 0; i < perFrame; i++) feed.scroller.scrollBy(0, each);
            await probe.frame();
          }
          await probe.rest();
          return (feed.view.position - before) / 64;
        }""", [count, each, per_frame])


def ten_thousand_wheel_steps_move_a_million_pixels(lab):
    page = lab.open()
    move(page, 20000000)
    equal(_steps(page, 10000, 100, 100), 1000000, "10,000 steps down")
    equal(_steps(page, 10000, -100, 100), -1000000, "10,000 steps up")
    _agree(lab, page, "where the steps ended")


def steps_from_the_very_start_cross_the_window(lab):
    page = lab.open()
    equal(_steps(page, 15000, 100, 100), 1500000, "15,000 steps from the start")
    _agree(lab, page, "1,500,000 from the start")


def real_wheel_events_are_exact(lab):
    page = lab.open()
    for begin in (0, 400000, 54321987):
        move(page, begin)
        before = page.evaluate("probe.feed().position")
        page.mouse.move(500, 400)
        for _ in range(40):
            page.mouse.wheel(0, 100)
        wait(page, "end => probe.feed().position >= end", arg=before + 4000)
        page.evaluate("probe.rest()")
        equal(page.evaluate("probe.feed().position") - before, 4000, f"40 steps at {begin}")
        _agree(lab, page, f"after 40 steps at {begin}")


def steps_near_either_end_are_exact(lab):
    page = lab.open()
    for at in ("3 * feed.visibleLength", "feed.contentLength - 4 * feed.visibleLength"):
        for each in (100, -100):
            page.evaluate(f"(() => {{ const feed = probe.feed(); feed.moveTo({at}); }})()")
            page.evaluate("probe.rest()")
            equal(_steps(page, 20, each, 1), 20 * each, f"20 steps of {each} at {at}")
            _agree(lab, page, f"after 20 steps of {each} at {at}")


def both_ends_are_reached_by_scrolling(lab):
    page = lab.open()
    page.evaluate("probe.feed().moveTo(700000.671875)")
    _steps(page, 8000, -100, 100)
    equal(page.evaluate("probe.feed().position"), 0, "the start")
    page.evaluate("(() => { const feed = probe.feed();"
                  " feed.moveTo(feed.contentLength - 700000.328125); })()")
    _steps(page, 8000, 100, 100)
    view = page.evaluate("[probe.feed().view.position, probe.feed().view.end]")
    equal(view[0], view[1], "the end")
    _agree(lab, page, "at the end")


def page_down_is_one_viewport(lab):
    page = lab.open()
    visible = page.evaluate("probe.feed().visibleLength")
    for begin in (0, 30000000.015625):
        page.evaluate("begin => probe.feed().moveTo(begin)", begin)
        before = page.evaluate("probe.feed().position")
        for _ in range(3):
            page.keyboard.press("PageDown")
        equal(page.evaluate("probe.feed().position") - before, 3 * visible, "three pages down")
        page.keyboard.press("PageUp")
        equal(page.evaluate("probe.feed().position") - before, 2 * visible, "and one up")


def every_pixel_ratio_is_exact(lab):
    for ratio in (1, 1.25, 1.5, 2, 3, 5):
        page = lab.open(ratio=ratio)
        for at in ("0", "30000000.328125", "1e12"):
            page.evaluate(f"probe.feed().moveTo({at})")
            _agree(lab, page, f"ratio {ratio} at {at}", tolerance=1 / 32)
        move(page, 30000000)
        near(_steps(page, 200, 100, 10), 20000, f"200 steps at ratio {ratio}", 1 / 32)
        assert page.evaluate("probe.feed().view.spacerLength") <= 1000000
        page.context.close()
        lab.contexts.clear()


def changing_the_pixel_ratio_keeps_the_position(lab):
    page = lab.open()
    move(page, 60000000.5)
    anchor = page.evaluate("probe.anchor()")
    session = page.context.new_cdp_session(page)
    for ratio in (2, 1.25, 3):
        session.send("Emulation.setDeviceMetricsOverride", {
            "width": 1280, "height": 800, "deviceScaleFactor": ratio, "mobile": False})
        page.wait_for_timeout(250)
        _agree(lab, page, f"ratio changed to {ratio}", tolerance=1 / 32)
        place = page.evaluate("key => probe.place(probe.node(key))", anchor["key"])
        # The scroll offset itself is rounded again, to the new device pixels.
        near(place, anchor["place"], f"the item at ratio {ratio}", 1)


def sideways_and_right_to_left_are_exact(lab):
    for layout, (width, height) in VIEWS.items():
        page = lab.open(dataset="strip", layout=layout, width=width, height=height)
        for at in ("0", "5000.25", "feed.contentLength / 2", "1e12"):
            page.evaluate(f"(() => {{ const feed = probe.feed(); feed.moveTo({at}); }})()")
            _agree(lab, page, f"{layout} at {at}", "strip", layout)
        page.context.close()
        lab.contexts.clear()


def an_open_horizontal_feed_follows_the_direction_of_the_document(lab):
    page = lab.open(dataset="strip", layout="across")
    move(page, 5000)
    for direction in ("rtl", "ltr", "rtl"):
        position = page.evaluate("probe.feed().position")
        page.evaluate(f"document.dir = '{direction}'")
        _agree(lab, page, f"after {direction}", "strip", "across", 0.02)
        near(page.evaluate("probe.feed().position"), position, f"the position after {direction}")
        mirrored = page.evaluate("probe.feed().axis.isMirrored")
        equal(mirrored, direction == "rtl", f"whether {direction} is mirrored")
        page.evaluate("probe.feed().moveBy(700)")
        _agree(lab, page, f"after a scroll in {direction}", "strip", "across", 0.02)


# The feed "strip", created by Scripts/page-test-real.sh.
sideways_and_right_to_left_are_exact.needs = "LAYOUTCACHE_PAGE_DATABASE"
an_open_horizontal_feed_follows_the_direction_of_the_document.needs = "LAYOUTCACHE_PAGE_DATABASE"
