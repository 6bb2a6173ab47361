/// Decides on the changes of a cache's datasets, in place of its own file: a log that nodes
/// share. The file follows it.
///
/// Calls block until the change is decided on and carried out in the cache.
///
/// - Throws: All calls: ``LayoutCacheError``, also with `sharedLogIsAway` and
///   `outcomeIsUnknown`.
package protocol SharedLog: AnyObject, Sendable {
  /// Gets a change decided on.
  ///
  /// - Parameter view: What is to be seen of it.
  func commit(_ change: SharedChange, to dataset: String, _ view: BatchView) throws
    -> SharedOutcome

  /// Makes a dataset without sections.
  ///
  /// - Returns: Whether there was none of the name.
  func createDataset(_ name: String) throws -> Bool

  func removeDataset(_ name: String) throws

  func renameDataset(_ name: String, to other: String) throws

  /// Throws away what the cache has of a dataset, and follows the log anew.
  func rebuild(_ dataset: String) throws

  /// A number that no layout of the log has had.
  func freshLayoutID() throws -> Int64
}
