"""Carousels on the page: scrolled by wheel, keys and touch, and kept over a reload."""


from harness import UNIT, Requests, equal, move, near, wait, wait_for_saved_position

WIDTH, SPACING, INSET, COUNT, CONTAINER = 250, 10, 20, 40, 800
MAXIMUM = 2 * INSET + COUNT * (WIDTH + SPACING) - SPACING - CONTAINER


def _make_gallery(lab, dataset="gallery", **configuration):
    """Makes a feed of two waterfalls and a carousel between them."""
    lab.server.recreate(dataset)

    def items(section, count):
        return {"op": "insert", "section": section, "items": [
            {"key": f"{section}{i}", "width": 100, "height": 80 + i * 37 % 90}
            for i in range(count)]}
    lab.server.batch(
        {"op": "insertSection", "key": "top"},
        {"op": "insertSection", "key": "hero", "style": "hero"},
        {"op": "insertSection", "key": "rest"},
        items("top", 4), items("hero", COUNT), items("rest", 300), dataset=dataset)
    hero = {"kind": "carousel", "itemWidth": WIDTH, "itemLength": 200, "spacing": SPACING,
            "inset": {"left": INSET, "right": INSET}, "scrolling": "continuousGroupLeadingBoundary"}
    lab.server.put(lab.server.under(dataset, "layouts", "page"), {
        "container": {"width": CONTAINER}, "styles": {"hero": hero},
        "section": {"columns": 4, "columnSpacing": 8, "lineSpacing": 8, "header": 30},
        } | configuration)


def _open(lab, **options):
    # The scrubber leaves room for the container, which would be centred in more.
    page = lab.open(dataset="gallery", layout="page",
                    **({"width": CONTAINER + 64, "height": 800} | options))
    equal(page.evaluate("probe.feed().scroller.clientWidth"), CONTAINER, "the room of the feed")
    wait(page, "probe.feed().sections.get(1)?.carousel")
    return page


def _settle(page):
    """Waits until the carousel's cells are requested where it is."""
    page.wait_for_timeout(250)
    wait(page, "probe.feed().carousels.timer === undefined")
    page.evaluate("probe.rest()")


def _offset(page):
    return page.evaluate("probe.feed().carousels.offset('hero')") / UNIT


def _expect_cells(page, what, direction=1):
    """Every item of the carousel within the container is where its offset puts it, and no other."""
    offset = _offset(page)
    cells = page.evaluate("""probe.cells().filter(({ key }) => key.startsWith('hero'))
      .map(({ key, across }) => [Number(key.slice(4)), across - probe.box().left])""")
    assert cells, f"{what}: no cell of the carousel is on the page"
    for item, left in cells:
        start = INSET + item * (WIDTH + SPACING) - offset
        expected = start if direction > 0 else CONTAINER - start - WIDTH
        near(left, expected, f"{what}: item {item} at offset {offset}", 0.02)
    inside = [item for item in range(COUNT)
              if -WIDTH < INSET + item * (WIDTH + SPACING) - offset < CONTAINER]
    equal(sorted(item for item, _ in cells), inside, f"{what}: the items at offset {offset}")


def _over(page, key):
    box = page.evaluate("key => { const b = probe.node(key).getBoundingClientRect();"
                        " return [b.x + b.width / 2, b.y + b.height / 2]; }", key)
    page.mouse.move(*box)


def wheels_scroll_a_carousel_to_its_ends_and_no_further(lab):
    _make_gallery(lab)
    page = _open(lab)
    _over(page, "hero1")
    for _ in range(5):
        page.mouse.wheel(300, 0)
        page.wait_for_timeout(30)
    wait(page, f"probe.feed().carousels.offset('hero') === {1500 * UNIT}")
    _settle(page)
    _expect_cells(page, "after five turns")
    page.mouse.wheel(MAXIMUM, 0)
    wait(page, f"probe.feed().carousels.offset('hero') === {MAXIMUM * UNIT}")
    _settle(page)
    _expect_cells(page, "at the end")
    for _ in range(3):
        page.mouse.wheel(-MAXIMUM / 2, 0)
        page.wait_for_timeout(50)
    wait(page, "probe.feed().carousels.offset('hero') === 0")
    _settle(page)
    _expect_cells(page, "at the beginning")
    equal(page.evaluate("probe.feed().position"), 0, "the feed's own position")


