import GRDB

extension StoreError {
  /// Runs `body` with SQLite's errors as the store's own.
  ///
  /// - Throws: ``StoreError`` for those; what else `body` throws.
  static func mapped<R>(
    path: String, busyTimeout: Double, _ body: () throws -> R
  ) throws -> R {
    do {
      return try body()
    } catch let error as DatabaseError {
      throw StoreError(error, path: path, busyTimeout: busyTimeout)
    } catch let error as RowDecodingError {
      throw StoreError(.corrupt(detail: "\(error)"), path: path)
    }
  }

  /// Classifies an error of SQLite's, once.
  private init(_ error: DatabaseError, path: String, busyTimeout: Double) {
    let detail = error.message ?? error.resultCode.description
    let code: Code =
      switch error.resultCode {
      case .SQLITE_BUSY, .SQLITE_LOCKED: .busy(seconds: busyTimeout)
      case .SQLITE_READONLY, .SQLITE_PERM: .readOnly
      case .SQLITE_FULL: .diskFull
      case .SQLITE_CANTOPEN, .SQLITE_AUTH: .cannotOpen(detail: detail)
      case .SQLITE_NOTADB: .notADatabase(detail: detail)
      // Our statements are constant and tested: one that names no table or column has
      // met a damaged schema, one that breaks a constraint rows that contradict it.
      case .SQLITE_CORRUPT, .SQLITE_ERROR, .SQLITE_FORMAT, .SQLITE_MISMATCH, .SQLITE_CONSTRAINT:
        .corrupt(detail: detail)
      case .SQLITE_IOERR, .SQLITE_PROTOCOL, .SQLITE_NOLFS:
        .inputOutput(detail: "\(detail) (\(error.extendedResultCode.rawValue))")
      default: .unexpected(detail: "\(detail) (\(error.extendedResultCode.rawValue))")
      }
    self.init(code, path: path)
  }
}
