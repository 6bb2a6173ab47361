import LayoutStore
import SumTree

extension SumTree where Leaf: LabelledLeaf {
  /// Replaces a range of elements and assigns a label to every new leaf.
  ///
  /// - Parameters:
  ///   - range: The elements to replace.
  ///   - run: The replacement.
  ///   - hash: The hash of the key index.
  /// - Returns: The changes for the key index: keys that were inserted, removed, or moved to a
  ///   leaf with another label.
  /// - Throws: The errors of `replaceSubrange(_:with:in:)`; the tree is then unchanged.
  /// - Complexity: O(log n) nodes, plus the affected leaves.
  mutating func replace(
    _ range: Range<Int>, with run: Leaf?, hash: KeyedHash, in session: TreeSession
  ) throws -> [KeyIndexChange] {
    var tree = self
    let created =
      try tree.replaceSubrange(range, with: run, in: session) ?? range.lowerBound..<range.lowerBound
    // The same leaves before the edit, and the label under which each element was indexed.
    let inserted = run?.count ?? 0
    let replaced = created.lowerBound..<(created.upperBound - inserted + range.count)
    let place = range.lowerBound - created.lowerBound
    var holders: [UInt64?] = []
    var changes: [KeyIndexChange] = []
    try forEachLeaf(overlapping: replaced, in: session) { leaf, start in
      for index in range.clamped(to: start..<(start + leaf.count)) {
        let key = leaf.keyHash(at: index - start, hash)
        changes.append(KeyIndexChange(hash: key, oldLabel: leaf.label))
      }
      let kept = leaf.count - range.clamped(to: start..<(start + leaf.count)).count
      holders.append(contentsOf: repeatElement(Optional(leaf.label), count: kept))
    }
    holders.insert(contentsOf: repeatElement(nil, count: inserted), at: place)

    let window = try LabelWindow(around: created, of: tree, heldBefore: holders, in: session)
    let relabelled = window.assigned.filter { $0.leaf.label != $1 }
    if let first = relabelled.first, let last = relabelled.last {
      // One pass: each inner node above the leaves is replaced once.
      var labels = relabelled[...]
      try tree.updateLeaves(
        overlapping: first.0.start..<(last.0.start + 1), in: session
      ) { leaf, start, _ in
        guard let (member, label) = labels.first, member.start == start else { return false }
        leaf.label = label
        labels.removeFirst()
        return true
      }
    }
    for (member, label) in window.assigned {
      for index in 0..<member.leaf.count {
        let element = member.start + index
        let holder =
          created.contains(element) ? holders[element - created.lowerBound] : member.leaf.label
        if holder != label {
          changes.append(
            KeyIndexChange(
              hash: member.leaf.keyHash(at: index, hash), oldLabel: holder, newLabel: label))
        }
      }
    }
    self = tree
    return changes
  }

  /// Returns the leaf with a label, and the number of its first element.
  ///
  /// - Returns: `nil` if there is no such leaf.
  /// - Complexity: O(log n) nodes.
  func leaf(labelled label: UInt64, in session: TreeSession) throws -> (leaf: Leaf, start: Int)? {
    let found = try firstLeaf(
      from: LabelPosition<Leaf.LeafSummary>(), where: { $0.label >= label }, in: session)
    guard let found, found.leaf.label == label else { return nil }
    return (found.leaf, found.offset)
  }
}

/// The leaves created by an edit, and as many neighbours as needed to find labels for all.
private struct LabelWindow<Leaf: LabelledLeaf> {
  /// A leaf and its first element.
  typealias Member = (leaf: Leaf, start: Int)

  private var members: [Member] = []
  private var labels: [UInt64] = []

  /// The leaves with their new labels.
  var assigned: Zip2Sequence<[Member], [UInt64]> { zip(members, labels) }

  /// - Parameters:
  ///   - created: The elements in the new leaves.
  ///   - holders: The label under which each of these elements is indexed; `nil` for inserted
  ///     elements.
  init(
    around created: Range<Int>, of tree: SumTree<Leaf>, heldBefore holders: [UInt64?],
    in session: TreeSession
  ) throws {
    if created.isEmpty { return }
    var range = created
    while true {
      members = []
      try tree.forEachLeaf(overlapping: range, in: session) { members.append(($0, $1)) }
      // A leaf that replaces one leaf keeps its label, whatever labels the neighbours have.
      if members.count == 1, let label = members.first?.leaf.label, label != 0,
        holders.allSatisfy({ $0 == nil || $0 == label })
      {
        labels = [label]
        return
      }
      let before =
        range.lowerBound == 0
        ? nil : try tree.leaf(containing: range.lowerBound - 1, in: session)
      let behind =
        range.upperBound == tree.count
        ? nil : try tree.leaf(containing: range.upperBound, in: session)
      let found = LabelAssignment.labels(
        for: wanted(around: created, heldBefore: holders), after: before?.leaf.label ?? 0,
        before: behind?.leaf.label)
      if let found {
        labels = found
        return
      }
      // 2^64 labels are enough for any tree that is not damaged.
      guard before != nil || behind != nil else { throw TreeError(.wrongSummary, node: nil) }
      if let before { range = before.start..<range.upperBound }
      if let behind { range = range.lowerBound..<(behind.start + behind.leaf.count) }
    }
  }

  /// Returns the labels that the leaves should keep; 0 for none. If several new leaves share a
  /// label, the one with most of that label's elements keeps it; the other elements are indexed
  /// again.
  private func wanted(
    around created: Range<Int>, heldBefore holders: [UInt64?]
  ) -> [UInt64] {
    var wanted = members.map(\.leaf.label)
    var best: (index: Int, kept: Int)?
    for (index, member) in members.enumerated() where created.contains(member.start) {
      let start = member.start - created.lowerBound
      let kept = holders[start..<(start + member.leaf.count)].count { $0 == wanted[index] }
      if index > 0, let other = best, wanted[other.index] == wanted[index] {
        wanted[kept < other.kept ? index : other.index] = 0
        if kept < other.kept { continue }
      }
      best = (index, kept)
    }
    return wanted
  }
}
