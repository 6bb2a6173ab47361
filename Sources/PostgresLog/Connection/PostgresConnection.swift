import LayoutCacheLibpq
import LayoutReplication

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// A connection to a server, through PostgreSQL's client library.
///
/// One thread at a time uses it, as ``PostgresPool`` ensures. Each statement is a separate
/// transaction. Calls block, but no longer than a deadline: a primary whose standby is unavailable
/// waits for it indefinitely, and cancelling that wait would commit without the standby.
///
/// Source: https://www.postgresql.org/docs/current/libpq-async.html
final class PostgresConnection: @unchecked Sendable {
  /// The key of the connection's row, which confirmed reads write.
  let name = [UInt8].randomName()
  private var handle: OpaquePointer?
  /// The names of the prepared statements by their SQL.
  private var statements: [String: String] = [:]
  private var warning: PostgresError?
  /// How long to wait for an answer, in seconds.
  private let deadline: Double
  /// Whether the connection is usable: no failure makes later answers doubtful.
  private(set) var isSound = true

  /// Creates a connection.
  ///
  /// - Throws: ``PostgresError`` with `unsent`.
  init(_ parameters: PostgresParameters, connectDeadline: Double, deadline: Double) throws {
    self.deadline = deadline
    handle = parameters.withPointers { PQconnectStartParams($0, $1, 0) }
    // Messages contain the server's code as long as there are no results with it.
    PQsetErrorVerbosity(handle, PQERRORS_VERBOSE)
    PQsetNoticeReceiver(
      handle,
      { receiver, result in
        guard let receiver, let result else { return }
        let connection = Unmanaged<PostgresConnection>.fromOpaque(receiver).takeUnretainedValue()
        connection.warning = PostgresError(result: result, isWarning: true)
      }, Unmanaged.passUnretained(self).toOpaque())
    let end = Self.now() + connectDeadline
    do {
      // As libpq documents, wait first until the socket is writable.
      var progress =
        PQstatus(handle) == CONNECTION_BAD ? PGRES_POLLING_FAILED : PGRES_POLLING_WRITING
      while progress != PGRES_POLLING_OK {
        if progress == PGRES_POLLING_FAILED { throw PostgresError(connecting: handle) }
        try wait(for: progress == PGRES_POLLING_READING ? POLLIN : POLLOUT, until: end)
        progress = PQconnectPoll(handle)
      }
      PQsetErrorVerbosity(handle, PQERRORS_DEFAULT)
      guard PQsetnonblocking(handle, 1) == 0 else { throw PostgresError(.unsent, on: handle) }
    } catch let error as PostgresError {
      close()
      throw PostgresError(.unsent, state: error.state, error.message)
    }
  }

  deinit { close() }

  func close() {
    PQfinish(handle)
    handle = nil
    isSound = false
  }

  /// Returns whether the idle connection is still open, without asking the server. Input on an
  /// idle connection is almost always a hang-up. The rare exceptions close the connection too.
  func isStillOpen() -> Bool {
    var look = pollfd(fd: PQsocket(handle), events: Int16(POLLIN), revents: 0)
    isSound = isSound && poll(&look, 1, 0) == 0
    return isSound
  }

  /// Runs a statement that changes nothing.
  ///
  /// - Parameter sql: A constant: one statement stays prepared per text.
  /// - Returns: The results of `body`, one per row.
  /// - Throws: ``PostgresError``; errors of `body`.
  func read<Value>(
    _ sql: String, _ values: [PostgresValue] = [], _ body: (PostgresRow) throws -> Value
  ) throws -> [Value] {
    let result = try run(sql, values)
    return try (0..<result.rowCount).map { try body(result.row($0)) }
  }

  /// Runs a statement that changes something; otherwise like ``read(_:_:_:)``.
  ///
  /// - Throws: ``PostgresError``, also `warned` if the server sent a warning: the statement was
  ///   executed, but may not be durable.
  func write<Value>(
    _ sql: String, _ values: [PostgresValue], _ body: (PostgresRow) throws -> Value
  ) throws -> [Value] {
    let result = try run(sql, values)
    if let warning { throw warning }
    return try (0..<result.rowCount).map { try body(result.row($0)) }
  }

