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

struct KeyIndexChange: Hashable, Sendable {
  var hash: UInt64
  /// The label of the leaf that held the key; `nil` for a new key.
  var oldLabel: UInt64? = nil
  /// The label of the leaf that holds the key; `nil` for a removed key.
  var newLabel: UInt64? = nil
}

/// The last label of a run of labelled leaves. Of two runs, the later one's.
struct LabelSummary: Summary, Hashable {
  /// The last label; 0 for no elements.
  var last: UInt64

  static let identity = LabelSummary(last: 0)

  mutating func append(_ next: LabelSummary) {
    if next.last != 0 { last = next.last }
  }

  /// Checks that labels increase from leaf to leaf, so that no leaf occurs twice.
  func isProduct(of children: ContiguousArray<LabelSummary>) -> Bool {
    isLast(of: children.lazy.map(\.last))
  }

  /// Returns whether labels increase and end with this one.
  func isLast(of labels: some Sequence<UInt64>) -> Bool {
    var last: UInt64 = 0
    for label in labels {
      guard label > last else { return false }
      last = label
    }
    return last == self.last
  }

  func encode(into writer: inout ByteWriter) { writer.writeVarint(last) }

  init(last: UInt64) { self.last = last }

  init(from reader: inout ByteReader) throws(ByteError) { last = try reader.readVarint() }
}

/// A position in a labelled tree: the last label before it.
struct LabelPosition<LeafSummary: LabelledSummary>: Dimension {
  var label: UInt64 = 0

  mutating func advance(over summary: LeafSummary, count: Int) {
    label = summary.lastLabel
  }
}

/// The labels that a bulk build assigns to its leaves. Their distance permits many splits before
/// two neighbours have no label between them, and the space before the first label is larger than
/// items can ever fill.
struct LabelSequence {
  static let step: UInt64 = 1 << 28
  static let origin: UInt64 = 1 << 62
  private(set) var last = Self.origin

  mutating func next() -> UInt64 {
    last += Self.step
    return last
  }
}
