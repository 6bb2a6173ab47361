import SumTree

extension KeyIndex {
  /// Brings the index up to date with an edit of the tree whose keys it holds.
  ///
  /// - Throws: `TreeError` with `wrongCount` where the index lacks an entry that is to
  ///   change: the stored index is damaged.
  /// - Complexity: O(changes · log keys) nodes.
  mutating func apply(
    _ changes: [KeyIndexChange], in session: TreeSession
  ) throws {
    // In the order of the index, so that neighbouring changes meet the same leaves.
    for change in changes.sorted(by: { $0.hash < $1.hash }) {
      switch (change.oldLabel, change.newLabel) {
      case (nil, nil):
        continue
      case (nil, let label?):
        let place = try forEachEntry(of: change.hash, in: session) { _, _ in false }
        try tree.replaceSubrange(
          place..<place,
          with: KeyIndexLeaf(entries: [KeyIndexEntry(hash: change.hash, label: label)]),
          in: session)
      case (let label?, nil):
        let place = try place(of: change.hash, label: label, in: session)
        try tree.replaceSubrange(place..<(place + 1), with: nil, in: session)
      case (let old?, let new?):
        let place = try place(of: change.hash, label: old, in: session)
        try tree.updateLeaf(containing: place, in: session) { leaf, start in
          leaf.entries[place - start].label = new
        }
      }
    }
  }

  /// The place of an entry.
  private func place(of hash: UInt64, label: UInt64, in session: TreeSession) throws -> Int {
    var found: Int?
    try forEachEntry(of: hash, in: session) { other, place in
      if other == label { found = place }
      return found == nil
    }
    guard let found else {
      throw TreeError(.wrongCount, node: tree.storedRoot?.id, expected: 1, actual: 0)
    }
    return found
  }
}
