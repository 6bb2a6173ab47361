import Dispatch
import LayoutCacheSQLite
import Synchronization

/// Moves the pages of the write-ahead log into the file, where it has grown long, in a
/// thread and on its own connection.
///
/// SQLite does that in the commit that finds the log long, on the connection that has
/// committed. A thousand pages at random places take 10 to 80 ms, two syncs included, and
/// whoever happens to commit waits, and so do all who write through the same connection.
/// Here nobody does: writers continue appending in the meantime, and no lock is held that they
/// need, not for a sync either.
///
/// The log is moved whenever as many pages have come again. It starts again with a commit that
/// finds all of it moved, which those who write without a pause never do. So where it has grown
/// long those wait who have just written many pages, and in the end all who commit: the
/// file besides the database has bounds.
final class LogMover: Sendable {
  /// As in SQLite by default.
  private static let duePages = 1000
  /// Who has written many pages in one transaction waits.
  private static let overduePages = 4000
  private static let manyPages = 128
  /// All wait.
  private static let limitPages = 16_000

  private let queue = DispatchQueue(label: "layoutcache.log-mover", qos: .utility)
  /// Opened when it is first needed; used on the queue.
  private let connection: SharedConnection
  /// The pages in the log after the last commit.
  private let pages = Atomic(0)
  private let pagesOfCommit = Atomic(0)
  /// The pages that were in the log when it was last moved.
  private let movedPages = Atomic(0)
  private let isUnderWay = Atomic(false)

  private let watch: FileWatch

  init(path: String, busyTimeout: Double, _ watch: FileWatch) {
    self.watch = watch
    connection = SharedConnection {
      let connection = try Connection.open(
        path, .readWriteExisting, watch, busyTimeout: busyTimeout)
      try connection.readSchema()
      return connection
    }
  }

  /// Takes over what SQLite does on the connection that writes.
  ///
  /// - Parameter connection: It must go before the mover does.
  func takeOver(_ connection: Connection) {
    // In place of SQLite's own, which is such a hook.
    sqlite3_wal_hook(
      connection.handle,
      { mover, _, _, pages in
        if let mover {
          Unmanaged<LogMover>.fromOpaque(mover).takeUnretainedValue().note(Int(pages))
        }
        return SQLITE_OK
      }, Unmanaged.passUnretained(self).toOpaque())
  }

  private func note(_ pages: Int) {
    let before = self.pages.exchange(pages, ordering: .relaxed)
    let isNew = pages < before
    if isNew { movedPages.store(0, ordering: .relaxed) }
    pagesOfCommit.store(isNew ? pages : pages - before, ordering: .relaxed)
  }

  /// Whether the last commit has written so many pages that it may have to wait for them.
  ///
  /// Asked by who has committed, before anybody else can.
  var commitIsLarge: Bool { pagesOfCommit.load(ordering: .relaxed) >= Self.manyPages }

  /// Has the log moved where the last commit has found it long.
  ///
  /// - Parameter isLarge: What ``commitIsLarge`` has said.
  func moveIfDue(afterLarge isLarge: Bool) {
    let pages = pages.load(ordering: .relaxed)
    let waits = pages >= (isLarge ? Self.overduePages : Self.limitPages)
    guard waits || pages - movedPages.load(ordering: .relaxed) >= Self.duePages else { return }
    if !isUnderWay.exchange(true, ordering: .acquiringAndReleasing) {
      queue.async { [self] in
        move()
        isUnderWay.store(false, ordering: .releasing)
      }
    }
    if waits { queue.sync {} }
  }

  /// Moves what can be moved, and waits for that.
  func moveAll() { queue.sync(execute: move) }

  /// Waits for what is under way, and closes the connection.
  func close() throws {
    try queue.sync { try connection.close() }
  }

  /// Like SQLite's own it says nothing of failures, nor where readers hold pages back: all
  /// is in the log still, and the next commit tries again.
  private func move() {
    movedPages.store(pages.load(ordering: .relaxed), ordering: .relaxed)
    try? connection.use { db in
      // The log is not the one of a file that was put in place of the open one.
      if watch.replacement(db) != nil { return }
      _ = sqlite3_wal_checkpoint_v2(db.handle, nil, SQLITE_CHECKPOINT_PASSIVE, nil, nil)
    }
  }
}
