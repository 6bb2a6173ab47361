"""The client module: datasets created again, lost and truncated answers, changed layouts."""

import json

from harness import equal, follow, intercept, move, near, wait, wait_until

NAME = "client"
CONFIGURATION = {
    "container": {"width": 800},
    "section": {"columns": 2, "header": 40, "pinsHeader": True, "columnSpacing": 8}}


def _set(lab, **options):
    section = {**CONFIGURATION["section"], **options}
    configuration = {**CONFIGURATION, "section": section}
    lab.server.put(lab.server.under(NAME, "layouts", "wide"), configuration)
    return configuration


def _make(lab, letter="a", count=200, heights=()):
    """Creates the dataset with keys of a letter, and as many more revisions as there are heights."""
    lab.server.remove(NAME)
    rows = [{"key": f"{letter}{number}", "width": 100, "height": 50 + number * 37 % 90,
             "section": f"s{number // 50}"} for number in range(count)]
    lab.server.ask(lab.server.under(NAME, "import") + "?format=ndjson",
                   "".join(json.dumps(row) + "\n" for row in rows).encode())
    _set(lab)
    for height in heights:
        lab.server.batch({"op": "resize", "key": f"{letter}1", "width": 100, "height": height},
                         dataset=NAME)


def _open(lab):
    return lab.open(dataset=NAME, layout="wide", width=1000)


def _agree(lab, page, what):
    page.evaluate("probe.rest()")
    position, length = page.evaluate("[probe.feed().position, probe.feed().visibleLength]")
    answer = lab.server.elements(f"0,{position},800,{length}", NAME, "wide")
    expected = {each["key"]: each["frame"]["y"] - position for each in answer["elements"]
                if each["category"] == "cell"}
    found = {cell["key"]: cell["place"] for cell in page.evaluate("probe.cells()")}
    equal(sorted(found), sorted(expected), f"{what}: the cells")
    for key, place in expected.items():
        near(found[key], place, f"{what}: {key}")


def a_dataset_that_is_created_again_is_loaded_again(lab):
    # Its log may lead from the known revision, or not yet reach it; with and without a stream.
    for heights in ((), (10, 20, 30, 40, 50)):
        for is_polled in (False, True):
            _make(lab, "a", heights=(60, 70))
            context = lab.context(width=1000)
            if is_polled:
                context.add_init_script("Object.defineProperty(navigator, 'locks', {})")
            page = lab.open(context, dataset=NAME, layout="wide")
            with lab.server.proxy.faults(under="/events", drop=True) as fault:
                lab.server.proxy.cut()
                wait_until(lambda: fault.hits > 0, "no request for events", page=page)
                _make(lab, "b", heights=heights)
            wait(page, "probe.cells().some(({ key }) => key.startsWith('b'))")
            _agree(lab, page, f"{heights}, polled: {is_polled}")
            # Commits of the new history are followed.
            revision = lab.server.batch(
                {"op": "resize", "key": "b1", "width": 100, "height": 200}, dataset=NAME)["revision"]
            wait(page, "revision => probe.feed().store.revision === revision", arg=revision)
            _agree(lab, page, f"{heights} and a commit, polled: {is_polled}")
            page.context.close()
            lab.contexts.clear()


def pinned_headers_follow_the_configuration(lab):
    _make(lab)
    page = _open(lab)
    page.evaluate("probe.feed().moveTo(300)")
    for header, is_pinned in ((40, True), (90, True), (90, False), (60, False), (30, True)):
        configuration = _set(lab, header=header, pinsHeader=is_pinned)
        page.evaluate("configuration => probe.feed().reconfigure(configuration)", configuration)
        move(page, 300)
        found = page.evaluate(
            """() => { const node = [...document.querySelectorAll('.lc-header')]
              .find(({ element }) => element.section === 0);
              return node && [node.getBoundingClientRect().height, probe.place(node),
                node.parentElement.classList.contains('lc-lane')]; }""")
        if is_pinned:
            equal(found, [header, 0, True], f"a pinned header of {header}")
        elif found:
            equal(found, [header, -300, False], f"a header of {header}")


def pinned_elements_of_the_layout_are_stacked(lab):
    _make(lab)
    lab.server.put(lab.server.under(NAME, "layouts", "wide"), {
        **CONFIGURATION, "header": {"length": 56, "pins": True},
        "footer": {"length": 30, "pins": True}, "background": {"kind": "paper"}})
    page = _open(lab)

    def compare(what):
        for target in (0, 20, 300, 3000, 1000000):
            move(page, target)
            position, length = page.evaluate("[probe.feed().position, probe.feed().visibleLength]")
            for element in lab.server.elements(
                    f"0,{position},800,{length}", NAME, "wide")["elements"]:
                if element["category"] == "cell":
                    continue
                drawn = page.evaluate(
                    """([kind, section]) => probe.place(
                      [...document.querySelectorAll('.lc-element')].find(({ element }) =>
                        element.kind === kind && (element.section ?? null) === section))""",
                    [element["kind"], element.get("section")])
                near(drawn, element["frame"]["y"] - position,
                     f"{what}: {element['kind']} at {position}", 0.5)
            _agree(lab, page, f"{what}, at {position}")

    compare("as configured")
    for member, length in (("layoutHeader", 80), ("layoutFooter", 50)):
        revision = lab.server.batch(
            {"op": "prefer", "layout": "wide", member: length}, dataset=NAME)["revision"]
        follow(page, revision)
        compare(f"with a measured {member}")
    revision = lab.server.batch({"op": "delete", "keys": ["a199"]}, dataset=NAME)["revision"]
    follow(page, revision)
    compare("after a deletion")


