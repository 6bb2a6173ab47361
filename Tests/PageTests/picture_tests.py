"""Screenshots of the page, for review: in four widths, light and dark."""

import os
import pathlib

from harness import HERE, set_any_layout

PHONE = {"height": 844, "ratio": 2, "has_touch": True, "is_mobile": True}
VIEWS = {1400: {"height": 860}, 1000: {"height": 760}, 700: {"height": 900}, 390: PHONE}


def _layouts(lab):
    """The layout for each view; where no other fits, one of any width."""
    names = lab.server.described()["layouts"]
    set_any_layout(lab, lab.server.dataset, 936, 632)
    return {1400: lab.server.layout, 390: "phone" if "phone" in names else lab.server.layout,
            1000: "any", 700: "any"}


def screenshots_light_and_dark_in_four_widths(lab):
    default = HERE.parents[1] / ".build" / "page"
    folder = pathlib.Path(os.environ.get("LAYOUTCACHE_PAGE_SHOTS", default))
    folder.mkdir(parents=True, exist_ok=True)
    layouts = _layouts(lab)
    for scheme in ("light", "dark"):
        for width, view in VIEWS.items():
            page = lab.open(layout=layouts[width], color_scheme=scheme, width=width, **view)

            def picture(what):
                page.wait_for_timeout(350)
                file = folder / f"{width}-{scheme}-{what}.png"
                page.screenshot(path=file)
                assert file.stat().st_size > 20000, f"{file} shows nothing"

            key = lab.server.key_at(0.5, layout=page.evaluate("probe.feed().layout"))
            page.evaluate("key => probe.feed().reveal(key)", key)
            page.evaluate("probe.feed().moveBy(1500)")
            page.evaluate("probe.rest()")
            picture("feed")
            page.evaluate("probe.node(probe.cells()[2].key).click()")
            page.locator("#details").wait_for()
            picture("item")
            page.get_by_role("button", name="Increase height by 15 percent").click()
            page.locator("#changes .figures").first.wait_for()
            picture("change")
            page.locator("#details [aria-label=Close]").click()
            page.get_by_role("button", name="Change the layout").click()
            page.locator("#tuning").wait_for()
            picture("layout")
            page.keyboard.press("Escape")
            page.locator("#tuning [aria-label=Close]").click()
            page.keyboard.press("/")
            page.keyboard.type("harbour")
            page.locator("#found li").first.wait_for()
            picture("find")
            page.context.close()
            lab.contexts.clear()
