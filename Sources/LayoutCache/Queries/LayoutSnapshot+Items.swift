import CollectionLayout
import LayoutGeometry
import SumTree

extension LayoutSnapshot {
  /// Returns the cells of a run of items, in order, at their laid out positions, without hidden
  /// ones.
  ///
  /// - Parameter numbers: The existing items, by index in the dataset.
  /// - Complexity: O(log items) nodes and the leaves with the items; O(log sections) for each
  ///   run of sections without items.
  func cells(ofItems numbers: Range<Int>, in state: QueryState) throws -> [LayoutAttributes] {
    var elements: [LayoutAttributes] = []
    elements.reserveCapacity(numbers.count)
    var walk = SectionWalk(self, in: state.session)
    var next = numbers.lowerBound
    var isAtSection = false
    while next < numbers.upperBound {
      var section = isAtSection ? try walk.advance() : nil
      if section?.items.contains(next) != true {
        section = try self.section(ofItem: next, &walk, state.session)
      }
      isAtSection = true
      guard let section, section.items.contains(next) else {
        throw Damage(detail: "it has more items than its dataset")
      }
      let wanted = numbers.clamped(to: section.items)
      let searched = try SearchedSection(section, in: self)
      let first = wanted.lowerBound - section.firstItem
      try searched.placed.append(
        first..<(first + wanted.count), items(of: section, state.session), to: &state.cells)
      if searched.hidesCells { state.cells.removeAll(where: \.look.isHidden) }
      defer { state.cells.removeAll(keepingCapacity: true) }
      try append(state.cells, of: searched, to: &elements, state.session)
      next = wanted.upperBound
    }
    return elements
  }

  /// Moves a walk to an item's section, and advances past it.
  private func section(
    ofItem number: Int, _ walk: inout SectionWalk, _ session: TreeSession
  ) throws -> PlacedSection? {
    guard let found = try trees.section(ofItem: number, in: session) else { return nil }
    walk.seek(section: found.section.index)
    return try walk.advance()
  }

  /// Appends the attributes of a section's cells, in one pass over the items, which contain the
  /// keys.
  ///
  /// - Parameter cells: The cells, by index.
  func append(
    _ cells: [PlacedCell], of searched: SearchedSection,
    to elements: inout [LayoutAttributes], _ session: TreeSession
  ) throws {
    guard let first = cells.first else { return }
    let firstNumber = searched.section.firstItem
    // Read once, not in the closure for each cell.
    let (section, sectionKey) = (searched.section.index, searched.section.key)
    let (contentStart, space) = (searched.contentStart, plan.space)
    let mainLength = mainLength
    var index = 0
    var wanted = firstNumber + first.index
    try elements.append(addingCapacity: cells.count) { added in
      try trees.items.forEachLeaf(
        from: ElementOffset<ItemLeaf>(), in: session,
        step: { _, _, end in end > wanted ? .enter : .skip },
        body: { leaf, _, start in
          let end = start + leaf.count
          repeat {
            added.append(
              LayoutAttributes(
                cell: cells[index], key: leaf.key(at: wanted - start), section: section,
                sectionKey: sectionKey, contentStart: contentStart, in: space,
                mainLength: mainLength))
            index += 1
            if index == cells.count { return false }
            wanted = firstNumber + cells[index].index
          } while wanted < end
          return true
        })
    }
    guard index == cells.count else { throw Damage(detail: "it has more items than its dataset") }
    guard searched.mayHaveExtras else { return }
    let items = try items(of: searched.section, session)
    for (index, cell) in cells.enumerated() {
      guard let extras = try searched.placed.extras(of: cell, items) else { continue }
      elements[elements.count - cells.count + index].set(extras, in: space)
    }
  }

  /// Returns the first item, in order, whose frame before its transform ends after a position: the one at the
  /// position, or the nearest after it. Use it for scrubbers and prefetching.
  ///
  /// - Parameter position: The position from the content's leading edge along the scrolling
  ///   axis. In a layout that scrolls horizontally from right to left that is the right edge.
  /// - Returns: The item's attributes as laid out, without effects; `nil` if there are no
  ///   items, or all end before the position.
  /// - Complexity: That of a query for a line across the content there, and O(log sections) for
  ///   each section that has only a footer or an inset there.
  public func item(atOrAfter position: Length) throws -> LayoutAttributes? {
    let position = position.bounded
    return try query { state in
      var walk = SectionWalk(self, in: state.session)
      try walk.seek(endingAfter: position, atLeast: 0)
      var section = try walk.advance()
      while let current = section {
        let searched = try SearchedSection(current, in: self)
        let found = try searched.placed.firstItem(
          endingAfter: position - searched.contentStart,
          items(of: current, state.session))
        if let found {
          var elements: [LayoutAttributes] = []
          try append([found], of: searched, to: &elements, state.session)
          return elements.first
        }
        guard current.items.upperBound < itemCount else { return nil }
        section = try self.section(ofItem: current.items.upperBound, &walk, state.session)
      }
      return nil
    }.result
  }
}
