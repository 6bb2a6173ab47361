import HTTPTypes

/// Who asks, as far as the service knows.
struct Caller: Sendable {
  /// The token's entry; `nil` for one without a token.
  let entry: AccessTokens.Entry?

  /// A name for logs and for what belongs to a caller; nobody without a token.
  var name: String { entry?.name ?? "" }
  var hasToken: Bool { entry != nil }

  /// Reads who asks from a request's header.
  ///
  /// - Throws: ``Problem`` with 401 for a token that the service does not know, or one
  ///   that is no bearer token.
  init(_ headers: HTTPFields, _ tokens: AccessTokens) throws {
    guard let value = headers[.authorization], !tokens.isEmpty else {
      entry = nil
      return
    }
    let words = value.split(separator: " ", omittingEmptySubsequences: true)
    guard words.count == 2, words[0].lowercased() == "bearer",
      let entry = tokens.entry(of: words[1])
    else { throw Problem(.unknownToken, "the Authorization header has no token of this service") }
    self.entry = entry
  }

  /// Checks that the caller may do what a route does.
  ///
  /// - Parameter dataset: The dataset that it is done with, if it is one.
  /// - Throws: ``Problem``: 401 where a token is needed, 403 where this one does not do.
  func require(_ access: Access, dataset: String?, _ tokens: AccessTokens) throws {
    switch access {
    case .open: return
    case .read where !tokens.readingNeedsToken: return
    case .read, .write: if tokens.isEmpty { return }
    }
    guard let entry else {
      throw Problem(.tokenNeeded, "send a token: Authorization: Bearer TOKEN")
    }
    if access == .write && entry.scope != .write {
      throw Problem(.notAllowed, "token '\(entry.name)' may only read")
    }
    if let dataset, !dataset.utf8.starts(with: entry.datasetPrefix.utf8) {
      throw Problem(
        .notAllowed,
        "token '\(entry.name)' is for datasets whose names begin with '\(entry.datasetPrefix)'")
    }
  }

  /// The prefix of the names of the datasets that the caller sees in a list; `nil` where it sees
  /// none.
  func visiblePrefix(_ tokens: AccessTokens) -> String? {
    tokens.readingNeedsToken || entry != nil ? entry?.datasetPrefix : ""
  }
}

/// What a route does with the data.
enum Access: Sendable {
  /// Nothing.
  case open
  case read
  case write
}
