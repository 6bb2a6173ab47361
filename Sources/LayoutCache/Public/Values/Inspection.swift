public import LayoutGeometry

/// The contents and sizes of a database file.
public struct DatabaseInspection: Hashable, Sendable {
  public var path: String
  /// The size of the file's pages in bytes, including those still in the write-ahead log.
  public var fileBytes: Int
  public var datasetCount: Int
  public var nodeCount: Int
}

/// The counts of a tree.
public struct TreeInspection: Hashable, Sendable {
  /// "items", "sections", "itemKeys", "sectionKeys", "data" or "results".
  public var name: String
  public var elementCount: Int
  /// The number of node levels: 0 without elements, 1 for a single leaf.
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
  /// The size of the dataset's nodes in bytes, including keys and indexes.
  public var nodeBytes: Int
  /// The number of log entries: those not yet in the trees or in some layout, and those
  /// retained for clients that request changes.
  public var logBatches: Int
  public var layouts: [LayoutInspection]

  /// ``nodeBytes`` for each item; `nil` without items.
  public var bytesPerItem: Double? { itemCount == 0 ? nil : Double(nodeBytes) / Double(itemCount) }
}

/// The numbers of measured lengths of a layout.
public struct MeasuredLengthCounts: Hashable, Sendable {
  public var items: Int
  public var headers: Int
  public var footers: Int

  static let none = MeasuredLengthCounts(items: 0, headers: 0, footers: 0)
}

/// The sizes of a layout and its nodes.
public struct LayoutInspection: Hashable, Sendable {
  public var name: String
  /// The dataset's revision that the layout was last brought up to date with.
  public var preparedRevision: Int?
  /// The number of revisions that the layout lags behind the dataset.
  public var pendingRevisions: Int
  /// `nil` until the layout is first prepared.
  public var contentSize: Size?
  public var tree: TreeInspection
  public var nodeCount: Int
  /// The size of the layout's nodes in bytes.
  public var nodeBytes: Int
  /// ``nodeBytes`` for each item of the dataset; `nil` without items.
  public var bytesPerItem: Double?
  /// For a variant of a responsive layout, the seconds since it was created.
  public var secondsSinceCreation: Double?
  /// For a variant of a responsive layout, the seconds since its last known use.
  public var secondsSinceUse: Double?
  /// The numbers of measured lengths; `nil` if not requested.
  public var measured: MeasuredLengthCounts?
  /// The first sections, up to the requested number; empty if the layout is behind its dataset.
  public var sections: [SectionInspection]
}

/// A section's columns.
public struct SectionInspection: Hashable, Sendable {
  public var key: String
  public var itemCount: Int
  /// The number of levels of the section's tree.
  public var treeDepth: Int
  /// Each column's end, from the content's start; empty for kinds without columns.
  public var columnEnds: [Length]
  /// The difference between the columns' ends.
  public var skew: Length { (columnEnds.max() ?? .zero) - (columnEnds.min() ?? .zero) }
}
