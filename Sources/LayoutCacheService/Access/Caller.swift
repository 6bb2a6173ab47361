import HTTPTypes

/// The authenticated caller of a request.
struct Caller: Sendable {
  /// The token's entry; `nil` for a request without a token.
  let entry: AccessTokens.Entry?

  /// The name for logs and for data owned by a caller; empty without a token.
  var name: String { entry?.name ?? "" }
  var hasToken: Bool { entry != nil }

  /// Authenticates a request by its header.
  ///
  /// - Throws: ``Problem`` with 401 for an unknown token, or a credential that is not a bearer
  ///   token.
  init(_ headers: HTTPFields, _ tokens: AccessTokens) throws {
    guard let value = headers[.authorization], !tokens.isEmpty else {
      entry = nil
      return
    }
    let words = value.split(separator: " ", omittingEmptySubsequences: true)
    guard words.count == 2, words[0].lowercased() == "bearer",
      let entry = tokens.entry(of: words[1])
    else { throw Problem(.invalidToken, "the Authorization header has no valid bearer token") }
    self.entry = entry
  }

  /// Checks that the caller may use a route.
  ///
  /// - Parameter dataset: The dataset that the route accesses, if any.
  /// - Throws: ``Problem``: 401 if a token is needed, 403 if this token is insufficient.
  func require(_ access: Access, dataset: String?, _ tokens: AccessTokens) throws {
    switch access {
    case .open: return
    case .read where !tokens.readingNeedsToken: return
    case .read, .write: if tokens.isEmpty { return }
    }
    guard let entry else {
      throw Problem(.tokenRequired, "send a token: Authorization: Bearer TOKEN")
    }
    if access == .write && entry.scope != .write {
      throw Problem(.forbidden, "token '\(entry.name)' is read-only")
    }
    if let dataset, !dataset.utf8.starts(with: entry.datasetPrefix.utf8) {
      throw Problem(
        .forbidden,
        "token '\(entry.name)' is limited to datasets with the prefix '\(entry.datasetPrefix)'")
    }
  }

  /// Whether the caller may use a route that accesses a dataset: `require` throws only if not.
  func may(_ access: Access, dataset: String, _ tokens: AccessTokens) -> Bool {
    (try? require(access, dataset: dataset, tokens)) != nil
  }

  /// Returns the prefix of the dataset names that the caller may list; `nil` if it may list
  /// none.
  func visiblePrefix(_ tokens: AccessTokens) -> String? {
    tokens.readingNeedsToken || entry != nil ? entry?.datasetPrefix : ""
  }
}

/// The access to data that a route needs.
enum Access: Sendable {
  /// No access to data.
  case open
  case read
  case write
}
