import LayoutStore
import SumTree

extension SumTree where Leaf: LabelledLeaf {
  /// Replaces a range of elements and gives every new leaf its label.
  ///
  /// - Parameters:
  ///   - range: The elements to replace.
  ///   - run: What comes in their place.
  ///   - hash: The hash of the key index.
  /// - Returns: What the key index must learn: the keys that came, went, or are in a
  ///   leaf of another label now.
  /// - Throws: As `replaceSubrange(_:with:in:)`; the tree is then unchanged.
  /// - Complexity: O(log n) nodes and the leaves concerned.
  mutating func replace(
    _ range: Range<Int>, with run: Leaf?, hash: KeyedHash, in session: TreeSession
  ) throws -> [KeyIndexChange] {
    var tree = self
    let created =
      try tree.replaceSubrange(range, with: run, in: session) ?? range.lowerBound..<range.lowerBound
    // The same leaves before the edit, and who held each of their elements.
    let inserted = run?.count ?? 0
    let replaced = created.lowerBound..<(created.upperBound - inserted + range.count)
    var holders: [UInt64?] = []
    var changes: [KeyIndexChange] = []
    try forEachLeaf(overlapping: replaced, in: session) { leaf, start in
      for index in 0..<leaf.count {
        if range.contains(start + index) {
          changes.append(
            KeyIndexChange(hash: leaf.keyHash(at: index, hash), oldLabel: leaf.label))
        } else {
          holders.append(leaf.label)
        }
      }
    }
    let place = range.lowerBound - created.lowerBound
    holders.insert(contentsOf: repeatElement(nil, count: inserted), at: place)

    let window = try LabelWindow(around: created, of: tree, in: session)
    for (member, label) in window.assigned {
      if member.leaf.label != label {
        try tree.updateLeaf(containing: member.start, in: session) { leaf, _ in
          leaf.label = label
        }
      }
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

  /// The leaf with a label, and its first element.
  ///
  /// - Returns: `nil` where there is no such leaf.
  /// - Complexity: O(log n) nodes.
  func leaf(labelled label: UInt64, in session: TreeSession) throws -> (leaf: Leaf, start: Int)? {
    let found = try firstLeaf(
      from: LabelPlace<Leaf.LeafSummary>(), where: { $0.label >= label }, in: session)
    guard let found, found.leaf.label == label else { return nil }
    return (found.leaf, found.offset)
  }
}

/// The leaves that an edit has made, and as many of their neighbours as it takes to
/// find labels for all.
private struct LabelWindow<Leaf: LabelledLeaf> {
  /// A leaf and its first element.
  typealias Member = (leaf: Leaf, start: Int)

  private var members: [Member] = []
  private var labels: [UInt64] = []

  /// The leaves, each with the label that it gets.
  var assigned: Zip2Sequence<[Member], [UInt64]> { zip(members, labels) }

  /// - Parameter created: The elements in the leaves that are new.
  init(around created: Range<Int>, of tree: SumTree<Leaf>, in session: TreeSession) throws {
    if created.isEmpty { return }
    var range = created
    while true {
      members = []
      try tree.forEachLeaf(overlapping: range, in: session) { members.append(($0, $1)) }
      let before =
        range.lowerBound == 0
        ? nil : try tree.leaf(containing: range.lowerBound - 1, in: session)
      let behind =
        range.upperBound == tree.count
        ? nil : try tree.leaf(containing: range.upperBound, in: session)
      let found = LabelAssignment.labels(
        for: members.map(\.leaf.label), after: before?.leaf.label ?? 0,
        before: behind?.leaf.label)
      if let found {
        labels = found
        return
      }
      // 2^64 labels suffice for any tree but a damaged one.
      guard before != nil || behind != nil else { throw TreeError(.wrongSummary, node: nil) }
      if let before { range = before.start..<range.upperBound }
      if let behind { range = range.lowerBound..<(behind.start + behind.leaf.count) }
    }
  }
}
