import LayoutStore

extension LayoutCache {
  /// Copies the database into a new file, while others read and write.
  ///
  ///     try cache.backup(to: "feeds-2026-11-22.sqlite")
  ///
  /// The copy holds one committed state, is as small as it can be, and is a database like any
  /// other: to restore it, put it in the place of the file that is lost. Whoever opens it first
  /// makes new incarnations of its datasets and results, once, since it comes to other states at
  /// the same revisions; so make copies of it before it is opened, to look at it too. Its marks
  /// and what it knows of requests that are sent again are as they were.
  ///
  /// Until it is whole and on the disk it is called as it will be with `-partial` after that. A
  /// process that is killed leaves that file, which is then in the way of another attempt.
  ///
  /// - Parameters:
  ///   - path: The new file.
  ///   - progress: Takes how many bytes have been written, and about how many there will be.
  ///     Ends the copying by throwing.
  /// - Returns: The size of the copy in bytes.
  /// - Throws: ``LayoutCacheError`` with `database`, of category `usage` where there is something
  ///   at the path; what `progress` throws. Nothing is left of the copy then.
  /// - Complexity: O(file), in constant memory. The write-ahead log can't be emptied in the
  ///   meantime.
  @discardableResult
  public func backup(
    to path: String, progress: (_ bytes: Int, _ total: Int) throws -> Void = { _, _ in }
  ) throws -> Int {
    try mappingErrors(path) { try store.backup(to: path, progress: progress) }
  }
}
