import SumTree

// Styles of sections.

extension OperationResolver {
  /// Changes a section's style, unless it has that style already.
  ///
  /// - Complexity: O(items of the section), because layouts place them again.
  mutating func restyle(_ section: SectionReference, to style: String?) throws {
    let entry = try entry(of: section)
    guard entry.style.map(ExactKey.init) != style.map(ExactKey.init) else { return }
    let items = try trees.items(ofSection: section.index, in: session)
    try take(
      .changeStyle(
        section,
        StyleChange(
          style: style, previous: entry.style, itemCount: items.count,
          items: restyledItems(items))))
  }

  /// Changes the styles of existing sections to those that an import states.
  mutating func restyle(_ items: ImportedItems) throws {
    let stated = items.styles.sorted {
      $0.key.string.utf8.lexicographicallyPrecedes($1.key.string.utf8)
    }
    for (key, style) in stated {
      guard let index = try trees.sectionIndex(ofKey: key.string, in: session) else { continue }
      try restyle(SectionReference(index: index, key: key.string), to: style)
    }
  }

  /// Returns the items of a restyled section for the log; `nil` without items, or if the batch's
  /// restyled items are too large for it.
  ///
  /// - Parameter range: Item numbers, counted from the dataset's first.
  private mutating func restyledItems(_ range: Range<Int>) throws -> ItemLeaf? {
    if range.isEmpty || restyledBytes > Budgets.restyledBytes { return nil }
    var items = ItemLeaf()
    try trees.items.forEachRun(of: range, in: session) { run in
      // Items that will not be stored need not be read.
      guard restyledBytes <= Budgets.restyledBytes else { return }
      restyledBytes += run.byteCount
      items.append(run)
    }
    items.label = 0
    return restyledBytes <= Budgets.restyledBytes ? items : nil
  }
}
