import CollectionLayout
import LayoutGeometry
import LayoutStore
import SumTree

extension LayoutCache {
  /// Checks the file, every node, and every layout against one laid out from scratch, all in
  /// one read transaction.
  ///
  /// Reports errors of SQLite's integrity check; nodes that are missing, have a wrong checksum,
  /// or contradict their parents; nodes without an owner; missing and superfluous keys in the
  /// indexes; wrong counts; and, in a layout that is up to date, every length, column and
  /// position that differs from a layout from scratch.
  ///
  /// - Parameter name: The dataset to check; `nil` for all of them and the file as a whole.
  /// - Throws: ``LayoutCacheError``: `noSuchDataset`, and `database` if the file can't be read
  ///   at all. Damage is reported, not thrown.
  /// - Complexity: Reads the whole file; O(items · columns) for each layout, in
  ///   constant memory.
  public func verify(dataset name: String? = nil) throws -> VerificationReport {
    try mappingErrors(path) {
      try store.read { reader in
        var verification = Verification(
          reader: reader, kinds: customKinds, shapes: options.treeShapes)
        if let name {
          try verification.check(reader.requireDataset(name))
        } else {
          try verification.checkFile()
        }
        return verification.report
      }
    }
  }
}
