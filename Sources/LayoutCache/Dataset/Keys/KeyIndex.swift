import LayoutStore
import SumTree

/// Finds the leaf that holds a key, in a tree of (hash, leaf label).
///
/// The index holds no keys: a key is stored once, in its leaf. The labels found
/// are candidates; the caller compares the key itself.
struct KeyIndex: Sendable {
  var tree: SumTree<KeyIndexLeaf>
  let hash: KeyedHash

  /// Calls `body` with the label of each leaf that may hold the key, until it
  /// returns a result.
  ///
  /// - Returns: The result, or `nil` where no candidate led to one.
  /// - Complexity: O(log keys) nodes.
  func firstCandidate<R>(
    for key: String, in session: TreeSession, _ body: (_ label: UInt64) throws -> R?
  ) throws -> R? {
    let hash = hash.ofKey(key)
    var cursor = Cursor(tree, at: KeyIndexPlace(), in: session)
    // `nil` sorts before every hash.
    var found = try cursor.seek { ($0.lastHash ?? 0) >= hash && $0.lastHash != nil }
    while found {
      let entries = cursor.leaf.entries
      var index = Self.firstIndex(in: entries, atLeast: hash)
      while index < entries.count {
        guard entries[index].hash == hash else { return nil }
        if let result = try body(entries[index].label) { return result }
        index += 1
      }
      // The candidates may go on in the next leaf.
      found = try cursor.next()
    }
    return nil
  }

  static func firstIndex(in entries: [KeyIndexEntry], atLeast hash: UInt64) -> Int {
    var range = 0..<entries.count
    while !range.isEmpty {
      let middle = range.lowerBound + range.count / 2
      range =
        entries[middle].hash < hash
        ? middle + 1..<range.upperBound : range.lowerBound..<middle
    }
    return range.lowerBound
  }
}

extension KeyedHash {
  /// The hash under which the index keeps a key.
  func ofKey(_ key: String) -> UInt64 {
    var key = key
    return key.withUTF8 { ofKey(UnsafeRawBufferPointer($0)) }
  }

  /// The hash under which the index keeps a key's bytes.
  func ofKey(_ bytes: UnsafeRawBufferPointer) -> UInt64 {
    self(bytes) & KeyIndexEntry.hashMask
  }
}
