/// The changes of a dataset since a revision.
///
/// Its JSON is the output of `layoutcache query --since`.
public struct DatasetChanges: Hashable, Sendable, Codable {
  /// The dataset's name.
  public var dataset: String
  /// The dataset's current revision.
  public var revision: Int
  /// The requested revision.
  public var since: Int
  /// The dataset's incarnation. If it differs from that of the answer with revision ``since``,
  /// the dataset was removed and created again, and these changes do not apply to that answer.
  public var incarnation: Incarnation
  /// The changes of the dataset's lists.
  public var updates: DatasetUpdates
  /// The changes of the requested layouts. If an entry's incarnation differs from that of the
  /// answer with revision ``since``, the layout has been laid out again, and must be queried
  /// again as a whole. The incarnation is empty for a layout without a result.
  public var layouts: [Commit.LayoutChange]

  /// Creates the changes since a revision.
  public init(
    dataset: String, revision: Int, since: Int, incarnation: Incarnation, updates: DatasetUpdates,
    layouts: [Commit.LayoutChange] = []
  ) {
    (self.dataset, self.revision, self.since) = (dataset, revision, since)
    (self.incarnation, self.updates, self.layouts) = (incarnation, updates, layouts)
  }
}
