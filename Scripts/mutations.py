#!/usr/bin/env python3
"""Shows that the tests of the engine can fail: one of them must find each change below.

    make mutations
    python3 Scripts/mutations.py [--check] [--in-place] [NAME ...]

Applies each change in turn to a checkout of the current commit, builds it, and runs its test,
which must fail. The checkout stays in .build/mutations-of-engine, so that only the first build is
slow. --check only checks that the text of each change occurs once. --in-place changes this
checkout and reverts it; NAME selects changes by a part of their name.
"""

import argparse
import os
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(0, os.path.join(ROOT, "Tests", "PythonSupport"))
from mutating import Mutation, tried, try_all  # noqa: E402

WORLD = "LayoutCachePropertyTests.WorldTests"
THREADS = "LayoutCachePropertyTests.WorldThreadsTests"
SECTION_MOVES = "LayoutCacheTests.SectionMoveTests"
ORDER = "LayoutCachePropertyTests.DatasetOrderTests"
TEMPLATES = "LayoutCachePropertyTests.TemplateTests"
STATE = "Sources/LayoutCache/Engine/State"
OPERATIONS = "Sources/LayoutCache/Engine/Operations"

MUTATIONS = [
    # The log, and states in memory.
    Mutation(
        "operations of a log row that are not replayed",
        f"{OPERATIONS}/DatasetTrees+Operations.swift",
        "for operation in batch.operations { try apply",
        "for operation in batch.operations.prefix(3) { try apply", WORLD),
    Mutation(
        "sections that move in the wrong direction past others",
        f"{OPERATIONS}/DatasetTrees+Operations.swift",
        "moved.lowerBound < other.lowerBound ? moved.lowerBound + other.count",
        "moved.lowerBound < other.lowerBound ? moved.lowerBound", SECTION_MOVES),
    Mutation(
        "the larger side of a section's move",
        f"{OPERATIONS}/DatasetTrees+Operations.swift",
        "range.count <= passed.count ? (range, passed)",
        "range.count >= passed.count ? (range, passed)", SECTION_MOVES),
    Mutation(
        "labels of the first of two edits in the key index",
        "Sources/LayoutCache/Dataset/Keys/KeyIndex.swift",
        "oldLabel: earlier.oldLabel, newLabel: change.newLabel))",
        "oldLabel: change.oldLabel, newLabel: change.newLabel))", SECTION_MOVES),
    Mutation(
        "layouts in memory after another cache has laid them out",
        f"{STATE}/DatasetState+Opening.swift",
        "if stored.map({ layout.row.isSameCheckpoint(as: $0) }) != true {",
        "if stored == nil {", WORLD),
    Mutation(
        "answers in memory after a commit of another cache",
        "Sources/LayoutCache/Engine/OpenDataset.swift",
        "guard generation ?? content.generation == content.generation",
        "guard generation ?? content.generation >= content.generation", WORLD),
    Mutation(
        "an earlier state put back after a commit",
        "Sources/LayoutCache/Engine/OpenDataset.swift",
        "guard content.number == number else { return nil }", "_ = number",
        "LayoutCacheTests.OpenDatasetsTests"),
    Mutation(
        "a layout that answers by its former name",
        "Sources/LayoutCache/Engine/OpenDataset.swift",
        " && $0.row.name.isExactly(layout.row.name)", "", "OnePathTests"),
    Mutation(
        "operations that are undone in their order",
        f"{OPERATIONS}/LoggedBatch.swift",
        "in operations.reversed()", "in operations", WORLD),
    Mutation(
        "previous columns that an undo does not restore",
        "Sources/LayoutCache/Engine/Layouts/LayoutEditor.swift",
        "guard batch.isUndo, plan.hasHistory else {",
        "guard batch.isUndo, plan.hasHistory, results.isEmpty else {", WORLD),
    Mutation(
        "requests of one owner that are carried out again",
        "Sources/LayoutCache/Changes/ChangeResolver.swift",
        "try reader.replay(of: $0, to: state.row.id, at: now)",
        "$0.owner.isEmpty ? try reader.replay(of: $0, to: state.row.id, at: now) : nil", WORLD),
    # Placement.
    Mutation(
        "shifts without that of the last column",
        "Sources/LayoutCache/Placement/Waterfall/ColumnShifts.swift",
        "let count = min(Self.count, positions.count)",
        "let count = min(Self.count, positions.count) - 1", WORLD),
    Mutation(
        "lines broken again from the changed item on",
        "Sources/LayoutCache/Placement/Section/Reflow.swift",
        "lowerBound - plan.reachBack)", "lowerBound)", WORLD),
    Mutation(
        "sections that are moved without their data",
        f"{OPERATIONS}/DatasetTrees+Operations.swift",
        "    try replaceData(range, with: run.data, in: session)\n    return changes",
        "    try replaceData(range, with: ItemRun().data, in: session)\n    return changes",
        SECTION_MOVES),
    # Sorted datasets.
    Mutation(
        "ranks that do not follow changes",
        f"{OPERATIONS}/DatasetTrees+Operations.swift",
        "with: run.ranked(by: order), in: session", "with: run, in: session", ORDER),
    Mutation(
        "items that stay in place when their data change",
        f"{OPERATIONS}/OperationResolver.swift",
        "if let order = trees.order { try place(key, with: data, by: order) }",
        "if let order = trees.order, order.members.count > 1 {\n"
        "      try place(key, with: data, by: order)\n    }", ORDER),
    # Templates.
    Mutation(
        "snapshots in memory after a change of templates",
        "Sources/LayoutCache/Changes/LayoutCache+Catalog.swift",
        "        openDatasets.forgetAll()\n", "", "LayoutCacheTests.TemplateCallTests"),
    Mutation(
        "the shorter of two patterns", "Sources/LayoutStore/Catalog/TemplateRow.swift",
        "found.map(row.goesBefore) ?? true { found = row }",
        "found.map({ $0.goesBefore(row) }) ?? true { found = row }", TEMPLATES),
    Mutation(
        "a layout whose template is no longer for its dataset",
        f"{STATE}/TemplatedLayouts.swift",
        "return template.map { .set($0) } ?? .removed", "return template.map { .set($0) }",
        TEMPLATES),
    # Queries.
    Mutation(
        "pages that begin with the last item again",
        "Sources/LayoutCache/Queries/LayoutSnapshot+Continuations.swift",
        "return continuation.subject.isBackward ? found : found.next", "return found",
        "LayoutCacheTests.ContinuationTests"),
    Mutation(
        "stored answers with elements that only touch the rectangle",
        "Sources/LayoutCache/Queries/LastAnswer.swift",
        "? frame.minY < rect.maxY && frame.maxY > rect.minY",
        "? frame.minY <= rect.maxY && frame.maxY >= rect.minY", WORLD),
    Mutation(
        "section keys compared by Unicode",
        "Sources/LayoutCache/Dataset/DatasetTrees.swift",
        "return leaf.entries.firstIndex { ExactKey($0.key) == ExactKey(key) }",
        "return leaf.entries.firstIndex { $0.key == key }", WORLD),
    # The tree.
    Mutation(
        "items looked up one too early",
        "Sources/SumTree/Tree/SumTree+Seek.swift",
        "guard offset - start >= count else { return true }",
        "guard offset - start > count else { return true }", "SumTreeTests"),
    Mutation(
        "nodes that are too small",
        "Sources/SumTree/Editing/Splice.swift",
        "if !children.isEmpty, children.count < shape.childrenMin {",
        "if !children.isEmpty, children.count + 1 < shape.childrenMin {", "SumTreeTests"),
    # The store: opening, checksums, syncs and locks.
    Mutation(
        "nodes whose checksum is not compared",
        "Sources/LayoutStore/Nodes/Seal.swift",
        "guard hash(payload, tweak: id.rawValue) == stored else {",
        "guard hash(payload, tweak: id.rawValue) == stored || true else {",
        "LayoutStoreTests"),
    Mutation(
        "rows whose checksum is not compared",
        "Sources/LayoutStore/Catalog/SealedRow.swift",
        "guard try columns.next() == ColumnValue.checksum(of: values, reader.hash) else {",
        "guard try columns.next() != Int64.min else {", "LayoutCacheTests.VerifyTests"),
    Mutation(
        "commits that a power cut loses",
        "Sources/LayoutStore/Database/Store+Opening.swift",
        'options.survivesPowerCut ? "FULL" : "NORMAL"',
        'options.survivesPowerCut ? "NORMAL" : "NORMAL"', "LayoutStoreTests"),
    Mutation(
        "locks that another close of the file releases",
        "Sources/LayoutStore/Database/FileLock.swift",
        "(setLock, getLock): (Int32, Int32) = (37, 36)",
        "(setLock, getLock): (Int32, Int32) = (6, 5)", "LayoutCacheProcessTests.OpenFileTests"),
]