def a_carousel_runs_from_right_to_left(lab):
    _make_gallery(lab, layoutDirection="rightToLeft")
    page = _open(lab)
    _expect_cells(page, "at the beginning", -1)
    _over(page, "hero1")
    page.mouse.wheel(-700, 0)
    wait(page, f"probe.feed().carousels.offset('hero') === {700 * UNIT}")
    _settle(page)
    _expect_cells(page, "after a turn to the left", -1)


def a_feed_follows_the_direction_of_the_document(lab):
    _make_gallery(lab)
    context = lab.context(width=CONTAINER + 64, height=800)
    context.add_init_script("Object.defineProperty(document, 'dir', { value: 'rtl' })")
    page = lab.open(context, dataset="gallery", layout="page")
    wait(page, "probe.feed().sections.get(1)?.carousel")
    _expect_cells(page, "at the beginning", -1)
    edges = page.evaluate("probe.cells().filter(({ key }) => key === 'top0')"
                          ".map(({ across }) => across - probe.box().left)")
    near(edges[0], CONTAINER - (CONTAINER - 24) / 4, "the first column is on the right", 0.02)


def an_open_feed_follows_the_direction_of_the_document(lab):
    _make_gallery(lab)
    page = _open(lab)
    for direction, sign in (("rtl", -1), ("ltr", 1), ("rtl", -1)):
        page.evaluate(f"document.dir = '{direction}'")
        _settle(page)
        _expect_cells(page, f"after a turn to {direction}", sign)


def arrow_keys_bring_the_next_card_into_view(lab):
    _make_gallery(lab)
    page = _open(lab)
    page.evaluate("probe.node('hero0').focus()")
    for item in range(1, 12):
        page.keyboard.press("ArrowRight")
        wait(page, f"document.activeElement.dataset.key === 'hero{item}'")
        left = page.evaluate(f"probe.node('hero{item}').getBoundingClientRect().left"
                             " - probe.box().left")
        assert -0.02 <= left <= CONTAINER - WIDTH + 0.02, f"card {item} is at {left}"
    _settle(page)
    _expect_cells(page, "after the keys")
    for item in reversed(range(11)):
        page.keyboard.press("ArrowLeft")
        wait(page, f"document.activeElement.dataset.key === 'hero{item}'")
    _settle(page)
    _expect_cells(page, "after the keys back")


def a_reload_keeps_the_offsets_of_carousels(lab):
    _make_gallery(lab)
    page = _open(lab)
    page.evaluate(f"probe.feed().carousels.scroll(probe.feed().sections.get(1), {2000.5 * UNIT})")
    _settle(page)
    page.evaluate("probe.feed().moveTo(60)")
    wait_for_saved_position(page)
    page.reload()
    lab.ready(page)
    equal(_offset(page), 2000.5, "the offset after a reload")
    equal(page.evaluate("probe.feed().position"), 60, "the position after a reload")
    _expect_cells(page, "after a reload")


def an_edit_moves_the_cards_of_a_scrolled_carousel(lab):
    _make_gallery(lab)
    page = _open(lab)
    page.evaluate(f"probe.feed().carousels.scroll(probe.feed().sections.get(1), {3000 * UNIT})")
    _settle(page)
    lab.server.batch({"op": "delete", "keys": ["hero0", "top1"]}, dataset="gallery")
    wait(page, "probe.feed().store.revision === 3")
    _settle(page)
    offset = _offset(page)
    cells = page.evaluate("""probe.cells().filter(({ key }) => key.startsWith('hero'))
      .map(({ key, across }) => [Number(key.slice(4)), across - probe.box().left])""")
    assert len(cells) >= 3, cells
    for item, left in cells:
        near(left, INSET + (item - 1) * (WIDTH + SPACING) - offset, f"item {item}", 0.02)


def revealing_a_card_scrolls_its_carousel(lab):
    _make_gallery(lab)
    page = _open(lab)
    keys = ("hero39", "hero0", "hero17")
    for is_far in (False, True):
        for key in keys:
            if is_far:
                # The carousel is not loaded.
                move(page, 1e9)
                page.evaluate("probe.feed().store.prune(probe.feed().view.position, Infinity)")
            found = page.evaluate("key => probe.feed().reveal(key).then((e) => e?.key)", key)
            equal(found, key, "the item revealed")
            _settle(page)
            left = page.evaluate("key => probe.node(key).getBoundingClientRect().left"
                                 " - probe.box().left", key)
            assert 0 <= left <= CONTAINER - WIDTH, f"{key} is at {left}"
            _expect_cells(page, f"{key} revealed")


