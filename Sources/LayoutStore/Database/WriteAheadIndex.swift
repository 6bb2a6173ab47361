import LayoutCacheSQLite

/// Tells whether another connection has committed, without asking SQLite: the
/// header of the write-ahead log's index, which every commit changes, is in
/// memory that all processes share.
///
/// A `PRAGMA data_version` takes some 2 µs, a transaction around it included, as
/// long as a query for a rectangle; this takes some nanoseconds.
///
/// The memory is the one that SQLite's own connection has mapped, asked for
/// through the VFS, and only read. Where it can't be had, every look is taken to
/// show a change, which is slow and right.
///
/// A plain value: its owner sees to it that one thread at a time uses it.
///
/// Source: https://sqlite.org/walformat.html, section 2.1 (the header's fields);
/// https://sqlite.org/c3ref/io_methods.html (`xShmMap`).
struct WriteAheadIndex: Sendable {
  /// The identity of a committed state: the count of commits since the index was
  /// made, the frames in the log, and the salt that a log started again gets. The
  /// last two alone differ between any two states; the first tells one commit from
  /// several.
  private struct Header: Equatable {
    var changes: UInt32
    var frames: UInt32
    var salt: UInt64
  }

  /// The state that is known to hold no commits but ours.
  private var known: Header?
  /// The count of commits once the one under way here is done.
  private var ownChanges: UInt32?
  /// Rises with every look that finds another's commit.
  private var rises = 0
  /// The index's first page; alive as long as the connection. Pointers are not Sendable;
  /// through this one is only read, by one thread at a time.
  private nonisolated(unsafe) var page: UnsafeRawPointer?

  /// - Parameter connection: A connection in WAL mode that stays open until ``forgetPage()``,
  ///   or for as long as the value is used.
  init(_ connection: Connection) {
    page = Self.firstPage(connection)
  }

  /// Looks at the page no more: the connection is about to be closed. Every look is
  /// then taken to show a change.
  mutating func forgetPage() { page = nil }

  /// A number that rises when another connection has committed since the last
  /// look.
  mutating func generation() -> Int {
    let header = header()
    if header == nil || header != known && header?.changes != ownChanges {
      known = header
      rises += 1
    }
    return rises
  }

  /// Announces that the commit which follows is this process's.
  ///
  /// Called in the transaction, while nobody else can commit, and only where there
  /// is something to commit.
  mutating func willCommit() {
    // What others have committed since the last look would be taken for ours.
    _ = generation()
    ownChanges = header().map { $0.changes &+ 1 }
  }

  /// Takes over the state that the announced commit has made, unless another has
  /// followed it, which the next look will find.
  ///
  /// - Parameter hasCommitted: Whether the commit was done.
  mutating func didEndTransaction(hasCommitted: Bool) {
    if hasCommitted, let header = header(), header.changes == ownChanges { known = header }
    ownChanges = nil
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

  private static func firstPage(_ connection: Connection) -> UnsafeRawPointer? {
    var file: UnsafeMutablePointer<sqlite3_file>?
    guard
      sqlite3_file_control(connection.handle, nil, SQLITE_FCNTL_FILE_POINTER, &file)
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
