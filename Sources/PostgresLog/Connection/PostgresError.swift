import LayoutCacheLibpq
import LayoutCluster

/// Why a statement, or a connection, has failed.
struct PostgresError: Error, Hashable {
  enum Kind: Hashable {
    /// There is no connection: nothing was sent.
    case isUnsent
    /// The server has refused the statement, which has changed nothing; the connection goes on.
    case isRefused
    /// The connection was lost, or the server took too long, after the statement was sent.
    case isLost
    /// The server has carried the statement out, and has warned. It does so where a commit's
    /// wait for a standby was cancelled.
    case isWarned
    /// The server answers with something else than was asked for.
    case isMisfit
  }

  let kind: Kind
  /// PostgreSQL's code, such as "23505"; empty where it is not the server that has failed.
  ///
  /// Source: https://www.postgresql.org/docs/current/errcodes-appendix.html
  let state: String
  /// One sentence of the server's or the client library's. It quotes no values: those stand in
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
      isWarning ? .isWarned : isFinal ? .isLost : .isRefused, state: field("C") ?? "",
      field("M") ?? "the server has failed without a message")
  }

  static let duplicateKey = "23505"
  /// The cancellation of a statement, by its timeout or by somebody.
  static let cancelled = "57014"

  /// States in which something else is there than the log, or nothing: no such schema, table,
  /// column or function, another type.
  private static let foreignStates: Set<String> = ["3F000", "42P01", "42703", "42883", "42804"]

  /// - Parameter isWrite: Whether it was a statement that changes something.
  func failure(isWrite: Bool) -> SharedLogFailure {
    let text = state.isEmpty ? message : "\(message) (\(state))"
    switch kind {
    case .isMisfit: return .isForeign(text)
    case .isUnsent: return .isAway(text)
    case .isRefused:
      return Self.foreignStates.contains(state) ? .isForeign(text) : .isAway(text)
    case .isLost, .isWarned: return isWrite ? .isUnknown(text) : .isAway(text)
    }
  }
}
