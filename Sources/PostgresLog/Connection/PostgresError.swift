import LayoutCacheLibpq
import LayoutCluster

/// Why a statement, or a connection, has failed.
struct PostgresError: Error, Hashable {
  enum Kind: Hashable {
    /// There is no connection: nothing was sent.
    case unsent
    /// The server has refused the statement, which has changed nothing; the connection continues.
    case rejected
    /// The connection was lost, or the server took too long, after the statement was sent.
    case lost
    /// The server has carried the statement out, and has warned. It does so where a commit's
    /// wait for a standby was cancelled.
    case warned
    /// The server answers with something else than was asked for.
    case malformed
  }

  let kind: Kind
  /// PostgreSQL's code, such as "23505"; empty where it is not the server that has failed.
  ///
  /// Source: https://www.postgresql.org/docs/current/errcodes-appendix.html
  let state: String
  /// One sentence of the server's or the client library's. It quotes no values: those are in
  /// a message's detail, which is left out.
  let message: String

  init(_ kind: Kind, state: String = "", _ message: String) {
    self.kind = kind
    self.state = state
    self.message = message
  }

  /// What a connection says of its last failure.
  init(_ kind: Kind, on handle: OpaquePointer?) {
    let text = handle.flatMap { PQerrorMessage($0) }.map { String(cString: $0) } ?? ""
    let line = text.split(whereSeparator: \.isNewline).joined(separator: "; ")
    self.init(kind, line.isEmpty ? "the connection was lost" : line)
  }

  /// What a result says that is none of success.
  init(result: OpaquePointer, isWarning: Bool = false) {
    func field(_ code: Character) -> String? {
      PQresultErrorField(result, Int32(code.asciiValue ?? 0)).map { String(cString: $0) }
    }
    // Whoever sends FATAL or PANIC closes the connection, and may have committed before.
    let isFinal = field("V") != "ERROR"
    self.init(
      isWarning ? .warned : isFinal ? .lost : .rejected, state: field("C") ?? "",
      field("M") ?? "the server has failed without a message")
  }

  static let duplicateKey = "23505"
  /// The cancellation of a statement, by its timeout or by somebody.
  static let cancelled = "57014"

  /// States in which something else is there than the log, or nothing: no such schema, table,
  /// column or function, another type.
  private static let foreignStates: Set<String> = ["3F000", "42P01", "42703", "42883", "42804"]

  /// Classes of states in which the statement itself is wrong, and would be again: its values, a
  /// constraint, a missing permission. In others the server, or its host, cannot do it now.
  private static let rejectedClasses: Set<String> = ["22", "23", "42"]

  /// - Parameter isWrite: Whether it was a statement that changes something.
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
