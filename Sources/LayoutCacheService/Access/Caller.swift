import HTTPTypes
import LayoutCache
import LayoutGeometry

/// The authenticated caller of a request.
struct Caller: Sendable {
  /// The token's permissions; `nil` for a request without a token.
  let grant: Grant?

  /// The name for logs and for data owned by a caller; empty without a token.
  var name: String { grant?.name ?? "" }
  var hasToken: Bool { grant != nil }
  /// Whether the caller gets a part of each dataset in place of the whole.
  var isScoped: Bool { grant?.scope != nil }

  /// Authenticates a request by its header.
  ///
  /// - Throws: ``Problem`` with 401 for an unknown token, or a credential that is not a bearer
  ///   token.
  init(_ headers: HTTPFields, _ tokens: AccessTokens) throws {
    guard let value = headers[.authorization], !tokens.isEmpty else {
      grant = nil
      return
    }
    let words = value.split(separator: " ", omittingEmptySubsequences: true)
    guard words.count == 2, words[0].lowercased() == "bearer" else {
      throw Problem(.invalidToken, "the Authorization header has no bearer token")
    }
    grant = try tokens.grant(of: String(words[1]), at: WallClock.system.now() / 1000)
  }

  /// Checks that the caller may use a route.
  ///
  /// - Parameter dataset: The dataset that the route accesses, or a pattern of several, if any.
  /// - Throws: ``Problem``: 401 if a token is needed, 403 if this token is insufficient.
  func require(_ access: Access, dataset: String?, _ tokens: AccessTokens) throws {
    switch access {
    case .open: return
    case .read where !tokens.readingNeedsToken: return
    case .read, .measure, .write: if tokens.isEmpty { return }
    }
    guard let grant else {
      throw Problem(.tokenRequired, "send a token: Authorization: Bearer TOKEN")
    }
    let mayAccess =
      switch access {
      case .write: grant.may.contains(.write)
      // Of the file's tokens those that may write.
      case .measure: grant.may.contains(.write) || grant.isSigned && grant.may.contains(.measure)
      default: grant.may.contains(.read)
      }
    if !mayAccess {
      throw Problem(
        isScoped ? .outOfScope : .forbidden,
        "token '\(grant.name)' does not permit to \(access.verb)")
    }
    if let dataset, !grant.covers(dataset: dataset) {
      throw Problem(
        .forbidden,
        "token '\(grant.name)' is limited to the datasets \(grant.datasets.joined(separator: ", "))"
      )
    }
  }

  /// Checks that a signed token permits what a request asks for, apart from the dataset.
  ///
  /// - Throws: ``Problem`` with 403.
  func require(_ route: Route, _ path: [String: String], _ query: QueryItems) throws {
    guard let grant, grant.isSigned, route.access != .open else { return }
    func outOfScope(_ detail: String) -> Problem { Problem(.outOfScope, detail) }
    if isScoped, !route.isScoped {
      throw outOfScope("a token with 'where' or 'view' does not permit this route")
    }
    if route.takesView, !grant.may.contains(.query), query.has(.where) || query.has(.order) {
      throw outOfScope("the token does not permit 'where' and 'order'")
    }
    let layouts = route.layouts(in: path, query)
    for layout in layouts { try require(layout: layout) }
    if isScoped, layouts.isEmpty, grant.onlyLayout == nil {
      throw Problem(.badRequest, "'layout' is required, since the token permits several")
    }
  }

  /// Checks that the caller's token permits a layout, which a body may name.
  ///
  /// - Throws: ``Problem`` with 403.
  func require(layout: String) throws {
    if may(useLayout: layout) { return }
    throw Problem(.outOfScope, "the token does not permit layout '\(excerpt(layout))'")
  }

  /// Returns what the caller may see of a dataset's description.
  func visible(_ dataset: DatasetDescription) -> DatasetDescription {
    var own = dataset
    own.layouts.removeAll { !may(useLayout: $0) }
    return own
  }

  func may(useLayout layout: String) -> Bool { grant?.covers(layout: layout) ?? true }

  /// Whether the caller may use a route that accesses a dataset: `require` throws only if not.
  func may(_ access: Access, dataset: String, _ tokens: AccessTokens) -> Bool {
    (try? require(access, dataset: dataset, tokens)) != nil
  }

  /// Returns the prefix of the dataset names that the caller may list; `nil` if it may list none.
  func visiblePrefix(_ tokens: AccessTokens) -> String? {
    guard tokens.readingNeedsToken || grant != nil else { return "" }
    guard let datasets = grant?.datasets, datasets.count == 1, datasets[0].hasSuffix("*") else {
      return nil
    }
    return String(datasets[0].dropLast())
  }
}

/// The access to data that a route needs.
enum Access: Sendable {
  /// No access to data.
  case open
  case read
  /// The lengths of items that clients have measured.
  case measure
  case write

  fileprivate var verb: String {
    switch self {
    case .open, .read: "read"
    case .measure: "measure"
    case .write: "write"
    }
  }
}