def a_pause_leaves_no_listener(lab):
    page = lab.open()
    equal(page.evaluate(
        """async () => {
          let count = 0;
          for (const [name, step] of [['addEventListener', 1], ['removeEventListener', -1]]) {
            const own = AbortSignal.prototype[name];
            AbortSignal.prototype[name] = function (...all) {
              count += step;
              return own.apply(this, all);
            };
          }
          for (let i = 0; i < 20; i++) await probe.feed().stream.pause(1);
          return count;
        }"""), 0, "listeners after 20 pauses")


def items_with_dots_as_keys_are_found(lab):
    _make(lab)
    lab.server.batch(*({"op": "insert", "items": [{"key": key, "width": 100, "height": 60}],
                        "after": "a150"} for key in (".", "..", "a/b?c=d&e")), dataset=NAME)
    page = _open(lab)
    for key in (".", "..", "a/b?c=d&e"):
        equal(page.evaluate("async (key) => (await probe.feed().reveal(key))?.key", key), key,
              "the revealed item")
        page.evaluate("probe.feed().moveTo(0)")


def a_revealed_item_is_below_the_pinned_header(lab):
    _make(lab)
    page = _open(lab)
    for align in ("start", "nearest"):
        for key in ("a120", "a121", "a20"):
            page.evaluate("([key, align]) => probe.feed().reveal(key, align)", [key, align])
            page.evaluate("probe.rest()")
            place = page.evaluate("key => probe.place(probe.node(key))", key)
            assert place >= 40, f"{key} is at {place}, aligned '{align}'"


def a_change_whose_answer_is_lost_is_applied_once(lab):
    _make(lab)
    page = _open(lab)
    before = lab.server.described(NAME)["revision"]
    calls = {"/batches": "feed.batch([{op: 'insert', items: [{key: 'n', width: 9, height: 9}],"
                         " after: 'a3'}])",
             "/undo": "feed.undo(feed.store.revision)"}
    for number, (under, call) in enumerate(calls.items(), 1):
        with lab.server.proxy.faults(under=under, body_bytes_max=5) as fault:
            page.evaluate(f"(() => {{ const feed = probe.feed(); window.sent = {call}; }})()")
            wait_until(lambda: fault.hits > 0, "nothing is sent", page=page)
        equal(page.evaluate("sent.then(({ revision }) => revision)"), before + number, under)
        equal(lab.server.described(NAME)["revision"], before + number, "the revision")
        _agree(lab, page, under)


def a_page_cut_at_a_commit_is_read_again(lab):
    _make(lab)
    page = _open(lab)
    cuts = []

    def cut(route):
        url = route.request.url
        if "after=" in url and len(cuts) < 2:
            # The rest of the page is of a newer revision than its beginning.
            cuts.append(url)
            lab.server.batch({"op": "resize", "key": "a199", "width": 100,
                              "height": 60 + len(cuts)}, dataset=NAME)
        route.continue_(url=url if "after=" in url or "limit=" in url else url + "&limit=3")
    # Without events, which would have the page read everything visible again.
    with lab.server.proxy.faults(under="/events", drop=True) as fault:
        lab.server.proxy.cut()
        page.wait_for_selector("#status[data-state=away]")
        intercept(page, "**/elements?*", cut)
        page.evaluate("probe.feed().moveTo(3000)")
        wait_until(lambda: len(cuts) == 2, "no page is cut", page=page)
        _agree(lab, page, "after cut pages")
        wait_until(lambda: fault.hits, "the page does not ask for events again", page=page)
    page.unroute("**/elements?*")


def two_feeds_of_a_page_remember_their_own_positions(lab):
    _make(lab)
    page = _open(lab)
    states = page.evaluate(
        """async ([dataset]) => {
          const { Feed } = await import('/client.js');
          const box = document.createElement('div');
          box.style.cssText = 'position:fixed;width:400px;height:300px';
          document.body.append(box);
          const open = () => new Feed(box, { dataset, layout: 'wide' }).open();
          let other = await open();
          probe.feed().moveTo(700);
          other.moveTo(1500);
          probe.feed().rememberNow();
          other.close();
          other = await open();
          const found = [probe.feed().position, other.position,
            history.state.layoutcache.position / 64];
          other.close();
          return found;
        }""", [NAME])
    equal(states, [700, 1500, 700], "the positions")


def a_stream_that_is_forbidden_is_not_retried(lab):
    page = lab.open()
    page.evaluate("window.failures = []; probe.feed().addEventListener('failed',"
                  " ({ detail }) => failures.push(detail.error.status))")
    with lab.server.proxy.faults(under="/events", status=403) as fault:
        lab.server.proxy.cut()
        wait(page, "failures.includes(403)")
        # The lock is held as long as the stream is retried.
        wait(page, "navigator.locks.query().then(({ held }) => held.length === 0)")
        equal(fault.hits, 1, "requests")


def the_focus_of_the_feed_is_visible(lab):
    page = lab.open()
    page.evaluate("document.querySelector('#tune').focus()")
    for _ in range(12):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.id") == "feed":
            break
    style, width = page.evaluate(
        "(({ outlineStyle, outlineWidth }) => [outlineStyle, parseFloat(outlineWidth)])"
        "(getComputedStyle(document.querySelector('#feed:focus')))")
    assert style != "none" and width >= 2, f"the outline is {style}, {width}"
