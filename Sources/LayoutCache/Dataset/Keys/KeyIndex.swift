import LayoutStore
import SumTree

/// An index from keys to the leaves that hold them: a tree of (hash, leaf label).
///
/// The index does not store keys: a key is stored once, in its leaf. The labels found are
/// candidates; the caller compares the key.
struct KeyIndex: Sendable {
  var tree: SumTree<KeyIndexLeaf>
  let hash: KeyedHash

  /// Calls `body` with the label of each leaf that may hold the key, until it
  /// returns a result.
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
          .wrongCount, node: tree.storedRoot?.id, expected: Self.sameHashMax,
          actual: place - first)
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
