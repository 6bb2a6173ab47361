import LayoutCacheLibpq

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// The servers of a PostgreSQL URL or connection string, with one or more hosts.
///
/// ``PostgresPool`` tries the hosts one by one. The client library would start with the first
/// host each time, and so never reach the next while a deposed primary is alive.
struct PostgresTarget {
  let hosts: [PostgresParameters]

  /// - Parameters:
  ///   - url: A URL or connection string, in the syntax of PostgreSQL's client library.
  ///   - statementTimeout: The time after which the server cancels a statement, in seconds.
  /// - Throws: ``PostgresError`` with `invalidAddress` if `url` cannot be parsed. The message does not
  ///   quote it, since it may contain a password.
  ///
  /// Source: https://www.postgresql.org/docs/current/libpq-connect.html
  init(url: String, statementTimeout: Double) throws {
    var given: [String: String] = [:]
    guard let options = PQconninfoParse(url, nil) else {
      throw PostgresError(.invalidAddress, "not a valid PostgreSQL URL")
    }
    defer { PQconninfoFree(options) }
    var option = options
    while let keyword = option.pointee.keyword {
      if let value = option.pointee.val {
        given[String(cString: keyword)] = String(cString: value)
      }
      option += 1
    }
    var common = Self.defaults.merging(given) { $1 }
    common["options"] = ([given["options"]].compactMap { $0 } + Self.settings(statementTimeout))
      .joined(separator: " ")
    // Only a primary accepts changes, and only a primary's answers can be confirmed.
    common["target_session_attrs"] = "read-write"
    let lists = ["host", "hostaddr", "port"].map { name in
      (name: name, values: given[name].map(Self.list) ?? [])
    }
    hosts = (0..<max(lists[0].values.count, lists[1].values.count, 1)).map { index in
      var parameters = common
      // A single port applies to all hosts.
      for (name, values) in lists where !values.isEmpty {
        parameters[name] = values[min(index, values.count - 1)]
      }
      return PostgresParameters(values: parameters)
    }
  }

  private static func list(_ text: String) -> [String] {
    text.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
  }

  /// Defaults that detect a silently lost host within some seconds.
  private static let defaults = [
    "fallback_application_name": "layoutcache", "keepalives": "1", "keepalives_idle": "5",
    "keepalives_interval": "2", "keepalives_count": "3", "tcp_user_timeout": "10000",
    "client_encoding": "UTF8",
  ]

  /// Returns the settings that the log depends on, overriding those of the database and the role.
  private static func settings(_ statementTimeout: Double) -> [String] {
    [
      "synchronous_commit=on",
      "default_transaction_isolation=read\\ committed",
      "statement_timeout=\(Int(statementTimeout * 1000))",
      // There are few statements, and one generic plan suits all values.
      "plan_cache_mode=force_generic_plan", "jit=off",
      // A warning during a commit matters; lower levels are not sent at all.
      "client_min_messages=warning",
    ].map { "-c \($0)" }
  }
}

/// The parameters of a connection.
struct PostgresParameters {
  let values: [String: String]

  /// Runs `body` with the names and values as C strings, in null-terminated arrays.
  func withPointers<R>(
    _ body: (UnsafePointer<UnsafePointer<CChar>?>, UnsafePointer<UnsafePointer<CChar>?>) -> R
  ) -> R {
    let names = values.keys.map { strdup($0) } + [nil]
    let texts = values.values.map { strdup($0) } + [nil]
    defer { for text in names + texts { free(text) } }
    return body(names.map { UnsafePointer($0) }, texts.map { UnsafePointer($0) })
  }
}
