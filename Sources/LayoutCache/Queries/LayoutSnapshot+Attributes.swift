public import CollectionLayout
public import LayoutGeometry
import LayoutStore
import SumTree

/// The extent of a laid out section, for example for a scrubber.
public struct SectionExtent: Hashable, Sendable {
  public var key: String
  /// The index of the section's first item in the dataset.
  public var firstItem: Int
  public var itemCount: Int
  /// The section's start along the scrolling axis, from the content's leading edge.
  public var start: Length
  public var length: Length
  /// The name of the section's style; `nil` for none.
  public var style: String?
  /// The range and the position of a section that scrolls independently.
  public var carousel: CarouselExtent?
}

extension LayoutSnapshot {
  /// Returns the index path of the item with a key.
  ///
  /// - Returns: `nil` if the dataset has no such item.
  /// - Throws: ``LayoutCacheError``: `limit` for an invalid key, `database`.
  /// - Complexity: O(log items) nodes.
  public func indexPath(ofKey key: String) throws -> LayoutAttributes.IndexPath? {
    try query { try indexPath(ofKey: key, in: $0.session) }.result
  }

  /// Returns the attributes of the item with a key.
  ///
  /// - Returns: `nil` if the dataset has no such item.
  /// - Throws: ``LayoutCacheError``: `limit` for an invalid key, `database`.
  /// - Complexity: O(log items) nodes.
  public func attributes(forKey key: String) throws -> LayoutAttributes? {
    try query { try attributes(forKey: key, in: $0) }.result
  }

  /// As ``attributes(forKey:)``, within a query.
  private func attributes(forKey key: String, in state: QueryState) throws -> LayoutAttributes? {
    guard let path = try indexPath(ofKey: key, in: state.session) else { return nil }
    return try attributes(at: path, in: state)
  }

  /// As ``attributes(forKey:)``, with a session.
  func attributes(forKey key: String, in session: TreeSession) throws -> LayoutAttributes? {
    try attributes(forKey: key, in: QueryState(session))
  }

  /// Returns the attributes of the item at an index path.
  ///
  /// - Returns: `nil` if the dataset has no such item.
  /// - Complexity: O(log items) nodes.
  public func attributes(at path: LayoutAttributes.IndexPath) throws -> LayoutAttributes? {
    try query { try attributes(at: path, in: $0) }.result
  }

  /// Returns the laid out length of an item along the scrolling axis, and whether a client has
  /// measured it.
  ///
  /// - Returns: `nil` if there is no such item, or its section takes no measured lengths.
  /// - Complexity: O(log items) nodes.
  package func length(ofItem key: String) throws -> (laidOut: Length, isMeasured: Bool)? {
    try query { state in
      guard let attributes = try attributes(forKey: key, in: state),
        let (leaf, _, index) = try trees.item(ofKey: key, in: state.session),
        case let style = try style(ofSection: attributes.indexPath.section, in: state.session),
        plan.section(attributes.sectionKey, style: style).kind.takesPreferredLengths
      else { return nil }
      let size = attributes.frame.size
      return (
        plan.configuration.scrollDirection == .vertical ? size.height : size.width,
        leaf.preferredLength(at: index, layout: layoutID) != nil
      )
    }.result
  }

  /// Returns the keys of a range of a section's items.
  ///
  /// - Parameters:
  ///   - items: The items' indices in the section, clamped to it.
  ///   - section: The section's index.
  /// - Complexity: O(log items) nodes, and the leaves that hold the range.
  public func keys(ofItems items: Range<Int>, inSection section: Int) throws -> [String] {
    try query { state in
      guard let section = try searchedSection(section, in: state)?.section else { return [] }
      let inSection = items.clamped(to: 0..<section.itemCount)
      let first = section.firstItem + inSection.lowerBound
      return try trees.keys(ofItems: first..<(first + inSection.count), in: state.session)
    }.result
  }

  /// Returns the attributes of a section's header, footer, or further element before or after the
  /// items, not pinned.
  ///
  /// - Returns: `nil` if there is none of the kind.
  public func attributes(
    forSupplementary kind: LayoutAttributes.SupplementaryKind, inSection section: Int
  ) throws -> LayoutAttributes? {
    try query { state in
      try self.section(section, in: state.session)
        .flatMap { supplementaryElement(kind, of: $0, in: nil) }
    }.result
  }

  /// Returns the attributes of a section's background, or decoration of the whole section.
  ///
  /// - Returns: `nil` if the section has none of the kind.
  public func attributes(
    forDecoration kind: String, inSection section: Int
  ) throws -> LayoutAttributes? {
    try query { state in
      try self.section(section, in: state.session).flatMap { decorationElement(kind, of: $0) }
    }.result
  }

  /// Returns the attributes of a supplementary element by its index path, which for those
  /// around a section's items has no item, and for those of the layout no section.
  ///
  /// - Returns: `nil` if there is none of the kind.
  /// - Complexity: As for a cell; for a section's element of a ``SectionDecorator``, that of all
  ///   its elements.
  public func attributes(
    forSupplementary kind: LayoutAttributes.SupplementaryKind, at path: LayoutAttributes.IndexPath
  ) throws -> LayoutAttributes? {
    if path.isOfLayout { return try layoutAttributes(.supplementary(kind: kind)) }
    guard let item = path.item else {
      return try attributes(forSupplementary: kind, inSection: path.section)
    }
    return try attributes(ofOwn: .supplementary(kind), item, inSection: path.section)
  }

