import LayoutCacheSQLite
package import SumTree

/// An error of the database's file.
package struct StoreError: Error, Hashable, Sendable {
  package enum Code: Hashable, Sendable {
    /// There is no file at the path, and none may be created.
    case noSuchFile
    /// A file exists at the path of a new file.
    case exists
    /// The file can't be opened: a directory, a missing folder, no permission.
    case cannotOpen(detail: String)
    /// The file is not an SQLite database, or belongs to another program.
    case notADatabase(detail: String)
    /// A newer version wrote the file.
    case newerVersion(found: Int, known: Int)
    /// The schema is that of a version before the first release.
    case unreleasedVersion
    /// SQLite, a row or a blob is damaged.
    case corrupt(detail: String)
    /// A node is damaged: its checksum or its content is wrong.
    case corruptNode(NodeID, detail: String)
    case missingNode(NodeID)
    /// Another process held the database for longer than the busy timeout.
    case busy(seconds: Double)
    /// A process has the database open that is to be replaced.
    case isOpen
    /// The file or its folder can't be written.
    case readOnly
    case diskFull
    /// The operating system failed to read or write.
    case inputOutput(detail: String)
    /// The open file is no longer the one at the path.
    case replaced(Replacement)
    /// The store has been closed, or is being closed.
    case closed
    /// The call would wait for the call on the store that it is made from.
    case inUse
    /// SQLite rejected a statement: a bug.
    case unexpected(detail: String)
  }

  /// The ways in which an open file can be replaced.
  package enum Replacement: Hashable, Sendable {
    /// There is no file at the path: it was deleted or moved.
    case removed
    /// Another file is at the path.
    case replaced
    /// Another database was copied into the file.
    case overwritten
    /// The file's write-ahead log was deleted or replaced.
    case withoutLog
    /// A file that can only be read was changed by another process.
    case changed

    package var description: String {
      switch self {
      case .removed: "the file was removed or moved"
      case .replaced: "another file has replaced it"
      case .overwritten: "another database was copied over it"
      case .withoutLog: "its write-ahead log (-wal) was removed or replaced"
      case .changed: "another process has changed it"
      }
    }
  }

  package var code: Code
  /// The database's file.
  package var path: String
  /// Whether a failed commit may have been written: other connections do not see it, but unless a
  /// later commit overwrites it, one that reopens the file may.
  package var mayBeStored = false

  package init(_ code: Code, path: String) {
    self.code = code
    self.path = path
  }
}

extension StoreError: CustomStringConvertible {
  package var description: String {
    switch code {
    case .noSuchFile: "no database at \(path)"
    case .exists: "\(path) already exists; choose another path"
    case .cannotOpen(let detail): "cannot open \(path): \(detail)"
    case .notADatabase(let detail): "\(path) is not a LayoutCache database: \(detail)"
    case .newerVersion(let found, let known):
      """
      \(path) has schema version \(found); this program supports versions up to \(known); \
      use a newer program
      """
    case .unreleasedVersion:
      """
      \(path) was written by an unreleased version; export it with that version, then import
      """
    case .corrupt(let detail): "\(path) is damaged: \(detail)"
    case .corruptNode(let id, let detail): "\(path) is damaged: node \(id.rawValue) \(detail)"
    case .missingNode(let id): "\(path) is damaged: node \(id.rawValue) is missing"
    case .busy(let seconds):
      "\(path) has been locked by another process for \(seconds) seconds; try again"
    case .isOpen: "\(path) is open in a process; end it, or close the database, first"
    case .readOnly: "\(path) cannot be written: the file or its folder is read-only"
    case .diskFull: "\(path) cannot grow: the disk is full"
    case .inputOutput(let detail):
      "\(path) cannot be read or written: \(detail)"
        + (mayBeStored
          ? "; open the file again to learn whether the change was stored" : "")
    case .replaced(let replacement) where mayBeStored:
      "while the change was committed to \(path), \(replacement.description)"
    case .replaced(let replacement):
      "\(path) is not the database that was opened: \(replacement.description); open it again"
    case .closed: "\(path) has been closed; open it again"
    case .inUse:
      "\(path) is in use by the call that this one is made from; make it after that call"
    case .unexpected(let detail): "unexpected failure on \(path): \(detail)"
    }
  }
}

extension StoreError {
  /// Runs `body`, and maps SQLite's errors to the store's.
  ///
  /// - Throws: ``StoreError`` for SQLite's errors; other errors of `body`.
  static func mapped<R>(
    path: String, busyTimeout: Double, _ body: () throws -> R
  ) throws -> R {
    do {
      return try body()
    } catch let error as SQLiteError {
      throw StoreError(error, path: path, busyTimeout: busyTimeout)
    }
  }

  /// Creates an error from one of SQLite's.
  fileprivate init(_ error: SQLiteError, path: String, busyTimeout: Double) {
    let detail = error.message
    let statement = error.sql.map { ", in \"\($0)\"" } ?? ""
    let code: Code =
      switch error.code {
      case SQLITE_BUSY, SQLITE_LOCKED: .busy(seconds: busyTimeout)
      case SQLITE_READONLY, SQLITE_PERM: .readOnly
      case SQLITE_FULL: .diskFull
      // SQLITE_IOERR_SHMSIZE: there is no space for the index of the write-ahead log.
      case SQLITE_IOERR where error.extendedCode == SQLITE_IOERR | 19 << 8: .diskFull
      case SQLITE_CANTOPEN, SQLITE_AUTH: .cannotOpen(detail: detail)
      case SQLITE_NOTADB: .notADatabase(detail: detail)
      // Our statements are constant and tested. A missing table or column therefore means a
      // damaged schema, and a violated constraint means contradictory rows.
      case SQLITE_CORRUPT, SQLITE_ERROR, SQLITE_FORMAT, SQLITE_MISMATCH, SQLITE_CONSTRAINT:
        .corrupt(detail: "\(detail) (\(error.extendedCode))\(statement)")
      case SQLITE_IOERR, SQLITE_PROTOCOL, SQLITE_NOLFS:
        .inputOutput(detail: "\(detail) (\(error.extendedCode))")
      default:
        .unexpected(detail: "\(detail) (\(error.extendedCode))\(statement)")
      }
    self.init(code, path: path)
    mayBeStored = error.isOfCommit && error.code == SQLITE_IOERR
  }
}

extension StoreReader {
  /// Returns the failure of the system or of another process that a read error reports, as
  /// opposed to damaged content.
  ///
  /// - Returns: `nil` for an error that may be damage.
  package func environmentFailure(_ error: any Error) -> StoreError? {
    let failure: StoreError
    switch error {
    case let error as StoreError: failure = error
    case let error as SQLiteError:
      failure = StoreError(db.told(error), path: path, busyTimeout: 0)
    default: return nil
    }
    switch failure.code {
    case .inputOutput, .busy, .readOnly, .diskFull, .cannotOpen, .closed, .replaced:
      return failure
    default: return nil
    }
  }
}
