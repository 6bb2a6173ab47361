import LayoutStore

extension LayoutCache {
  /// Copies the database into a new file, without blocking readers or writers.
  ///
  ///     try cache.backup(to: "feeds-2026-11-22.sqlite")
  ///
  /// The copy holds one committed state, is as compact as possible, and is a complete database:
  /// to restore it, move it to the path of the lost file. The first process that opens the copy
  /// gives its datasets and results new incarnations, once, because their histories diverge
  /// from there; copy a backup before opening it, even to inspect it. Marks and idempotency
  /// keys are preserved.
  ///
  /// While it is incomplete, the file has the suffix `-partial`. A killed process leaves that
  /// file, and later attempts fail until it is removed.
  ///
  /// - Parameters:
  ///   - path: The new file.
  ///   - progress: Called with the number of bytes written and the estimated total. Cancels the
  ///     copy by throwing.
  /// - Returns: The size of the copy in bytes.
  /// - Throws: ``LayoutCacheError`` with `database`, of category `usage` if a file exists at
  ///   the path; errors from `progress`. The incomplete copy is deleted.
  /// - Complexity: O(file), in constant memory. The write-ahead log can't be truncated in the
  ///   meantime, so `progress` should not block.
  @discardableResult
  public func backup(
    to path: String, progress: (_ bytes: Int, _ total: Int) throws -> Void = { _, _ in }
  ) throws -> Int {
    try mappingErrors(path) { try store.backup(to: path, progress: progress) }
  }
}
