import LayoutCacheSQLite

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

// If the operating system fails to read (EIO), SQLite's statements report a corrupt database,
// since file system failures often accompany damage. Here the two are distinguished: damaged data
// is rebuilt or abandoned, while a failing disk may recover. The files store the error number of
// their last failure.
//
// Source: SQLite 3.34 and later: unixRead in src/os_unix.c, which returns SQLITE_IOERR_CORRUPTFS,
// and abort_due_to_error in src/vdbe.c, which turns it into SQLITE_CORRUPT;
// https://sqlite.org/c3ref/c_fcntl_begin_atomic_write.html (SQLITE_FCNTL_LAST_ERRNO).

extension Connection {
  /// Runs `body`. Read failures that SQLite reports as damage are thrown as SQLITE_IOERR.
  func reportingReadFailures<R>(_ body: () throws -> R) throws -> R {
    do {
      return try body()
    } catch let error as SQLiteError {
      throw told(error)
    }
  }

  /// Returns the error, or SQLITE_IOERR if it reports damage but the system failed to read.
  func told(_ error: SQLiteError) -> SQLiteError {
    switch error.code {
    case SQLITE_CORRUPT, SQLITE_IOERR: break
    default: return error
    }
    // Taken in both cases, so that the next error is not attributed to this failure.
    let failure = takeReadFailure()
    return error.code == SQLITE_CORRUPT ? failure ?? error : error
  }

  /// Returns and clears the system's last failure to read the database's file or its write-ahead
  /// log; `nil` without one.
  func takeReadFailure() -> SQLiteError? {
    let failures = [SQLITE_FCNTL_FILE_POINTER, SQLITE_FCNTL_JOURNAL_POINTER]
      .compactMap { file($0)?.takeReadFailure() }
    return failures.first.map {
      SQLiteError(Self.readFailed, message: String(cString: strerror($0)))
    }
  }

  /// SQLITE_IOERR_READ, which Swift does not import.
  static let readFailed = SQLITE_IOERR | 1 << 8

  func file(_ pointer: Int32) -> UnsafeMutablePointer<sqlite3_file>? {
    var file: UnsafeMutablePointer<sqlite3_file>?
    let code = sqlite3_file_control(handle, nil, pointer, &file)
    return code == SQLITE_OK ? file : nil
  }
}

extension UnsafeMutablePointer<sqlite3_file> {
  fileprivate func takeReadFailure() -> Int32? {
    // A file that is not open has no methods.
    guard let methods = pointee.pMethods?.pointee, let control = methods.xFileControl,
      let size = methods.xFileSize, let read = methods.xRead
    else { return nil }
    var number: Int32 = 0
    guard control(self, SQLITE_FCNTL_LAST_ERRNO, &number) == SQLITE_OK,
      // The error numbers that SQLite treats as a sign of damage.
      [EIO, ENXIO, ERANGE].contains(number)
    else { return nil }
    // Reading at the end of the file is no failure, and resets the error number.
    var end: sqlite3_int64 = 0
    var byte: UInt8 = 0
    if size(self, &end) == SQLITE_OK { _ = read(self, &byte, 1, end) }
    return number
  }
}
