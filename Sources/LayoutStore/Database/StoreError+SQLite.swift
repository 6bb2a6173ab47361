import LayoutCacheSQLite

extension StoreError {
  /// Runs `body`, and maps SQLite's errors to the store's.
  ///
  /// - Throws: ``StoreError`` for SQLite's errors and a wait for oneself; other errors of `body`.
  static func mapped<R>(
    path: String, busyTimeout: Double, _ body: () throws -> R
  ) throws -> R {
    do {
      return try body()
    } catch let error as SQLiteError {
      throw StoreError(error, path: path, busyTimeout: busyTimeout)
    } catch is SharedConnection.IsInUse {
      throw StoreError(.inUse, path: path)
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
