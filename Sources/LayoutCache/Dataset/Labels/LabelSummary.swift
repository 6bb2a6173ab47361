import SumTree

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