  /// Returns the attributes of a decoration by its index path, which for one of a whole section
  /// has no item, and for the layout's no section.
  ///
  /// - Returns: `nil` if there is none of the kind.
  /// - Complexity: As for a cell; for a section's element of a ``SectionDecorator``, that of all
  ///   its elements.
  public func attributes(
    forDecoration kind: String, at path: LayoutAttributes.IndexPath
  ) throws -> LayoutAttributes? {
    if path.isOfLayout { return try layoutAttributes(.decoration(kind: kind)) }
    guard let item = path.item else {
      return try attributes(forDecoration: kind, inSection: path.section)
    }
    return try attributes(ofOwn: .decoration(kind), item, inSection: path.section)
  }

  private func layoutAttributes(
    _ category: LayoutAttributes.Category
  ) throws -> LayoutAttributes? {
    var unpinned: PinBounds?
    return try query { _ in layoutElement(category, in: &unpinned) }.result
  }

  private func attributes(
    ofOwn kind: CustomElement.Kind, _ item: Int, inSection section: Int
  ) throws -> LayoutAttributes? {
    try query { state in
      guard let searched = try searchedSection(section, in: state),
        let own = searched.section.plan.own
      else { return nil }
      let elements = try SectionElements(own, of: searched, in: self, state.session)
      let found =
        own.sectionKinds.contains(kind)
        ? try elements.element(kind, number: item) : try elements.cellElement(kind, ofItem: item)
      return found.map { attributes(of: $0, searched.section) }
    }.result
  }

  /// Calls `body` with the extent of each section in order, starting at `first`.
  ///
  /// - Parameters:
  ///   - first: The index of the first section; there may be none.
  ///   - body: Returns whether to continue.
  /// - Throws: ``LayoutCacheError`` with `limit` if `first` is negative; errors of `body`.
  /// - Complexity: O(log sections) nodes, and O(1) for each section.
  public func forEachSection(
    from first: Int = 0, _ body: (SectionExtent) throws -> Bool
  ) throws {
    _ = try query { state in
      try Limits.check(first, in: 0...Int.max, as: "first section")
      guard first < sectionCount else { return }
      var walk = SectionWalk(self, in: state.session)
      walk.seek(section: first)
      while let section = try walk.advance() {
        let extent = SectionExtent(
          key: section.key, firstItem: section.firstItem, itemCount: section.itemCount,
          start: section.start, length: section.result.length, style: section.result.style,
          carousel: try carousel(of: section))
        if try !body(extent) { return }
      }
    }
  }

  /// The index of the section with a key; `nil` if the dataset has no such section.
  ///
  /// - Complexity: O(log sections) nodes.
  public func sectionIndex(forKey key: String) throws -> Int? {
    try query { try trees.sectionIndex(ofKey: key, in: $0.session) }.result
  }

  /// Returns the ends of a section's columns from its content's start: that of each column's
  /// last item, 0 without items. Empty for kinds without columns.
  ///
  /// - Complexity: O(log sections) nodes.
  public func columnEnds(inSection section: Int) throws -> [Length] {
    try query { state in
      let session = state.session
      guard let section = try self.section(section, in: session) else { return [] }
      return try section.plan.kind.placing.columnEnds(of: section.result.content)
    }.result
  }

  func indexPath(ofKey key: String, in session: TreeSession) throws -> IndexPath? {
    try Limits.check(name: key, as: "key")
    guard let item = try trees.itemIndex(ofKey: key, in: session) else { return nil }
    return try trees.place(ofItem: item, in: session).map {
      IndexPath(section: $0.section.index, item: $0.item)
    }
  }

  func attributes(at path: IndexPath, in state: QueryState) throws -> LayoutAttributes? {
    let session = state.session
    guard let item = path.item, item >= 0,
      let searched = try searchedSection(path.section, in: state),
      item < searched.section.itemCount
    else { return nil }
    let section = searched.section
    let items = try items(of: section, session)
    let placed = try searched.placed.item(at: item, items)
    let number = section.firstItem + item
    guard number < trees.items.count else {
      throw Damage(detail: "it has more items than its dataset")
    }
    let found = try trees.items.place(at: number, in: session)
    var attributes = LayoutAttributes(
      cell: placed, key: found.leaf.key(at: found.index), section: section.index,
      sectionKey: section.key, contentStart: searched.contentStart, in: plan.space,
      mainLength: mainLength)
    if let extras = try searched.placed.extras(of: placed, items) {
      attributes.set(extras, in: plan.space)
    }
    return attributes
  }

  func searchedSection(_ index: Int, in state: QueryState) throws -> SearchedSection? {
    if let last = state.section, last.section.index == index { return last }
    state.section = try section(index, in: state.session).map { try SearchedSection($0, in: self) }
    return state.section
  }

  func section(_ index: Int, in session: TreeSession) throws -> PlacedSection? {
    guard index >= 0, index < results.count else { return nil }
    var walk = SectionWalk(self, in: session)
    walk.seek(section: index)
    return try walk.advance()
  }

  /// Returns the name of a section's style, if that matters to the layout.
  ///
  /// - Complexity: O(log sections) nodes if the configuration has styles; otherwise O(1).
  func style(ofSection index: Int, in session: TreeSession) throws -> String? {
    guard plan.hasStyles, index >= 0, index < results.count else { return nil }
    let place = try results.place(at: index, in: session)
    return place.leaf.entries[place.index].style
  }

  /// As ``style(ofSection:in:)``, as a query.
  func style(ofSection index: Int) throws -> String? {
    guard plan.hasStyles else { return nil }
    return try query { state in try style(ofSection: index, in: state.session) }.result
  }
}
