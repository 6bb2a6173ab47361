/// An object that decides on the changes of a cache's datasets in place of its file: a node of a
/// cluster, whose file follows a shared log.
///
/// Calls block until the change is in the log and applied in the cache.
///
/// - Throws: All calls throw ``LayoutCacheError``, including `sharedLogUnavailable` and
///   `outcomeUnknown`.
package protocol ChangeCoordinator: AnyObject, Sendable {
  /// Appends a change of a dataset to the log.
  func commit(_ request: ChangeRequest, to dataset: String) throws -> ChangeOutcome

  /// Appends a change of the list of datasets to the log.
  func commit(_ change: CatalogChange) throws

  /// Creates a dataset from an archive's sections and items, at revision 1.
  ///
  /// - Returns: Whether the dataset was created. If the name is taken, the archive is unchanged.
  /// - Throws: `outcomeUnknown` also if the new dataset cannot be applied in the cache.
  func createDataset(_ name: String, of archive: SharedArchive) throws -> Bool

  /// Returns whether a dataset with this name exists.
  func hasDataset(_ name: String) throws -> Bool

  /// Ensures that the cache has a dataset.
  func ensureResident(_ dataset: String) throws

  /// Stores an archive for a dataset. Other nodes do not see it until an entry names it.
  ///
  /// - Parameter write: Writes the archive, in chunks.
  /// - Returns: The archive's number.
  /// - Throws: Also `concurrentModification` if the archive is deleted before it is complete.
  func keepArchive(
    for dataset: String, _ write: (_ chunk: @escaping ([UInt8]) throws -> Void) throws -> Void
  ) throws -> Int64

  /// Deletes an archive unless an entry names it; no later entry can name it. If the deletion
  /// fails, other nodes repeat it later.
  func dropArchive(_ archive: Int64)

  /// Deletes the cache's copy of a dataset and follows the log from the start.
  func rebuild(_ dataset: String) throws
}

/// A change to the list of datasets.
package enum CatalogChange: Hashable, Sendable {
  /// The creation of a dataset without sections, at revision 1.
  case create(String)
  case remove(String)
  case rename(String, to: String)
}
