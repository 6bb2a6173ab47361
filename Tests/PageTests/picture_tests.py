"""Screenshots of the page, for review: light and dark, desktop and phone."""

import os
import pathlib

from harness import HERE

VIEWS = {"desktop": {"width": 1360, "height": 860},
         "phone": {"width": 390, "height": 844, "ratio": 2, "has_touch": True, "is_mobile": True}}


def screenshots_light_and_dark_wide_and_narrow(lab):
    default = HERE.parents[1] / ".build" / "page"
    folder = pathlib.Path(os.environ.get("LAYOUTCACHE_PAGE_SHOTS", default))
    folder.mkdir(parents=True, exist_ok=True)
    has_phone = "phone" in lab.server.described()["layouts"]
    for scheme in ("light", "dark"):
        for name, view in VIEWS.items():
            layout = "phone" if name == "phone" and has_phone else None
            page = lab.open(layout=layout, color_scheme=scheme, **view)

            def picture(what):
                page.wait_for_timeout(350)
                file = folder / f"{name}-{scheme}-{what}.png"
                page.screenshot(path=file)
                assert file.stat().st_size > 20000, f"{file} shows nothing"

            key = lab.server.key_at(0.5, layout=layout)
            page.evaluate("key => probe.feed().reveal(key)", key)
            page.evaluate("probe.feed().moveBy(1500)")
            page.evaluate("probe.rest()")
            picture("feed")
            page.evaluate("probe.node(probe.cells()[2].key).click()")
            page.locator("#details").wait_for()
            picture("item")
            page.get_by_role("button", name="Increase height by 15 percent").click()
            # On a phone the item's panel covers the recomputed counts.
            page.locator("#changes .figures").first.wait_for(state="attached")
            if name == "phone":
                page.locator("#details [aria-label=Close]").click()
            picture("change")
            page.keyboard.press("Escape")
            page.keyboard.press("/")
            page.keyboard.type("harbour")
            page.locator("#found li").first.wait_for()
            picture("find")
            page.context.close()
            lab.contexts.clear()
