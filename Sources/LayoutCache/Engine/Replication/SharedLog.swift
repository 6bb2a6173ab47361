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

  /// Makes a dataset of an image's sections and items, at revision 1, and carries that out in
  /// the cache.
  ///
  /// - Returns: Whether there was none of the name. Else the image is as it was.
  /// - Throws: Where it is not known to be done, or can't be carried out, `outcomeIsUnknown`.
  func createDataset(_ name: String, of image: SharedImage) throws -> Bool

  func removeDataset(_ name: String) throws

  func renameDataset(_ name: String, to other: String) throws

  /// Whether there is a dataset of a name.
  func hasDataset(_ name: String) throws -> Bool

  /// Makes the cache have a dataset.
  func bringHere(_ dataset: String) throws

  /// Keeps an image for a dataset, which nobody sees before an entry names it.
  ///
  /// - Parameter write: Gives the image out, in chunks.
  /// - Returns: Its number.
  /// - Throws: Besides, `changedMeanwhile` where it is gone before it is complete.
  func keepImage(
    for dataset: String, _ write: (_ chunk: @escaping ([UInt8]) throws -> Void) throws -> Void
  ) throws -> Int64

  /// Lets go of an image, unless an entry names it: from then on none can. What fails is done
  /// in time by others.
  func dropImage(_ image: Int64)

  /// Throws away what the cache has of a dataset, and follows the log anew.
  func rebuild(_ dataset: String) throws

  /// A number that no layout of the log has had.
  func freshLayoutID() throws -> Int64
}
