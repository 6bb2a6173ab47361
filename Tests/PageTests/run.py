"""Runs the page tests in a headless Chromium.

    python3 run.py --server URL [--only TEXT] [--list]

The browser reaches the server through fault_proxy.py. Its dataset and layout are named by
LAYOUTCACHE_PAGE_DATASET and LAYOUTCACHE_PAGE_LAYOUT (a vertical layout 1,120 points wide).
The tests edit the feed. Scripts/page-test-real.sh makes one, serves it and runs all of them.
LAYOUTCACHE_PAGE_FILES has the browser take the page from the checkout, whatever the server has.
LAYOUTCACHE_BINARY names the command and LAYOUTCACHE_PAGE_DATABASE the file that is served, for
tests that start a service themselves; those are left out otherwise.
LAYOUTCACHE_PAGE_SHOTS names a folder for pictures. Ends with 1 if a test fails.
"""

import argparse
import importlib
import os
import sys
import time
import traceback

from playwright.sync_api import sync_playwright

import harness

MODULES = ["proxy_tests", "places_tests", "widths_tests", "carousels_tests", "edits_tests",
           "tuning_tests", "client_tests", "page_tests", "service_tests", "origin_tests", "picture_tests"]


def tests(only):
    for name in MODULES:
        module = importlib.import_module(name)
        for test_name, test in vars(module).items():
            if getattr(test, "__module__", "") == name and test_name[0] != "_" and callable(test):
                if only in f"{name}.{test_name}":
                    yield test_name, test


def _where(error):
    """Returns the error, and the lines of the tests that led to it."""
    frames = [frame for frame in traceback.extract_tb(error[2])
              if "playwright" not in frame.filename]
    lines = traceback.format_list(frames[1:])
    return "".join(lines) + "".join(traceback.format_exception_only(*error[:2]))


def run(test, browser, server):
    if getattr(test, "needs", "PATH") not in os.environ:
        return "left out"
    lab = harness.Lab(browser, server)
    try:
        test(lab)
        failure = None
    except Exception:
        failure = _where(sys.exc_info())
    try:
        lab.close()
    except AssertionError as error:
        failure = failure or str(error)
    return failure


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--server")
    parser.add_argument("--only", default="")
    parser.add_argument("--list", action="store_true")
    options = parser.parse_args()
    if options.list:
        print("\n".join(name for name, _ in tests(options.only)))
        return
    if not options.server:
        parser.error("--server is missing")
    failed, done = [], 0
    server = harness.Server(options.server)
    try:
        with sync_playwright() as playwright:
            browser = playwright.chromium.launch(
                executable_path=harness.chromium(), args=["--no-sandbox"])
            for name, test in tests(options.only):
                begun = time.monotonic()
                failure = run(test, browser, server)
                took = time.monotonic() - begun
                if failure == "left out":
                    print(f"left out  {name}")
                    continue
                done += 1
                print(f"{'FAILED' if failure else 'passed'}    {name} ({took:.1f} s)", flush=True)
                if failure:
                    failed.append(name)
                    print(failure, flush=True)
            browser.close()
    finally:
        server.close()
    print(f"page tests: {done} run, {len(failed)} failed" + (": " if failed else "")
          + ", ".join(failed))
    sys.exit(1 if failed or not done else 0)


if __name__ == "__main__":
    main()
