#!/usr/bin/env python3
"""Shows that the client's tests can fail: changes a copy of the package in one place after the
other, and runs the test that must find it.

    python3 Tests/PythonClientTests/mutations.py --binary .build/debug/layoutcache [NAME ...]
"""

import argparse
import os
import shutil
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
SOURCE = os.path.join(ROOT, "clients", "python", "src")
sys.path.insert(0, os.path.join(ROOT, "Tests", "PythonSupport"))
from mutating import Mutation, tried, try_all  # noqa: E402

# A name, the file, its text, the changed text, and the test that fails.
MUTATIONS = [
    ("a new key for each attempt", "_transport.py",
     '        sent = {"User-Agent"',
     '        if "Idempotency-Key" in headers:\n'
     '            headers = {**headers, "Idempotency-Key": str(time.monotonic())}\n'
     '        sent = {"User-Agent"',
     "a_batch_whose_answer_is_lost"),
    ("deletions are repeated", "_transport.py", '("GET", "HEAD", "PUT")',
     '("GET", "HEAD", "PUT", "DELETE")', "a_deletion_is_not_sent_again"),
    ("settings are not repeated", "_transport.py", '("GET", "HEAD", "PUT")', '("GET", "HEAD")',
     "queries_and_settings"),
    ("an unknown outcome is taken for a rejection", "_transport.py",
     'problem.kind not in ("", "outcome-unknown")', 'problem.kind != ""',
     "a_deletion_is_not_sent_again"),
    ("a lost attempt is forgotten", "_transport.py", "unknown = unknown or not rejected",
     "unknown = not rejected", "problem_after_a_lost_answer"),
    ("a proxy's 502 is not repeated", "_transport.py", "= (429, 502, 503, 504)", "= (429, 503, 504)",
     "a_batch_whose_answer_is_lost"),
    ("a missing service is not tried again", "_transport.py",
     "again = (is_repeatable or not failure.is_sent)", "again = is_repeatable",
     "a_service_that_is_not_there"),
    ("closed connections are reused", "_transport.py", "and not has_ended(connection)", "",
     "idle_connections"),
    ("connections are not reused", "_transport.py", "done = not response.will_close",
     "done = False", "idle_connections"),
    ("a fork shares connections", "_transport.py", "if self._process != os.getpid():", "if False:",
     "a_forked_process"),
    ("delays have no limit", "_transport.py", ", self.delay_max)\n        return min(",
     ", 1e9)\n        return max(", "delays_grow"),
    ("a rejected body is a lost connection", "_transport.py",
     "except (AnsweredEarly, BrokenPipeError, ConnectionResetError):", "except ZeroDivisionError:",
     "rejects_unread"),
    ("dots are steps in a path", "_transport.py", 'if part in (".", ".."):', "if False:",
     "described_form"),
    ("slashes are not encoded", "_transport.py", 'quote(part, safe="")', "quote(part)",
     "names_and_keys_of_any_text"),
    ("numbers have exponents", "_types.py",
     'return f"{value:.9f}".rstrip("0").rstrip(".")', "return str(value)", "described_form"),
    ("NaN is sent", "_client.py", "allow_nan=False", "allow_nan=True", "numbers_that_http"),
    ("later pages have no data", "_client.py", "data=page.has_data", "data=False",
     "pages_return_each_item_once"),
    ("the last page is dropped", "_client.py", "        page = first\n        yield page\n",
     "        page = first\n", "pages_return_each_item_once"),
    ("the expected revision is not sent", "_client.py", "if expect is not None:", "if False:",
     "an_expected_revision"),
    ("a lost import is imported again", "_client.py",
     "                if failure.is_sent:\n", "                if False:\n",
     "import_whose_answer_is_lost"),
    ("a proxy's answer is that of the import", "_client.py",
     "and not is_certainly_rejected(rejection):", "and False:", "import_whose_answer_is_lost"),
    ("a rejected import is not sent again", "_client.py", "or not pieces.can_repeat", "or True",
     "import_that_is_rejected"),
    ("an import uses an idle connection", "_client.py", ", is_new=True", "", "import_has_its_own"),
    ("a repeated setting replaces another", "_client.py",
     'headers={"Content-Type": "application/json", **condition}',
     'headers={"Content-Type": "application/json"}', "repeated_layout"),
    ("a truncated export ends", "_client.py",
     "            raise failed(failure, transport.url", "            return\n"
     "            raise failed(failure, transport.url",
     "a_truncated_export"),
    ("lists have one page", "_client.py", "if following is None:", "if True:",
     "sections_are_listed"),
    ("streams resume at their start", "_events.py", 'f"{self.revision}.{self.incarnation}"',
     'f"1.{self.incarnation}"', "resumes_without_gaps"),
    ("streams begin at the first iteration", "_events.py",
     'headers["Last-Event-ID"]', 'headers["X"]', "commits_after_the_call"),
    ("streams ignore the incarnation", "_events.py", "if self.incarnation:", "if False:",
     "created_again"),
    ("streams do not reconnect", "_events.py", "            self._closed.wait(delay)\n",
     "            return\n", "survives_a_restart"),
    ("a removed dataset is an error", "_events.py", "if self._exists and", "if False and",
     "a_deleted_dataset"),
    ("closing does not wake a reader", "_events.py",
     "self._socket.shutdown(socket.SHUT_RDWR)", "pass", "closing_from_another_thread"),
    ("pieces end lines", "_events.py", "self._skips_line_feed = True", "pass", "pieces_of_any"),
    ("other characters end lines", "_events.py",
     '.replace(b"\\r", b"\\n").split(b"\\n"))',
     '.replace(b"\\r", b"\\n").replace("\\u2028".encode(), b"\\n").split(b"\\n"))',
     "pieces_of_any"),
    ("a damaged answer is a KeyError", "_client.py",
     "except (AttributeError, LookupError, TypeError, ValueError)", "except ZeroDivisionError",
     "HostileAnswerTests"),
    ("own writes are not required", "_transport.py",
     'return headers if position is None else {"Min-Revision": position, **headers}',
     "return headers", "own_writes"),
    ("an export does not require own writes", "_transport.py",
     "None,\n                self.require_position(path, headers))", "None, headers)", "own_writes"),
    ("a position of another history stays", "_transport.py",
     'if method == "GET" and problem.status in (404, 409):', "if False:",
     "another_client_created_again"),
    ("an operation loses a member", "operations.py", ", span=span)", ")", "each_operation"),
    ("a mark ignores its predecessor", "operations.py", "if after != _ANY:", "if False:",
     "a_mark_is_applied_once"),
    ("the log of the service is not read", "_service.py", "for line in log:",
     "for line in [log.readline(), log.readline()]:", "a_full_log"),
    ("the folder of a service stays", "_service.py", "if self._folder is not None:", "if False:",
     "stopped_and_its_folder"),
    ("the script calls itself", "_command.py", "if found and _is_program(found):", "if found:",
     "without_a_command"),
]


def main():
    parser = argparse.ArgumentParser(description="Shows that the client's tests can fail")
    parser.add_argument("--binary", required=True, help="the layoutcache command")
    parser.add_argument("names", nargs="*", help="parts of the names of changes to try")
    options = parser.parse_args()
    os.environ["LAYOUTCACHE_TEST_SECONDS"] = "30"
    with tempfile.TemporaryDirectory() as folder:
        shutil.copytree(
            SOURCE, folder, dirs_exist_ok=True, ignore=shutil.ignore_patterns("__pycache__"))
        try_all(
            [Mutation(name, f"layoutcache/{file}", *rest) for name, file, *rest in MUTATIONS],
            options.names, lambda mutation: tried(mutation, folder, [
                sys.executable, os.path.join(HERE, "run.py"), "--binary", options.binary,
                "--source", folder, mutation.test]))


if __name__ == "__main__":
    main()