def checkout():
    """Returns a checkout of the current commit, which retains its build products."""
    folder = os.path.join(ROOT, ".build", "mutations-of-engine")
    commit = subprocess.run(["git", "rev-parse", "HEAD"], cwd=ROOT, check=True,
                            capture_output=True, text=True).stdout.strip()
    if not os.path.isdir(folder):
        subprocess.run(["git", "worktree", "prune"], cwd=ROOT, check=True)
        subprocess.run(["git", "worktree", "add", "--detach", folder, commit],
                       cwd=ROOT, check=True)
    else:
        subprocess.run(["git", "checkout", "--force", "--detach", commit], cwd=folder, check=True)
    return folder


def check():
    """Ends the process with an error if a change no longer fits the sources."""
    for one in MUTATIONS:
        with open(os.path.join(ROOT, one.file), encoding="utf-8") as file:
            count = file.read().count(one.text)
        if count != 1:
            sys.exit(f"{one.name}: its text is in {one.file} {count} times")


def main():
    parser = argparse.ArgumentParser(description="Shows that the engine's tests can fail")
    parser.add_argument("--check", action="store_true", help="only check the texts")
    parser.add_argument("--in-place", action="store_true", help="change this checkout")
    parser.add_argument("names", nargs="*", help="parts of the names of changes")
    options = parser.parse_args()
    check()
    if options.check:
        return
    folder = ROOT if options.in_place else checkout()
    # Without the service and its packages; the engine is optimized, with assertions.
    environment = os.environ | {"LAYOUTCACHE_STRICT": "1", "LAYOUTCACHE_CORE": "1"}

    def swift_build(*words):
        return subprocess.run(["swift", "build", *words], cwd=folder, env=environment,
                              capture_output=True, text=True)

    def build():
        done = swift_build("--build-tests")
        return done.stdout[-2000:] + done.stderr[-2000:] if done.returncode else None

    products = swift_build("--show-bin-path").stdout.strip()
    bundle = os.path.join(products, "LayoutCachePackageTests.xctest")
    try:
        try_all(MUTATIONS, options.names, lambda mutation: tried(
            mutation, folder,
            [sys.executable, os.path.join(folder, "Scripts", "run-tests.py"), bundle,
             os.path.join(folder, ".build", "mutation.log"), "--only", mutation.test],
            build, failure=" failed"))
    finally:
        # The last build contains a change.
        build()


if __name__ == "__main__":
    main()
