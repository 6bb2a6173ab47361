/// The changes of a dataset since a revision.
///
/// Its JSON is what `layoutcache query --since` prints.
public struct DatasetChanges: Hashable, Sendable, Codable {
  /// The dataset's name.
  public var dataset: String
  /// The dataset's present revision.
  public var revision: Int
  /// The revision that was asked for.
  public var since: Int
  /// The name of the dataset's history. Where it is not that of the answer which
  /// ``since`` comes from, the dataset has been removed and made again, and nothing said here
  /// leads on from that answer.
  public var incarnation: Incarnation
  /// The changes of the dataset's lists.
  public var updates: DatasetUpdates
  /// The changes of the requested layouts. Where an entry's incarnation is
  /// not that of the answer which ``since`` comes from, the layout has been laid out again,
  /// and everything of it is to be asked for; it is empty for a layout without a result.
  public var layouts: [Commit.LayoutChange]

  /// Creates what has changed since a revision.
  public init(
    dataset: String, revision: Int, since: Int, incarnation: Incarnation, updates: DatasetUpdates,
    layouts: [Commit.LayoutChange] = []
  ) {
    self.dataset = dataset
    self.revision = revision
    self.since = since
    self.incarnation = incarnation
    self.updates = updates
    self.layouts = layouts
  }
}
