#!/usr/bin/env python3
"""Shows that the tests of the service can fail: one of them must find each change below.

    make service-mutations
    python3 Tests/ServiceTests/mutations.py --in-place NAME ...

Applies each change in turn to a checkout of the current commit, builds it, and runs its test,
which must fail. The checkout stays in .build/mutations, so that only the first build is slow.
--in-place changes this checkout and reverts it; NAME selects changes by a part of their name.
"""

import argparse
import os
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
sys.path.insert(0, os.path.join(ROOT, "Tests", "PythonSupport"))
from mutating import Mutation, tried, try_all  # noqa: E402

MUTATIONS = [
    Mutation(
        "sections of a variant under the name in the request",
        "Sources/LayoutCacheService/Handlers/Sections.swift",
        'json.optionalMember("layout", listing.layout)',
        'json.optionalMember("layout", query[.layout])',
        "test_widths.WidthTests.test_every_route_answers_with_the_canonical_name"),
    Mutation(
        "configurations that invalidate everything",
        "Sources/LayoutCache/Engine/State/LayoutState+Configuration.swift",
        "if count > Budgets.invalidatedSections ||", "if count > 0 ||",
        "test_widths.WidthTests.test_prepare_names_the_sections_of_a_changed_configuration"),
    Mutation(
        "layouts set without warnings",
        "Sources/LayoutCacheService/Handlers/Layouts.swift",
        "warnings: warnings ?? []", "warnings: []",
        "test_widths.WidthTests.test_overrides_without_effect_are_warned_about"),
    Mutation(
        "streams without their bytes in the log",
        "Sources/LayoutCacheService/Routes/AccessLogLine.swift",
        "line.count($0.readableBytes)", "line.count(0)",
        "test_log.AccessLogTests.test_a_streamed_answer_is_logged_with_its_bytes"),
    Mutation(
        "lines of the log when an answer begins",
        "Sources/LayoutCacheService/Routes/AccessLogLine.swift",
        "    let body = body\n    self.body", "    let body = body\n    line.log()\n    self.body",
        "test_log.AccessLogTests.test_an_event_stream_is_logged_when_it_has_ended"),
    Mutation(
        "request IDs of any form",
        "Sources/LayoutCacheService/Routes/RequestID.swift",
        "if let id = headers[.requestID], isPlainID(id) { return id }",
        "if let id = headers[.requestID] { return id }",
        "test_log.AccessLogTests.test_the_request_id_is_that_of_the_answer"),
    Mutation(
        "changes of a read-only file",
        "Sources/LayoutCacheService/Routes/ServiceResponder.swift",
        "if route.isChange, cache.isReadOnly {", "if route.access == .measure, cache.isReadOnly {",
        "test_faults.DiskTests.test_a_read_only_disk_can_be_read"),
    Mutation(
        "edits offered for a read-only file",
        "Sources/LayoutCacheService/Handlers/Datasets.swift",
        "!cache.isReadOnly && request.caller", "request.caller",
        "test_faults.DiskTests.test_a_read_only_disk_can_be_read"),
    Mutation(
        "sections from any number",
        "Sources/LayoutCacheService/Handlers/Sections.swift",
        "in: 0...Limits.sectionsMax)", "in: 0...Int.max)",
        "test_extremes.ExtremeTests.test_sections_from_any_index_match_the_list"),
    Mutation(
        "integers of any size",
        "Sources/LayoutCacheService/Requests/QueryItems.swift",
        "guard let number = Int(text), range.contains(number) else {",
        "guard let number = Int(text), number >= range.lowerBound else {",
        "test_extremes.ExtremeTests.test_every_parameter_accepts_or_rejects_every_extreme"),
    Mutation(
        "invalid lengths",
        "Sources/LayoutCacheService/Requests/Request+Framing.swift",
        "if let length = headers[.contentLength], contentLength == nil {",
        "if let length = headers[.contentLength], contentLength == nil, length.isEmpty {",
        "test_framing.FramingTests.test_invalid_lengths_are_400"),
    Mutation(
        "encodings that end in chunked",
        "Sources/LayoutCacheService/Requests/Request+Framing.swift",
        'guard encoding[...].trimmingSpaces.lowercased() == "chunked" else {',
        'guard encoding[...].trimmingSpaces.lowercased().hasSuffix("chunked") else {',
        "test_framing.FramingTests.test_encodings_other_than_chunked_are_501"),
    Mutation(
        "read tokens that can write",
        "Sources/LayoutCacheService/Access/Caller.swift",
        "case .write: grant.may.contains(.write)",
        "case .write: grant.may.contains(.write) || dataset != nil",
        "test_access.AllTokensTests.test_forbidden_requests_are_rejected_and_change_nothing"),
    Mutation(
        "prefixes checked only for reading",
        "Sources/LayoutCacheService/Access/Caller.swift",
        "if let dataset, !grant.covers(dataset: dataset) {",
        "if access == .read, let dataset, !grant.covers(dataset: dataset) {",
        "test_access.WriteTokensTests.test_forbidden_requests_are_rejected_and_change_nothing"),
    Mutation(
        "signatures of which only a byte is compared",
        "Sources/LayoutCacheService/Access/SignedToken.swift",
        "{ $0 | ($1.0 ^ $1.1) }", "{ ($0 | $1.0) ^ $1.1 }",
        "test_tokens.TokenTests.test_a_token_with_any_other_character_is_rejected"),
    Mutation(
        "parts of which a viewer sees all by a filter",
        "Sources/LayoutCacheService/Routes/ServiceRequest.swift",
        "return try items.narrowed(to: own)", "return own ?? items",
        "test_tokens.TokenTests.test_a_filter_of_the_viewer_narrows_the_part"),
    Mutation(
        "layouts in the query of any name",
        "Sources/LayoutCacheService/Access/Caller.swift",
        "for layout in layouts { try require(layout: layout) }",
        "for layout in layouts.prefix(0) { try require(layout: layout) }",
        "test_tokens.TokenTests.test_other_layouts_and_datasets_are_not_permitted"),
    Mutation(
        "streams that are resumed one revision late",
        "Sources/LayoutCacheService/Handlers/Events.swift",
        "return (revision, own)", "return (revision + 1, own)",
        "test_kills.KillTests.test_kills_lose_nothing_and_repeat_nothing"),
    Mutation(
        "commits for an earlier revision",
        "Sources/LayoutCache/Engine/State/Rows.swift",
        "if let expected, expected != revision {", "if let expected, expected > revision {",
        "test_two_services.TwoServicesTests.test_only_one_change_for_a_revision_is_committed"),
    Mutation(
        "a second revision for a repeated batch",
        "Sources/LayoutCache/Changes/DatasetChange.swift",
        "guard let row, row.time > now - Budgets.requestMilliseconds else { return nil }",
        "guard let row, row.time > now else { return nil }",
        "test_load.LoadTests.test_answers_under_load_are_correct_and_leak_nothing"),
    Mutation(
        "a full disk reported like other errors",
        "Sources/LayoutStore/Database/StoreError.swift",
        "case SQLITE_FULL: .diskFull", "case SQLITE_FULL: .unexpected(detail: detail)",
        "test_faults.DiskTests.test_with_free_space_again_retries_are_applied_once"),
]