def _drag(page, key, target):
    """Drags a card to a point, until the preview shows where it lands."""
    previews = Requests(page, "/movement")
    _over(page, key)
    page.mouse.down()
    page.mouse.move(*target, steps=12)
    wait(page, "Boolean(probe.feed().dragged.shown)")
    wait(page, "document.querySelectorAll('.ghost').length === 1")
    previews.wait_until_answered()


def _expect_drop(lab, page, key, x):
    """The card lands in the carousel, under the pointer, where the preview shows a gap."""
    shown = page.evaluate("key => probe.cells().filter((cell) => cell.key !== key)"
                          ".map(({ key, across }) => [key, across])", key)
    page.mouse.up()
    wait(page, "key => probe.feed().store.cell(key)?.sectionKey === 'hero'", arg=key)
    wait(page, "probe.feed().dragged.shown === undefined")
    _settle(page)
    equal(lab.server.item(key, "gallery", "page")["sectionKey"], "hero", "its section")
    box = page.evaluate("key => probe.node(key).getBoundingClientRect().toJSON()", key)
    assert box["left"] - 1 <= x <= box["right"] + 1, f"{key} is at {box['left']}, not at {x}"
    now = dict(page.evaluate("probe.cells().map(({ key, across }) => [key, across])"))
    cards = [each for each, _ in shown if each.startswith("hero")]
    assert len(cards) >= 2, shown
    for each, across in shown:
        if each in cards:
            near(now[each], across, f"{each} is where it was shown", 0.02)


def cards_are_dragged_within_a_scrolled_carousel_and_into_it(lab):
    _make_gallery(lab)
    page = _open(lab)
    page.evaluate(f"probe.feed().carousels.scroll(probe.feed().sections.get(1), {2010 * UNIT})")
    _settle(page)
    left, top = page.evaluate("[probe.box().left, probe.node('hero8').getBoundingClientRect().top]")
    # Two cards on, in a carousel of which eight are before the container.
    x = left + INSET + 10 * (WIDTH + SPACING) + WIDTH / 2 - 2010
    _drag(page, "hero8", (x, top + 100))
    _expect_drop(lab, page, "hero8", x)
    _drag(page, "top1", (left + 420, top + 90))
    _expect_drop(lab, page, "top1", left + 420)


def _swipe(page, start, distance):
    """A finger that moves, and rests before it leaves."""
    touch = page.context.new_cdp_session(page)

    def send(kind, *points):
        touch.send("Input.dispatchTouchEvent", {
            "type": kind, "touchPoints": [{"x": x, "y": y} for x, y in points]})
    x, y = start
    send("touchStart", (x, y))
    for step in range(1, 11):
        send("touchMove", (x + distance[0] * step / 10, y + distance[1] * step / 10))
        page.wait_for_timeout(16)
    page.wait_for_timeout(150)
    send("touchMove", (x + distance[0], y + distance[1]))
    send("touchEnd")


RESTS = {  # where a drag begins, how far it goes, and where it comes to rest
    "continuous": (0, 333, 333),
    "continuousGroupLeadingBoundary": (0, 500, 2 * (WIDTH + SPACING)),
    "paging": (0, 500, CONTAINER),
    "groupPaging": (0, 700, WIDTH + SPACING),
    "groupPagingCentered": (265, 700, 525),
}


def a_touch_scrolls_a_carousel_to_where_its_rule_rests(lab):
    for rule, (begin, distance, rest) in RESTS.items():
        hero = {"kind": "carousel", "itemWidth": WIDTH, "itemLength": 200, "spacing": SPACING,
                "inset": {"left": INSET, "right": INSET}, "scrolling": rule}
        _make_gallery(lab, styles={"hero": hero})
        page = _open(lab, has_touch=True)
        if begin:
            page.evaluate("offset => probe.feed().carousels.scroll("
                          "probe.feed().sections.get(1), offset)", begin * UNIT)
            _settle(page)
        y = page.evaluate("probe.cells().find(({ key }) => key.startsWith('hero')).place"
                          " + probe.box().top") + 100
        x = page.evaluate("probe.box().left") + 770
        _swipe(page, (x, y), (-distance, 0))
        wait(page, f"probe.feed().carousels.offset('hero') === {rest * UNIT}")
        _settle(page)
        _expect_cells(page, f"after a touch with {rule}")
        equal(page.evaluate("probe.feed().position"), 0, "the feed's own position")
        # A touch along the feed scrolls it, and not the carousel.
        _swipe(page, (x, y), (0, -200))
        wait(page, "probe.feed().position > 100")
        equal(_offset(page), rest, f"the carousel's offset with {rule}")
        page.context.close()
        lab.contexts.clear()
