import SumTree

extension KeyIndex {
  /// Updates the index for an edit of the tree whose keys it holds: in one pass in index order,
  /// except for changes that split or join leaves.
  ///
  /// - Throws: `TreeError` with `wrongCount` if the index lacks an entry to be changed: the
  ///   stored index is damaged.
  /// - Complexity: O(changes · log keys) nodes; each is replaced once, however many changes
  ///   affect it.
  mutating func apply(
    _ changes: [KeyIndexChange], in session: TreeSession
  ) throws {
    let left = try tree.updateLeaves(
      at: changes.sorted { $0.hash < $1.hash }, from: KeyIndexPosition(),
      where: { place, change in place.lastHash.map { $0 >= change.hash } ?? false },
      in: session,
      { leaf, changes in
        for change in changes {
          guard leaf.apply(change) else { return false }
        }
        return true
      })
    for change in left { try apply(change, in: session) }
  }

  private mutating func apply(_ change: KeyIndexChange, in session: TreeSession) throws {
    switch (change.oldLabel, change.newLabel) {
    case (nil, nil):
      return
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

  /// Returns the position of an entry.
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

extension KeyIndexLeaf {
  /// Applies a change.
  ///
  /// - Returns: `false` if the leaf lacks the entry to be changed. Entries with the same hash may
  ///   continue in the next leaf.
  fileprivate mutating func apply(_ change: KeyIndexChange) -> Bool {
    let first = firstIndex(atLeast: change.hash)
    guard let old = change.oldLabel else {
      if let new = change.newLabel {
        entries.insert(KeyIndexEntry(hash: change.hash, label: new), at: first)
      }
      return true
    }
    let entry = KeyIndexEntry(hash: change.hash, label: old)
    guard
      let index = entries[first...].prefix(while: { $0.hash == change.hash })
        .firstIndex(of: entry)
    else { return false }
    if let new = change.newLabel {
      entries[index].label = new
    } else {
      entries.remove(at: index)
    }
    return true
  }
}
