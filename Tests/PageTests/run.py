"""Runs the page tests in a headless Chromium.

    python3 run.py --server URL [--only TEXT] [--part 1/2] [--list]

The browser reaches the server through fault_proxy.py. Its dataset and layout are named by
LAYOUTCACHE_PAGE_DATASET and LAYOUTCACHE_PAGE_LAYOUT (a vertical layout 1,120 points wide).
The tests edit the feed. Scripts/page-test-real.sh makes one, serves it and runs all of them.
LAYOUTCACHE_PAGE_FILES has the browser take the page from the checkout, whatever the server has.
LAYOUTCACHE_BINARY names the command and LAYOUTCACHE_PAGE_DATABASE the file that is served, for
tests that start a service themselves; those are left out otherwise. Ends with 1 if a test fails.
"""

import argparse
import importlib
import unittest

from playwright.sync_api import sync_playwright

import harness
import running

MODULES = ["places_tests", "widths_tests", "carousels_tests", "edits_tests", "tuning_tests",
           "client_tests", "page_tests", "views_tests", "service_tests", "guide_tests"]
TEST_SECONDS_MAX = 300


def tests(only):
    for name in MODULES:
        module = importlib.import_module(name)
        for test_name, test in vars(module).items():
            if getattr(test, "__module__", "") == name and test_name[0] != "_" and callable(test):
                if only in f"{name}.{test_name}":
                    yield f"{name}.{test_name}", test


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--server")
    parser.add_argument("--only", default="")
    parser.add_argument("--part", default="1/1", help="every second test, from the first")
    parser.add_argument("--list", action="store_true")
    options = parser.parse_args()
    part, parts = map(int, options.part.split("/"))
    if options.list:
        print("\n".join(name for name, _ in tests(options.only)))
        return
    if not options.server:
        parser.error("--server is missing")
    server = harness.Server(options.server)
    try:
        with sync_playwright() as playwright:
            browser = playwright.chromium.launch(
                executable_path=harness.chromium(), args=["--no-sandbox"])
            found = running.run(unittest.TestSuite(
                harness.Lab(name, test, browser, server)
                for name, test in list(tests(options.only))[part - 1::parts]), TEST_SECONDS_MAX)
            browser.close()
    finally:
        server.close()
    running.report(*found)


if __name__ == "__main__":
    main()
