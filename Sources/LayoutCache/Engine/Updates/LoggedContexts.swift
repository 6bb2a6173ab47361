import LayoutStore
import SumTree

/// The contexts of a commit, as its log row has them.
struct LoggedContexts {
  let revision: Int
  let bytes: [UInt8]

  init(_ row: LogRow) { (revision, bytes) = (row.revision, row.contexts) }

  /// Returns the context of a result, if the commit has updated it.
  ///
  /// - Throws: `StoreError` with `corrupt`.
  func context(in space: NodeSpace, path: String) throws -> [UInt8]? {
    if bytes.isEmpty { return nil }
    do {
      return try ByteReader.read(bytes) { reader in
        while !reader.isAtEnd {
          let found = try reader.readVarint()
          let count = try reader.readCount(limit: bytes.count)
          if found == UInt64(space.rawValue) { return try reader.readBytes(count: count) }
          try reader.readBytes(count: count) { _ in }
        }
        return nil
      }
    } catch let error as ByteError {
      throw StoreError(.corrupt(detail: "contexts of log entry \(revision): \(error)"), path: path)
    }
  }
}

extension StoreReader {
  /// Returns the contexts of the commits after a revision, to which the log reaches back.
  func loggedContexts(after revision: Int, upTo head: LogHead) throws -> [LoggedContexts] {
    var all: [LoggedContexts] = []
    try forEachLogRow(after: revision, upTo: head) { all.append(LoggedContexts($0)) }
    return all
  }
}