  /// Runs a statement that changes something and returns no rows.
  ///
  /// - Returns: The number of rows written.
  @discardableResult
  func write(_ sql: String, _ values: [PostgresValue]) throws -> Int {
    let result = try run(sql, values)
    if let warning { throw warning }
    return result.writtenCount
  }

  /// Runs statements without parameters as one transaction.
  func execute(_ script: String) throws {
    _ = try exchange { PQsendQuery(handle, script) }
    if let warning { throw warning }
  }

  private func run(_ sql: String, _ values: [PostgresValue]) throws -> PostgresResult {
    let name = try statements[sql] ?? prepare(sql, values.map(\.type))
    var bytes: [UInt8] = []
    let ends = values.map { value in
      value.encode(into: &bytes)
      return bytes.count
    }
    // Ensures a non-null address for empty values; a null pointer would mean NULL.
    bytes.append(0)
    return try exchange {
      bytes.withUnsafeBytes { bytes in
        let starts = [0] + ends.dropLast()
        let pointers = zip(values, starts).map { value, start in
          value.isNull
            ? nil : bytes.baseAddress?.advanced(by: start).assumingMemoryBound(to: CChar.self)
        }
        let sizes = zip(starts, ends).map { Int32($1 - $0) }
        let formats = [Int32](repeating: 1, count: values.count)
        return PQsendQueryPrepared(handle, name, Int32(values.count), pointers, sizes, formats, 1)
      }
    }
  }

  private func prepare(_ sql: String, _ types: [UInt32]) throws -> String {
    let name = "s\(statements.count)"
    do {
      _ = try exchange { PQsendPrepare(handle, name, sql, Int32(types.count), types) }
    } catch let error as PostgresError where error.kind == .lost {
      // The statement itself has not been sent.
      throw PostgresError(.unsent, state: error.state, error.message)
    }
    statements[sql] = name
    return name
  }

  /// Sends a request, and waits for the answer.
  ///
  /// - Returns: The last result.
  private func exchange(_ send: () -> Int32) throws -> PostgresResult {
    guard isSound else { throw PostgresError(.unsent, "the connection was already lost") }
    // Unsound until the answer is complete.
    isSound = false
    warning = nil
    let end = Self.now() + deadline
    guard send() == 1 else { throw PostgresError(.lost, on: handle) }
    try flush(until: end)
    var last: PostgresResult?
    var failure: PostgresError?
    while let next = try nextResult(until: end) {
      let result = PostgresResult(owning: next)
      failure = failure ?? result.error
      last = consume result
    }
    isSound = PQstatus(handle) == CONNECTION_OK && PQtransactionStatus(handle) == PQTRANS_IDLE
    if let failure {
      // After a warning, the server may have committed before it failed.
      if failure.kind == .rejected, let warning { throw warning }
      throw failure
    }
    guard let result = consume last else {
      throw PostgresError(.malformed, "the server sent no result")
    }
    return result
  }

  private func flush(until end: Double) throws {
    while true {
      switch PQflush(handle) {
      case 0: return
      case 1:
        // The server may have to send data before it continues to read.
        let ready = try wait(for: POLLIN | POLLOUT, until: end)
        if ready & Int16(POLLIN) != 0, PQconsumeInput(handle) == 0 {
          throw PostgresError(.lost, on: handle)
        }
      default: throw PostgresError(.lost, on: handle)
      }
    }
  }

  private func nextResult(until end: Double) throws -> OpaquePointer? {
    while PQisBusy(handle) == 1 {
      try wait(for: POLLIN, until: end)
      if PQconsumeInput(handle) == 0 { throw PostgresError(.lost, on: handle) }
    }
    return PQgetResult(handle)
  }

  /// Waits until the socket is ready.
  ///
  /// - Throws: ``PostgresError`` with `lost` at the deadline.
  @discardableResult
  private func wait(for events: Int32, until end: Double) throws -> Int16 {
    while true {
      var look = pollfd(fd: PQsocket(handle), events: Int16(events), revents: 0)
      let left = Int32(((end - Self.now()) * 1000).rounded(.up))
      let count = left <= 0 ? 0 : poll(&look, 1, left)
      if count > 0 { return look.revents }
      // A signal interrupted the call.
      if count < 0 && errno == EINTR { continue }
      throw PostgresError(.lost, "the server did not answer in time")
    }
  }

  /// The time of a monotonic clock, in seconds.
  private static func now() -> Double {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
  }
}
