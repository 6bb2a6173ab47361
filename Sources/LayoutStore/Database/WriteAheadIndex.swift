import GRDB
import GRDBSQLite
import Synchronization

/// Tells whether another connection has committed, without asking SQLite: the
/// header of the write-ahead log's index, which every commit changes, stands in
/// memory that all processes share.
///
/// A `PRAGMA data_version` takes some 2 µs, a transaction around it included, as
/// long as a query for a rectangle; this takes some nanoseconds.
///
/// The memory is the one that SQLite's own connection has mapped, asked for
/// through the VFS, and only read. Where it can't be had, every look is taken to
/// show a change, which is slow and right.
///
/// Source: https://sqlite.org/walformat.html, section 2.1 (the header's fields);
/// https://sqlite.org/c3ref/io_methods.html (`xShmMap`).
final class WriteAheadIndex: Sendable {
  /// What identifies a committed state: the count of commits since the index was
  /// made, the frames in the log, and the salt that a log begun anew gets. The
  /// last two alone differ between any two states; the first tells one commit from
  /// several.
  private struct Header: Equatable {
    var changes: UInt32
    var frames: UInt32
    var salt: UInt64
  }

  private struct Known {
    /// The state that is known to hold no commits but ours.
    var header: Header?
    /// The count of commits once the one under way here is done.
    var ownChanges: UInt32?
    /// Rises with every look that finds another's commit.
    var generation = 0
  }

  /// The index's first page; alive as long as the connection.
  private nonisolated(unsafe) let page: UnsafeRawPointer?
  private let known = Mutex(Known())

  /// - Parameter db: A connection in WAL mode that stays open for as long as the
  ///   value is used.
  init(_ db: Database) {
    page = Self.firstPage(db)
  }

  /// A number that rises when another connection has committed since the last
  /// look.
  func generation() -> Int {
    known.withLock { known in
      let header = header()
      if header == nil || header != known.header && header?.changes != known.ownChanges {
        known.header = header
        known.generation += 1
      }
      return known.generation
    }
  }

  /// Announces that the commit which follows is this process's.
  ///
  /// Called in the transaction, while nobody else can commit, and only where there
  /// is something to commit.
  func willCommit() {
    known.withLock { $0.ownChanges = header().map { $0.changes &+ 1 } }
  }

  /// Takes over the state that the announced commit has made, unless another has
  /// followed it, which the next look will find.
  ///
  /// - Parameter hasCommitted: Whether the commit was done.
  func didEndTransaction(hasCommitted: Bool) {
    known.withLock { known in
      if hasCommitted, let header = header(), header.changes == known.ownChanges {
        known.header = header
      }
      known.ownChanges = nil
    }
  }

  private func header() -> Header? {
    guard let page else { return nil }
    return Header(
      changes: page.load(fromByteOffset: 8, as: UInt32.self),
      frames: page.load(fromByteOffset: 16, as: UInt32.self),
      salt: page.load(fromByteOffset: 32, as: UInt64.self))
  }

  /// The version of the index's format that all SQLite 3 write.
  private static let formatVersion: UInt32 = 3_007_000
  /// The bytes of the index's first page.
  private static let pageBytes: Int32 = 32_768

  private static func firstPage(_ db: Database) -> UnsafeRawPointer? {
    var file: UnsafeMutablePointer<sqlite3_file>?
    guard
      sqlite3_file_control(db.sqliteConnection, nil, SQLITE_FCNTL_FILE_POINTER, &file)
        == SQLITE_OK,
      let file, let map = file.pointee.pMethods?.pointee.xShmMap
    else { return nil }
    var page: UnsafeMutableRawPointer?
    guard map(file, 0, pageBytes, 0, &page) == SQLITE_OK, let page,
      page.load(as: UInt32.self) == formatVersion
    else { return nil }
    return UnsafeRawPointer(page)
  }
}
