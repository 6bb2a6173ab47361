/// Decides on the changes of a cache's datasets, in place of its file: a node of a cluster, whose
/// file follows a shared log.
///
/// Calls block until the change is in the log and applied in the cache.
///
/// - Throws: All calls: ``LayoutCacheError``, also with `sharedLogIsAway` and
///   `outcomeIsUnknown`.
package protocol ChangeCoordinator: AnyObject, Sendable {
  /// Gets a change of a dataset into the log.
  func commit(_ request: ChangeRequest, to dataset: String) throws -> ChangeOutcome

  /// Gets a change of the list of datasets into the log.
  func commit(_ change: CatalogChange) throws

  /// Creates a dataset from an archive's sections and items, at revision 1.
  ///
  /// - Returns: Whether there was none of the name. Otherwise the archive is unchanged.
  /// - Throws: `outcomeIsUnknown` also if the new dataset cannot be applied in the cache.
  func createDataset(_ name: String, of archive: SharedArchive) throws -> Bool

  /// Whether there is a dataset of a name.
  func hasDataset(_ name: String) throws -> Bool

  /// Makes sure that the cache has a dataset.
  func ensureResident(_ dataset: String) throws

  /// Stores an archive for a dataset, which no other node sees before an entry names it.
  ///
  /// - Parameter write: Writes the archive, in chunks.
  /// - Returns: Its number.
  /// - Throws: Besides, `changedMeanwhile` where it is deleted before it is complete.
  func keepArchive(
    for dataset: String, _ write: (_ chunk: @escaping ([UInt8]) throws -> Void) throws -> Void
  ) throws -> Int64

  /// Deletes an archive, unless an entry names it: from then on none can. Other nodes delete later
  /// what this fails to.
  func dropArchive(_ archive: Int64)

  /// Deletes what the cache has of a dataset, and follows the log from the start.
  func rebuild(_ dataset: String) throws

  /// A number that no layout of the log has had.
  func freshLayoutID() throws -> Int64
}

/// A change of the list of datasets.
package enum CatalogChange: Hashable, Sendable {
  /// Creates a dataset without sections, at revision 1.
  case create(String)
  case remove(String)
  case rename(String, to: String)
}
