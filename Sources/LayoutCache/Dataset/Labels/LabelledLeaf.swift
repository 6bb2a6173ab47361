import LayoutStore
import SumTree

/// A leaf that the key index names by a label.
///
/// Labels rise from leaf to leaf of a tree, and a leaf keeps its own when leaves
/// before it come and go. A leaf sliced or joined has the label of its last part,
/// until the edit that did so has given every new leaf its own.
protocol LabelledLeaf: TreeLeaf where LeafSummary: LabelledSummary {
  /// 0 until the leaf has its place.
  var label: UInt64 { get set }
  /// An element's key.
  func key(at index: Int) -> String
  /// The hash of an element's key.
  func keyHash(at index: Int, _ hash: KeyedHash) -> UInt64
}

extension LabelledLeaf {
  /// The hashes of the elements' keys, in order.
  func keyHashes(_ hash: KeyedHash) -> [UInt64] {
    (0..<count).map { keyHash(at: $0, hash) }
  }
}

/// A summary that knows the last label of its run.
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
  /// The leaf that held the key; `nil` for a new one.
  var oldLabel: UInt64? = nil
  /// The leaf that holds it; `nil` for one that is gone.
  var newLabel: UInt64? = nil
}
