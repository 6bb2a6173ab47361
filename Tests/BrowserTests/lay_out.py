"""Lays out pages in a headless Chromium, and reports the positions of their items.

Standard input: one page per line, as JSON with these members:

  container  declarations of the container, which holds nothing but the items
  item       declarations of every item
  items      each item's further declarations
  fillers    declarations of invisible children after the items
  alone      null, or {"edge", "style"}: items that are alone in their line get
             this style, in a second layout; all items at one `edge` begin a line, and
             the last line is left as it is

Standard output: first the browser's version and whether it supports `display: grid-lanes`;
then for each page the container's size and each item's [x, y, width, height] in the
container, in CSS pixels.
"""

import json
import shutil
import signal
import sys

from playwright.sync_api import sync_playwright

LAY_OUT = """
page => {
  document.body.replaceChildren();
  const container = document.createElement('div');
  container.style.cssText =
    'position:absolute;left:0;top:0;box-sizing:border-box;' + page.container;
  const items = page.items.map(style => {
    const item = document.createElement('div');
    item.style.cssText = page.item + style;
    return item;
  });
  const fillers = page.fillers.map(style => {
    const filler = document.createElement('div');
    filler.style.cssText = style;
    return filler;
  });
  container.append(...items, ...fillers);
  document.body.append(container);
  if (page.alone) {
    const edges = items.map(item => item.getBoundingClientRect()[page.alone.edge]);
    const starts = items.map((_, index) => index).filter(index => edges[index] == edges[0]);
    starts.forEach((start, line) => {
      if (starts[line + 1] != start + 1) return;
      // Not appended to the existing style: reading that loses digits.
      items[start].style.cssText = page.item + page.items[start] + page.alone.style;
    });
  }
  const outer = container.getBoundingClientRect();
  return {
    size: [outer.width, outer.height],
    items: items.map(item => {
      const frame = item.getBoundingClientRect();
      return [frame.left - outer.left, frame.top - outer.top, frame.width, frame.height];
    }),
  };
}
"""


def chromium():
    """The path of the distribution's browser."""
    for name in ("chromium", "chromium-browser", "google-chrome"):
        path = shutil.which(name)
        if path:
            return path
    sys.exit("no chromium on the PATH")


def main():
    # A browser that hangs must not hang the tests.
    signal.alarm(300)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=chromium(),
            args=["--no-sandbox", "--enable-blink-features=CSSGridLanesLayout"],
        )
        tab = browser.new_page(device_scale_factor=1)
        lanes = tab.evaluate("CSS.supports('display: grid-lanes')")
        print(json.dumps({"version": browser.version, "hasGridLanes": lanes}))
        for line in sys.stdin:
            print(json.dumps(tab.evaluate(LAY_OUT, json.loads(line))))
        browser.close()


main()
