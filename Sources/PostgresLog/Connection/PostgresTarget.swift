import LayoutCacheLibpq

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// Where servers are: a URL of PostgreSQL's, or a connection string, with one host or more.
///
/// The hosts are tried one by one by ``PostgresPool``, and not by the client library, which
/// would begin with the first each time: while a deposed primary is alive it would never come to
/// the one after it.
struct PostgresTarget {
  /// The parameters of each host, without it.
  let hosts: [PostgresParameters]

  /// - Parameters:
  ///   - url: As PostgreSQL's client library reads it.
  ///   - statementTimeout: After how long the server gives up a statement, in seconds.
  /// - Throws: ``PostgresError`` with `isUnsent` where it can't be read. It does not quote it:
  ///   there may be a password in it.
  ///
  /// Source: https://www.postgresql.org/docs/current/libpq-connect.html
  init(url: String, statementTimeout: Double) throws {
    var given: [String: String] = [:]
    guard let options = PQconninfoParse(url, nil) else {
      throw PostgresError(.unsent, "that is no URL of PostgreSQL's")
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
    // Only a primary takes changes, and only its answers can be made sure of.
    common["target_session_attrs"] = "read-write"
    let lists = ["host", "hostaddr", "port"].map { name in
      (name: name, values: given[name].map(Self.list) ?? [])
    }
    hosts = (0..<max(lists[0].values.count, lists[1].values.count, 1)).map { index in
      var parameters = common
      // One port means all hosts.
      for (name, values) in lists where !values.isEmpty {
        parameters[name] = values[min(index, values.count - 1)]
      }
      return PostgresParameters(values: parameters)
    }
  }

  private static func list(_ text: String) -> [String] {
    text.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
  }

  /// A host that has gone without a word is noticed within some seconds.
  private static let defaults = [
    "fallback_application_name": "layoutcache", "keepalives": "1", "keepalives_idle": "5",
    "keepalives_interval": "2", "keepalives_count": "3", "tcp_user_timeout": "10000",
    "client_encoding": "UTF8",
  ]

  /// What the log counts on, whatever the database or the role is set to.
  private static func settings(_ statementTimeout: Double) -> [String] {
    [
      "synchronous_commit=on",
      "default_transaction_isolation=read\\ committed",
      "statement_timeout=\(Int(statementTimeout * 1000))",
      // Statements are few and of one kind: they are planned once.
      "plan_cache_mode=force_generic_plan", "jit=off",
      // Whoever warns during a commit is believed; what is less is not even sent.
      "client_min_messages=warning",
    ].map { "-c \($0)" }
  }
}

/// What a connection is made with.
struct PostgresParameters {
  let values: [String: String]

  /// Runs `body` with names and values as C texts, each array with a null pointer after the
  /// last.
  func withPointers<R>(
    _ body: (UnsafePointer<UnsafePointer<CChar>?>, UnsafePointer<UnsafePointer<CChar>?>) -> R
  ) -> R {
    let names = values.keys.map { strdup($0) } + [nil]
    let texts = values.values.map { strdup($0) } + [nil]
    defer { for text in names + texts { free(text) } }
    return body(names.map { UnsafePointer($0) }, texts.map { UnsafePointer($0) })
  }
}