def checkout():
    """Returns a checkout of the current commit, which retains its build products."""
    folder = os.path.join(ROOT, ".build", "mutations")
    commit = subprocess.run(["git", "rev-parse", "HEAD"], cwd=ROOT, check=True,
                            capture_output=True, text=True).stdout.strip()
    if not os.path.isdir(folder):
        subprocess.run(["git", "worktree", "prune"], cwd=ROOT, check=True)
        subprocess.run(["git", "worktree", "add", "--detach", folder, commit],
                       cwd=ROOT, check=True)
    else:
        subprocess.run(["git", "checkout", "--force", "--detach", commit], cwd=folder, check=True)
    return folder


def main():
    parser = argparse.ArgumentParser(description="Shows that the service's tests can fail")
    parser.add_argument("--in-place", action="store_true", help="change this checkout")
    parser.add_argument("names", nargs="*", help="parts of the names of changes")
    options = parser.parse_args()
    folder = ROOT if options.in_place else checkout()

    def swift_build(*words):
        return subprocess.run(
            ["swift", "build", *words], cwd=folder, capture_output=True, text=True)

    def build():
        done = swift_build("--product", "layoutcache")
        return done.stdout[-2000:] + done.stderr[-2000:] if done.returncode else None

    binary = os.path.join(swift_build("--show-bin-path").stdout.strip(), "layoutcache")
    try:
        try_all(MUTATIONS, options.names, lambda mutation: tried(
            mutation, folder,
            [sys.executable, os.path.join(HERE, "run.py"), "--binary", binary, mutation.test],
            build))
    finally:
        # The last build contains a change.
        build()


if __name__ == "__main__":
    main()
