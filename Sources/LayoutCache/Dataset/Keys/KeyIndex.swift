import LayoutStore
import SumTree

/// An index from keys to the leaves that hold them: a tree of (hash, leaf label).
///
/// The index does not store keys: a key is stored once, in its leaf. The labels found are
/// candidates; the caller compares the key.
struct KeyIndex: Sendable {
  var tree: SumTree<KeyIndexLeaf>
  let hash: KeyedHash

  /// Calls `body` with the label of each leaf that may hold the key, until it returns a result.
  ///
  /// - Returns: The result, or `nil` if no candidate produced one.
  /// - Complexity: O(log keys) nodes.
  func firstCandidate<R>(
    for key: String, in session: TreeSession, _ body: (_ label: UInt64) throws -> R?
  ) throws -> R? {
    var result: R?
    try forEachEntry(of: hash.ofKey(key), in: session) { label, _ in
      result = try body(label)
      return result == nil
    }
    return result
  }

  /// Calls `body` with the label and the position of each entry of a hash, in order, until it
  /// returns `false`.
  ///
  /// - Returns: The position before all entries of the hash.
  /// - Complexity: O(log keys) nodes.
  @discardableResult
  func forEachEntry(
    of hash: UInt64, in session: TreeSession,
    _ body: (_ label: UInt64, _ place: Int) throws -> Bool
  ) throws -> Int {
    // An empty run sorts before every hash.
    let found = try tree.firstLeaf(
      from: KeyIndexPosition(), where: { $0.lastHash.map { $0 >= hash } ?? false }, in: session)
    guard let found else { return tree.count }
    var (leaf, start) = (found.leaf, found.offset)
    let first = start + leaf.firstIndex(atLeast: hash)
    var place = first
    while place < tree.count {
      // The entries may continue in the next leaf.
      if place == start + leaf.count {
        (leaf, start) = try tree.leaf(containing: place, in: session)
      }
      let entry = leaf.entries[place - start]
      guard entry.hash == hash, try body(entry.label, place) else { break }
      place += 1
      guard place - first <= Self.sameHashMax else {
        throw TreeError(
          .wrongCount, node: tree.storedRoot?.id, expected: Self.sameHashMax, actual: place - first)
      }
    }
    return first
  }

  /// A limit on keys with the same hash that no dataset reaches, so that the search of a damaged
  /// index ends.
  private static let sameHashMax = 1024

  /// Checks the leaves that are about to be stored: in a damaged index, joined leaves may be out
  /// of order.
  func requireOrder() throws {
    try tree.forEachDirtyLeaf { leaf in
      let hashes = leaf.entries.lazy.map(\.hash)
      guard zip(hashes, hashes.dropFirst()).allSatisfy({ $0 <= $1 }) else {
        throw TreeError(.wrongSummary, node: nil)
      }
    }
  }
}

extension KeyedHash {
  /// Returns the hash that the index stores for a key.
  func ofKey(_ key: String) -> UInt64 {
    var key = key
    return key.withUTF8 { ofKey(UnsafeRawBufferPointer($0)) }
  }

  /// Returns the hash that the index stores for a key's bytes.
  func ofKey(_ bytes: UnsafeRawBufferPointer) -> UInt64 {
    self(bytes) & KeyIndexEntry.hashMask
  }
}

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
        with: KeyIndexLeaf(entries: [KeyIndexEntry(hash: change.hash, label: label)]), in: session)
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

extension [KeyIndexChange] {
  /// Returns these changes and those of a later edit as one change per key, so that the entry of a
  /// moved element is changed in its place instead of being removed and inserted.
  func followed(by later: [KeyIndexChange]) -> [KeyIndexChange] {
    if isEmpty { return later }
    // Entries with the same hash and the same label are interchangeable.
    let first = sorted { ($0.hash, $0.newLabel ?? 0) < ($1.hash, $1.newLabel ?? 0) }
    var next = first[...]
    var changes: [KeyIndexChange] = []
    for change in later.sorted(by: { ($0.hash, $0.oldLabel ?? 0) < ($1.hash, $1.oldLabel ?? 0) }) {
      let place = (change.hash, change.oldLabel ?? 0)
      while let earlier = next.first, (earlier.hash, earlier.newLabel ?? 0) < place {
        changes.append(earlier)
        next.removeFirst()
      }
      if let earlier = next.first, (earlier.hash, earlier.newLabel ?? 0) == place {
        next.removeFirst()
        if earlier.oldLabel == change.newLabel { continue }
        changes.append(
          KeyIndexChange(
            hash: change.hash, oldLabel: earlier.oldLabel, newLabel: change.newLabel))
      } else {
        changes.append(change)
      }
    }
    return changes + next
  }
}
