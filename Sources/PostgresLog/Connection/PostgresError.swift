import LayoutCacheLibpq
import LayoutCluster

/// The reason why a statement or a connection failed.
struct PostgresError: Error, Hashable {
  enum Kind: Hashable {
    /// There was no connection; nothing was sent.
    case unsent
    /// The server rejected the statement, which changed nothing. The connection remains usable.
    case rejected
    /// The connection was lost, or the server took too long, after the statement was sent.
    case lost
    /// The server executed the statement, and sent a warning, as it does if a commit's wait for a
    /// standby is cancelled.
    case warned
    /// The server sent an unexpected answer.
    case malformed
  }

  let kind: Kind
  /// PostgreSQL's error code, such as "23505"; empty if the error is not the server's.
  ///
  /// Source: https://www.postgresql.org/docs/current/errcodes-appendix.html
  let state: String
  /// The message of the server or of the client library, one sentence. It quotes no values: those
  /// are in a message's detail, which is omitted.
  let message: String

  init(_ kind: Kind, state: String = "", _ message: String) {
    self.kind = kind
    self.state = state
    self.message = message
  }

  /// Creates an error from a connection's last failure.
  init(_ kind: Kind, on handle: OpaquePointer?) {
    let text = handle.flatMap { PQerrorMessage($0) }.map { String(cString: $0) } ?? ""
    let line = text.split(whereSeparator: \.isNewline).joined(separator: "; ")
    self.init(kind, line.isEmpty ? "the connection was lost" : line)
  }

  /// Creates an error from a failed result or a notice.
  init(result: OpaquePointer, isWarning: Bool = false) {
    func field(_ code: Character) -> String? {
      PQresultErrorField(result, Int32(code.asciiValue ?? 0)).map { String(cString: $0) }
    }
    // After FATAL or PANIC the server closes the connection, and may have committed before.
    let isFinal = field("V") != "ERROR"
    self.init(
      isWarning ? .warned : isFinal ? .lost : .rejected, state: field("C") ?? "",
      field("M") ?? "the server failed without a message")
  }

  static let duplicateKey = "23505"
  /// The cancellation of a statement, by its timeout or on request.
  static let cancelled = "57014"

  /// States that mean that the database does not contain the log as expected: a missing schema,
  /// table, column or function, or another type.
  private static let foreignStates: Set<String> = ["3F000", "42P01", "42703", "42883", "42804"]

  /// Classes of states in which the statement itself is wrong, so that a retry would fail again:
  /// its values, a constraint, a missing permission. All other states mean that the server or its
  /// host cannot execute it now.
  private static let rejectedClasses: Set<String> = ["22", "23", "42"]

  /// - Parameter isWrite: Whether the statement changes something.
  func failure(isWrite: Bool) -> SharedLogFailure {
    let text = state.isEmpty ? message : "\(message) (\(state))"
    switch kind {
    case .malformed: return .incompatible(text)
    case .unsent: return .unavailable(text)
    case .rejected:
      if Self.foreignStates.contains(state) { return .incompatible(text) }
      return Self.rejectedClasses.contains(String(state.prefix(2)))
        ? .rejected(text) : .unavailable(text)
    case .lost, .warned: return isWrite ? .unknown(text) : .unavailable(text)
    }
  }
}
