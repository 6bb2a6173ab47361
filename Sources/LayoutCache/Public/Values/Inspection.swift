public import LayoutGeometry

/// The contents and sizes of a database file.
public struct DatabaseInspection: Hashable, Sendable {
  public var path: String
  /// The pages of the file, in bytes; what is not yet moved out of the write-ahead
  /// log is counted too.
  public var fileBytes: Int
  public var datasetCount: Int
  public var nodeCount: Int
}

/// One tree, counted.
public struct TreeInspection: Hashable, Sendable {
  /// "items", "sections", "itemKeys", "sectionKeys", "data" or "results".
  public var name: String
  public var elementCount: Int
  /// The levels of nodes: 0 without elements, 1 for a lone leaf.
  public var depth: Int
}

/// The sizes of a dataset.
public struct DatasetInspection: Hashable, Sendable {
  public var name: String
  public var revision: Int
  public var sectionCount: Int
  public var itemCount: Int
  public var trees: [TreeInspection]
  public var nodeCount: Int
  /// The bytes of the dataset's nodes, keys and indexes included.
  public var nodeBytes: Int
  /// The entries that the log holds: those that the trees or some layout have yet to
  /// follow, and those that are kept for who asks what has changed.
  public var logBatches: Int
  public var layouts: [LayoutInspection]

  /// ``nodeBytes`` for each item; `nil` without items.
  public var bytesPerItem: Double? {
    itemCount == 0 ? nil : Double(nodeBytes) / Double(itemCount)
  }
}

/// How many lengths were measured for a layout.
public struct MeasuredLengthCounts: Hashable, Sendable {
  public var items: Int
  public var headers: Int
  public var footers: Int

  static let none = MeasuredLengthCounts(items: 0, headers: 0, footers: 0)
}

/// The sizes of a layout, and how its nodes lie in the file.
public struct LayoutInspection: Hashable, Sendable {
  public var name: String
  /// The dataset's revision that the layout was last brought up to date with.
  public var preparedRevision: Int?
  /// The committed changes that the layout has not seen.
  public var pendingRevisions: Int
  /// `nil` until the layout is first prepared.
  public var contentSize: Size?
  public var tree: TreeInspection
  public var nodeCount: Int
  /// The bytes of the layout's nodes.
  public var nodeBytes: Int
  /// ``nodeBytes`` for each item of the dataset; `nil` without items.
  public var bytesPerItem: Double?
  /// `nil` where that was not asked for.
  public var measured: MeasuredLengthCounts?
  /// The first sections, as many as were asked for; empty where the layout is
  /// after its dataset.
  public var sections: [SectionInspection]
}

/// How a section's columns end.
public struct SectionInspection: Hashable, Sendable {
  public var key: String
  public var itemCount: Int
  /// The levels of the section's own tree.
  public var treeDepth: Int
  /// Each column's end, from the content's start; empty for kinds without columns.
  public var columnEnds: [Length]
  /// How far the columns' ends differ.
  public var skew: Length {
    (columnEnds.max() ?? .zero) - (columnEnds.min() ?? .zero)
  }
}
