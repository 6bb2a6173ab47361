import Dispatch
import LayoutCacheSQLite
import Synchronization

/// Checkpoints the write-ahead log into the file when it has grown long, on a separate thread and
/// connection.
///
/// By default SQLite checkpoints in the commit that finds the log long, on the same connection. A
/// thousand pages at random positions take 10 to 80 ms, including two syncs, for which that
/// commit and all other writers of the connection wait. Here no writer waits: writers continue to
/// append, and no lock that they need is held, not even during a sync.
///
/// A checkpoint runs whenever a number of new pages has accumulated. The log restarts with a commit
/// that finds all of it checkpointed and unread. So when the log has grown long, commits of many
/// pages wait for a checkpoint, and above a limit all commits do. This bounds the log's size.
final class WALCheckpointer: Sendable {
  /// SQLite's default.
  private static let duePages = 1000
  /// The log size at which commits of many pages wait.
  private static let overduePages = 4000
  private static let manyPages = 128
  /// The log size at which all commits wait.
  private static let limitPages = 16_000
  /// The log's length to which it is cut once it is no longer read, in bytes.
  static let limitBytes = limitPages * 4096
  /// The least interval of the attempts to cut the log, and the most that one waits, in seconds.
  private static let (cutInterval, cutSecondsMax) = (2.0, 2.0)

  private let queue = DispatchQueue(label: "layoutcache.log-mover", qos: .utility)
  /// Runs long reads side by side, and an attempt to cut the log between them.
  private let longReads = DispatchQueue(label: "layoutcache.long-reads", attributes: .concurrent)
  /// Opened on first use; used only on the queue.
  private let connection: SharedConnection
  /// The number of pages in the log after the last commit.
  private let pages = Atomic(0)
  private let pagesOfCommit = Atomic(0)
  /// The number of pages in the log at the last checkpoint.
  private let movedPages = Atomic(0)
  private let isUnderWay = Atomic(false)
  /// Whether an attempt to cut the log will follow; used only on the queue.
  private let isCutDue = Atomic(false)
  private let isClosed = Atomic(false)

  private let watch: FileWatch

  init(path: String, busyTimeout: Double, _ watch: FileWatch) {
    self.watch = watch
    connection = SharedConnection(path: path) {
      let connection = try Connection.open(
        path, .readWriteExisting, watch, busyTimeout: busyTimeout)
      try connection.readSchema()
      return connection
    }
  }

  /// Replaces SQLite's automatic checkpoints on the writing connection.
  ///
  /// - Parameter connection: A connection that is closed before the checkpointer is released.
  func takeOver(_ connection: Connection) throws {
    // A commit that starts the log again cuts it. SQLite otherwise leaves it at its peak.
    try connection.execute("PRAGMA journal_size_limit = \(Self.limitBytes)")
    // This replaces SQLite's own automatic checkpoint, which is such a hook.
    sqlite3_wal_hook(
      connection.handle,
      { mover, _, _, pages in
        if let mover {
          Unmanaged<WALCheckpointer>.fromOpaque(mover).takeUnretainedValue().note(Int(pages))
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

  /// Whether the last commit wrote so many pages that it may have to wait for a checkpoint.
  ///
  /// Read it right after the commit, before another commit can begin.
  var commitIsLarge: Bool { pagesOfCommit.load(ordering: .relaxed) >= Self.manyPages }

  /// Starts a checkpoint if the log was long after the last commit.
  ///
  /// - Parameter isLarge: The value of ``commitIsLarge`` after the commit.
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

  /// Runs a checkpoint, and waits for it.
  func moveAll() { queue.sync(execute: move) }

  /// Waits for a running checkpoint, and closes the connection.
  func close() throws {
    try queue.sync {
      isClosed.store(true, ordering: .relaxed)
      try connection.close()
    }
  }

  /// Runs a checkpoint. Like SQLite's automatic checkpoint, it reports neither failures nor pages
  /// held back by readers: these pages are still in the log, and the next commit tries again.
  private func move() {
    movedPages.store(pages.load(ordering: .relaxed), ordering: .relaxed)
    try? connection.use { db in
      // If the file was replaced, the log does not belong to the new file.
      if watch.replacement(db) != nil { return }
      var (length, moved): (Int32, Int32) = (0, 0)
      _ = sqlite3_wal_checkpoint_v2(db.handle, nil, SQLITE_CHECKPOINT_PASSIVE, &length, &moved)
      if length - moved >= Self.overduePages {
        // A log that readers hold back may fill the disk. It can still be moved if there is space
        // for the pages that only it has, and for some more; the rest is released then.
        var bytes = Int64(((try db.pragma("page_count") ?? 0) + Self.duePages) * 4096)
        sqlite3_file_control(db.handle, "main", SQLITE_FCNTL_SIZE_HINT, &bytes)
      }
    }
    cutLater()
  }

  /// Runs a read of seconds. Reads that begin while the log is to be cut wait for those before them:
  /// reads that overlap without a pause would hold the log for as long as they come.
  func readingLong<R>(_ body: () throws -> R) rethrows -> R { try longReads.sync(execute: body) }

  /// Cuts a log that reads have made longer than the limit, even if no commit follows, between two
  /// long reads. Short ones that overlap without a pause end only for an attempt that waits for them.
  /// Writers wait too, so the first is short, each waits longer than the last, and all take at most
  /// a tenth of the time.
  private func cutLater(waiting patience: Double = 0.02) {
    guard watch.sizes.log ?? 0 > Self.limitBytes, !isCutDue.load(ordering: .relaxed) else { return }
    isCutDue.store(true, ordering: .relaxed)
    longReads.asyncAfter(
      deadline: .now() + Self.cutInterval + 10 * patience, flags: .barrier
    ) { [weak self] in
      self?.cut(waiting: patience)
    }
  }

  private func cut(waiting patience: Double) {
    queue.sync {
      if isClosed.load(ordering: .relaxed) { return }
      isCutDue.store(false, ordering: .relaxed)
      try? connection.use { db in
        if watch.replacement(db) != nil { return }
        db.waiting(patience) {
          _ = sqlite3_wal_checkpoint_v2(db.handle, nil, SQLITE_CHECKPOINT_TRUNCATE, nil, nil)
        }
      }
      cutLater(waiting: min(4 * patience, Self.cutSecondsMax))
    }
  }
}
