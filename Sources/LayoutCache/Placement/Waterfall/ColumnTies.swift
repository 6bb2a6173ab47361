import SumTree

/// The columns that a change affects, propagated over the items after it: an item over several
/// columns ties each of them to all.
struct ColumnTies: ElementDimension {
  private(set) var columns: ColumnSet

  /// - Parameter columns: The columns of the change itself.
  init(_ columns: ColumnSet) { self.columns = columns }

  mutating func advance(over summary: WaterfallSummary, count: Int) {
    switch summary.map.form {
    case nil, .wideShifts:
      break
    case .fence(let entry, _):
      pass(0..<entry.count)
    case .ties(let ties):
      let before = columns
      for row in ties.rows where row.terms.contains(where: { before.contains($0.source) }) {
        columns.insert(row.column)
      }
    }
  }

  mutating func pass(_ index: Int, of leaf: WaterfallLeaf) { pass(leaf.columnRange(at: index)) }

  private mutating func pass(_ covered: Range<Int>) {
    guard covered.count > 1, covered.contains(where: { columns.contains($0) }) else { return }
    columns.insert(covered)
  }
}

extension SumTree<WaterfallLeaf> {
  /// Returns the columns that a change moves: its own, and those tied to them by later items.
  ///
  /// - Parameters:
  ///   - columns: The columns of the change itself.
  ///   - item: The first item after it.
  /// - Complexity: O(log items) nodes; O(1) if no item spans columns.
  func columns(
    tiedTo columns: ColumnSet, from item: Int, in session: TreeSession
  ) throws -> ColumnSet {
    if summary.map.isDiagonal || item >= count { return columns }
    var ties = ColumnTies(columns)
    try fold(item..<count, into: &ties, in: session)
    return ties.columns
  }
}
