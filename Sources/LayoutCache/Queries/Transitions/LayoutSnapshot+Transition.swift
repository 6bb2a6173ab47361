import CollectionLayout
public import LayoutGeometry

extension LayoutSnapshot {
  /// Returns the transition from the elements visible in this snapshot to those visible in
  /// another one: of the same layout after changes, or of another layout of the dataset.
  ///
  ///     let before = try cache.read(phone) { $0 }
  ///     try cache.update("news", with: batch)
  ///     let transition = try cache.read(phone) { try before.transition(to: $0, in: rect) }
  ///
  /// Each snapshot is queried with its rectangle as the visible bounds: headers are pinned to
  /// it, and effects depend on it.
  ///
  /// - Parameters:
  ///   - later: The snapshot at the end of the transition.
  ///   - rect: The visible rectangle in this snapshot.
  ///   - laterRect: The visible rectangle in `later`; by default `rect`.
  ///   - limit: The maximum number of elements in each rectangle.
  /// - Throws: ``LayoutCacheError`` with `limit` for more elements; otherwise as
  ///   ``elements(in:visible:limit:)``.
  /// - Complexity: That of the two queries for elements, and O(log items) nodes for each element
  ///   that is visible in only one of them or is a custom element of a cell. It does not depend on
  ///   the size of the datasets or the number of changes. For a custom element of a section that is
  ///   visible in only one snapshot, all custom elements of the section are computed.
  public func transition(
    to later: LayoutSnapshot, in rect: Rect, becoming laterRect: Rect? = nil,
    limit: Int = .max
  ) throws -> LayoutTransition {
    let rect = rect.bounded
    var transition = LayoutTransition(from: rect, to: laterRect?.bounded ?? rect)
    let before = try whole(in: rect, limit, &transition.work)
    let after = try later.whole(in: transition.finalRect, limit, &transition.work)
    var initial: [ElementIdentity: LayoutAttributes] = [:]
    initial.reserveCapacity(before.count)
    for (identity, element) in before { initial[identity] = element }
    var appearing: [Identified] = []
    for (identity, element) in after {
      if let initial = initial.removeValue(forKey: identity) {
        transition.moving.append(LayoutTransition.Element(initial: initial, final: element))
      } else {
        appearing.append((identity, element))
      }
    }
    let disappearing = before.filter { initial[$0.identity] != nil }
    transition.appearing = try elsewhere(appearing, visible: rect, &transition.work) {
      element, initial in
      try LayoutTransition.Element(
        initial: initial
          ?? later.plan.initialAttributes(
            forAppearing: element, style: later.style(ofSection: element.indexPath.section),
            mainLength: later.mainLength),
        final: element, change: initial == nil ? .insert : .none)
    }
    transition.disappearing = try later.elsewhere(
      disappearing, visible: transition.finalRect, &transition.work
    ) { element, final in
      try LayoutTransition.Element(
        initial: element,
        final: final
          ?? plan.finalAttributes(
            forDisappearing: element, style: style(ofSection: element.indexPath.section),
            mainLength: mainLength),
        change: final == nil ? .delete : .none)
    }
    return transition
  }

  private typealias Identified = (identity: ElementIdentity, element: LayoutAttributes)

  /// Returns all elements of a rectangle.
  private func whole(
    in rect: Rect, _ limit: Int, _ work: inout QueryWork
  ) throws -> [Identified] {
    let page = try wholePage(in: rect, limit: limit)
    let found = try identities(of: page.elements)
    work = work + page.work + found.work
    return Array(zip(found.identities, page.elements))
  }

  /// Returns all elements of a rectangle.
  ///
  /// - Throws: ``LayoutCacheError`` with `limit` for more than `limit`.
  func wholePage(in rect: Rect, visible: Rect? = nil, limit: Int) throws -> ElementsPage {
    let page = try elements(in: rect, visible: visible, limit: limit)
    guard page.next == nil else {
      throw LayoutCacheError(
        .limit(
          LimitError(
            .tooLarge, "number of elements in the rectangle", limit: Double(limit),
            value: Double(limit + 1))))
    }
    return page
  }

  /// Looks up another snapshot's elements in this one, visible or not.
  private func elsewhere(
    _ elements: [Identified], visible: Rect, _ work: inout QueryWork,
    _ made: (_ element: LayoutAttributes, _ here: LayoutAttributes?) throws
      -> LayoutTransition.Element
  ) throws -> [LayoutTransition.Element] {
    if elements.isEmpty { return [] }
    let (found, cost) = try query { state in
      var lookup = ElementLookup(self, visible: visible, in: state)
      return try elements.map { try made($0.element, try lookup.element($0.identity)) }
    }
    work = work + cost
    return found
  }
}
