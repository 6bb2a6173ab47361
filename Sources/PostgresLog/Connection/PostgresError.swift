import LayoutCacheLibpq
import LayoutCluster

/// The reason why a statement or a connection failed.
struct PostgresError: Error, Hashable {
  enum Kind: Hashable {
    /// The address of the log cannot be parsed.
    case invalidAddress
    /// There was no connection; nothing was sent.
    case unsent
    /// All connections of this process were in use for too long; nothing was sent.
    case crowded
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
    (self.kind, self.state, self.message) = (kind, state, message)
  }

  /// Creates an error from a connection's last failure.
  init(_ kind: Kind, on handle: OpaquePointer?) {
    let text = handle.flatMap { PQerrorMessage($0) }.map { String(cString: $0) } ?? ""
    let line = text.split { $0.isNewline || $0 == "\t" }.joined(separator: "; ")
    self.init(kind, line.isEmpty ? "the connection was lost" : line)
  }

  /// Creates an error from a connection that could not be opened, and whose messages are verbose:
  /// the client library returns the server's code only as a part of the message, as in
  /// "FATAL:  28P01: password authentication failed".
  init(connecting handle: OpaquePointer?) {
    let text = PQerrorMessage(handle).map { String(cString: $0) } ?? ""
    let lines = text.split { $0.isNewline || $0 == "\t" }.filter { !$0.hasPrefix("LOCATION:") }
    let line = lines.joined(separator: "; ")
    if let code = line.firstMatch(of: #/:  ([0-9A-Z]{5}): /#) {
      self.init(
        .unsent, state: String(code.output.1),
        "\(line[..<code.range.lowerBound]): \(line[code.range.upperBound...])")
    } else {
      self.init(.unsent, line.isEmpty ? "there is no connection" : line)
    }
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

  /// States, or classes of states, of a server that does not admit this client: its role or
  /// password, the database, a permission.
  private static let misconfiguredStates: Set<String> = ["28", "3D000", "42501"]

  /// States, or classes of states, of a statement that waited too long for a lock, or was rolled
  /// back because of another session.
  private static let busyStates: Set<String> = [cancelled, "55P03", "40"]

  /// States, or classes of states, of a server or host that cannot execute statements now: it is
  /// starting, stopping or read-only, or lacks memory, space or connections. All others mean that
  /// this statement is rejected, and others would not be.
  private static let unavailableStates: Set<String> = ["08", "25006", "53", "57", "58"]

  private func isIn(_ states: Set<String>) -> Bool {
    states.contains(state) || states.contains(String(state.prefix(2)))
  }

  /// - Parameter isWrite: Whether the statement changes something.
  func failure(isWrite: Bool) -> SharedLogFailure {
    let text = state.isEmpty ? message : "\(message) (\(state))"
    switch kind {
    case .malformed: return .incompatible(text)
    case .invalidAddress: return .misconfigured(text)
    case .crowded: return .busy(text)
    case .unsent: return isIn(Self.misconfiguredStates) ? .misconfigured(text) : .unavailable(text)
    case .rejected:
      if isIn(Self.misconfiguredStates) { return .misconfigured(text) }
      if Self.foreignStates.contains(state) { return .incompatible(text) }
      if isIn(Self.busyStates) { return .busy(text) }
      return isIn(Self.unavailableStates) ? .unavailable(text) : .rejected(text)
    case .lost, .warned: return isWrite ? .unknown(text) : .unavailable(text)
    }
  }
}
