package import LayoutCache
package import LayoutGeometry

/// The parameters of a query for elements, as options of the shell or in the query of a URL, and
/// the rules by which they combine.
package struct ElementsRequest {
  /// The name of a parameter.
  package enum Parameter: String, Sendable {
    case rect, visible, asLaidOut, limit, from, count, backward, after, since, data, at, explain
    case offset, key, point, anchor, direction
  }

  package var rects: [Rect] = []
  package var visible: Rect?
  package var asLaidOut = false
  /// The maximum number of elements.
  package var limit: Int?
  /// The first item of a run: a key, or `SECTION.ITEM`.
  package var from: String?
  /// The number of items in a run.
  package var count: Int?
  /// Whether a run extends backward; `nil` if not stated.
  package var backward: Bool?
  package var after: Continuation?
  package var since: Int?
  /// The scroll positions of carousels; `nil` if none are stated.
  package var offsets: CarouselOffsets?
  /// The layout direction of the request; `nil` if not stated.
  package var direction: LayoutConfiguration.LayoutDirection?
  /// Other parameters that the request states. They do not select elements of a query; `key` and
  /// `point` each select one element instead.
  package var others: Set<Parameter> = []

  package init() {}

  /// Returns the queries for the elements of one snapshot: several for several rectangles.
  ///
  /// - Parameter limitMax: The maximum number of elements of an answer, and the default.
  /// - Returns: None for a request of the changes since a revision, or of one element.
  /// - Throws: ``Conflict``.
  package func queries(limitMax: Int = .max) throws(Conflict) -> [ElementsQuery] {
    if since != nil || !others.isDisjoint(with: [.key, .point]) {
      for (selector, others) in Self.selectors where stated.contains(selector) {
        try require(selector, without: stated.subtracting(others).subtracting([selector]))
        return []
      }
    }
    if others.contains(.anchor) { throw .needs(.anchor, .key) }
    if asLaidOut { try require(.asLaidOut, without: [.visible, .from]) }
    if let after { return [try query(after, limitMax)] }
    if let from {
      try require(.from, without: [.rect, .visible, .limit])
      return [.items(from: .text(from), count: count ?? limitMax, backward: backward ?? false)]
    }
    if count != nil { throw .needs(.count, .from) }
    if backward != nil { throw .needs(.backward, .from) }
    if rects.isEmpty { throw .isEmpty }
    let limit = limit ?? limitMax
    return rects.map {
      asLaidOut ? .asLaidOut($0, limit: limit) : .rect($0, visible: visible, limit: limit)
    }
  }

  /// The parameters that select something else than elements, with those that they combine with.
  private static let selectors: [(Parameter, with: Set<Parameter>)] = [
    (.since, [.rect, .direction]), (.key, [.anchor, .offset, .direction]),
    (.point, [.visible, .offset, .direction]),
  ]

  /// Returns the continuation of an answer. The token determines the query; parameters next to
  /// it must agree with it.
  private func query(_ after: Continuation, _ limitMax: Int) throws(Conflict) -> ElementsQuery {
    try require(.after, without: [.from, .backward])
    if limit != nil { try require(.limit, without: [.count]) }
    if let rect = rects.first {
      guard rects.count == 1, after.continues(queryFor: rect, visible: visible) else {
        throw .otherQuery(.rect)
      }
    } else if visible != nil {
      throw .needs(.visible, .rect)
    }
    if let offsets, !after.continues(queryAt: offsets) { throw .otherQuery(.offset) }
    if let direction, direction != after.layoutDirection { throw .otherQuery(.direction) }
    if asLaidOut, !after.isAsLaidOut { throw .otherQuery(.asLaidOut) }
    // A token from a service with a higher limit may belong to a longer answer.
    return .after(after, limit: limit ?? count ?? after.limit(upTo: limitMax))
  }

  private var stated: Set<Parameter> {
    var stated = others
    if !rects.isEmpty { stated.insert(.rect) }
    if asLaidOut { stated.insert(.asLaidOut) }
    for (parameter, isStated) in [
      (Parameter.visible, visible != nil), (.limit, limit != nil), (.from, from != nil),
      (.count, count != nil), (.backward, backward != nil), (.after, after != nil),
      (.since, since != nil), (.offset, offsets != nil), (.direction, direction != nil),
    ] where isStated {
      stated.insert(parameter)
    }
    return stated
  }

  private func require(
    _ parameter: Parameter, without others: Set<Parameter>
  ) throws(Conflict) {
    let conflicting = stated.intersection(others)
    if let other = conflicting.min(by: { $0.rawValue < $1.rawValue }) {
      throw .cannotCombine(parameter, other)
    }
  }

  /// The reason why parameters do not combine.
  package enum Conflict: Error, Hashable, Sendable {
    case cannotCombine(Parameter, Parameter)
    /// A parameter without the one that it needs.
    case needs(Parameter, Parameter)
    /// No parameter selects elements.
    case isEmpty
    /// A parameter contradicts the token of `after`.
    case otherQuery(Parameter)

    /// Returns the reason in one sentence.
    ///
    /// - Parameter name: Returns a parameter as the caller writes it, such as `--as-laid-out`.
    package func description(_ name: (Parameter) -> String) -> String {
      switch self {
      case .cannotCombine(let one, let other):
        "\(name(one)) cannot be combined with \(name(other))"
      case .needs(let one, let other): "\(name(one)) needs \(name(other))"
      case .isEmpty: "\(name(.rect)), \(name(.from)), \(name(.after)) or \(name(.since)) is needed"
      case .otherQuery(let parameter):
        "the token of \(name(.after)) is for another query than \(name(parameter)); omit it"
      }
    }
  }
}
