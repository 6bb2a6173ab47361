import CollectionLayout
public import LayoutGeometry

extension LayoutSnapshot {
  /// How what is visible here becomes what is visible in another snapshot: of the same layout
  /// after changes, or of another layout of the dataset.
  ///
  ///     let before = try cache.read(phone) { $0 }
  ///     try cache.update("news", with: batch)
  ///     let transition = try cache.read(phone) { try before.transition(to: $0, in: rect) }
  ///
  /// What either snapshot shows in its rectangle, it shows with that rectangle as the visible
  /// bounds: headers are pinned to it, and effects act by it.
  ///
  /// - Parameters:
  ///   - later: Where the transition ends.
  ///   - rect: What is visible here.
  ///   - laterRect: What is visible there; `rect` where left out.
  ///   - limit: How many elements either rectangle may show.
  /// - Throws: ``LayoutCacheError`` with `limit` for more elements than that; else as
  ///   ``elements(in:visible:limit:)``.
  /// - Complexity: That of the two queries for elements, and O(log items) nodes for each
  ///   element that only one of them has, or that a custom kind has for a cell. The sizes of the
  ///   datasets, and how much has changed, are ignored; but where only one of them has an
  ///   element that a custom kind has for a section, all that it has for that are computed.
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
      LayoutTransition.Element(
        initial: initial
          ?? later.plan.initialAttributes(forAppearing: element, mainLength: later.mainLength),
        final: element, change: initial == nil ? .insert : .none)
    }
    transition.disappearing = try later.elsewhere(
      disappearing, visible: transition.finalRect, &transition.work
    ) { element, final in
      LayoutTransition.Element(
        initial: element,
        final: final
          ?? plan.finalAttributes(forDisappearing: element, mainLength: mainLength),
        change: final == nil ? .delete : .none)
    }
    return transition
  }

  private typealias Identified = (identity: ElementIdentity, element: LayoutAttributes)

  /// All elements of a rectangle.
  private func whole(
    in rect: Rect, _ limit: Int, _ work: inout QueryWork
  ) throws -> [Identified] {
    let page = try elements(in: rect, limit: limit)
    guard page.next == nil else {
      throw LayoutCacheError(
        .limit(
          LimitError(
            .tooLarge, "number of elements in the rectangle", limit: Double(limit),
            value: Double(limit + 1))))
    }
    let found = try identities(of: page.elements)
    work = work + page.work + found.work
    return Array(zip(found.identities, page.elements))
  }

  /// Looks for another snapshot's elements here, in sight or not.
  private func elsewhere(
    _ elements: [Identified], visible: Rect, _ work: inout QueryWork,
    _ made: (_ element: LayoutAttributes, _ here: LayoutAttributes?) -> LayoutTransition.Element
  ) throws -> [LayoutTransition.Element] {
    if elements.isEmpty { return [] }
    let (found, cost) = try query { state in
      var lookup = ElementLookup(self, visible: visible, in: state)
      return try elements.map { made($0.element, try lookup.element($0.identity)) }
    }
    work = work + cost
    return found
  }
}
