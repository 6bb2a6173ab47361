import LayoutStore
import SumTree

/// A leaf that the key index refers to by a label.
///
/// Labels increase from leaf to leaf of a tree, and do not change when earlier leaves are
/// inserted or removed. A sliced or joined leaf has the label of its last part until the edit has
/// assigned a label to every new leaf.
protocol LabelledLeaf: TreeLeaf where LeafSummary: LabelledSummary {
  /// The label; 0 until the leaf is inserted.
  var label: UInt64 { get set }
  /// Returns the key of an element.
  func key(at index: Int) -> String
  /// Returns the hash of an element's key.
  func keyHash(at index: Int, _ hash: KeyedHash) -> UInt64
}

extension LabelledLeaf {
  /// Returns the hashes of the elements' keys, in order.
  func keyHashes(_ hash: KeyedHash) -> [UInt64] {
    (0..<count).map { keyHash(at: $0, hash) }
  }
}

/// A summary that contains the last label of its run.
protocol LabelledSummary: Summary {
  /// 0 for no elements.
  var lastLabel: UInt64 { get }
}

extension LabelSummary: LabelledSummary {
  var lastLabel: UInt64 { last }
}

/// A change of the key index for one key.
struct KeyIndexChange: Hashable, Sendable {
  var hash: UInt64
  /// The label of the leaf that held the key; `nil` for a new key.
  var oldLabel: UInt64? = nil
  /// The label of the leaf that holds the key; `nil` for a removed key.
  var newLabel: UInt64? = nil
}
