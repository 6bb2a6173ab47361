import CollectionLayout
import LayoutStore
import SumTree

/// The trees in memory: what has been read of a tree stays with it, so the next
/// query finds it there.
struct Residents {
  struct Layout {
    var row: LayoutRow
    var plan: LayoutPlan
    var results: SumTree<SectionResultLeaf>
  }

  private var datasets: [Int64: (row: DatasetRow, trees: DatasetTrees)] = [:]
  private var layouts: [Int64: Layout] = [:]
  private var bytes = 0

  /// The trees of a dataset at the revision of a row.
  mutating func trees(
    of row: DatasetRow, open: () throws -> DatasetTrees
  ) rethrows -> DatasetTrees {
    if let known = datasets[row.id], known.row.space == row.space,
      known.row.revision == row.revision
    {
      return known.trees
    }
    let trees = try open()
    datasets[row.id] = (row, trees)
    return trees
  }

  /// A layout at the result and configuration of a row.
  mutating func layout(_ row: LayoutRow, open: () throws -> Layout) rethrows -> Layout {
    if let known = layouts[row.id], known.row.result?.space == row.result?.space,
      known.row.result?.revision == row.result?.revision,
      known.row.configuration == row.configuration
    {
      return known
    }
    let layout = try open()
    layouts[row.id] = layout
    return layout
  }

  /// Notes memory that a query has filled, and lets go of everything where that
  /// exceeds the budget.
  ///
  /// Letting go of all at once is crude and cheap: what is in use is read again,
  /// which is a small part of what filling the budget took.
  mutating func noteLoaded(bytes loaded: Int, budget: Int) {
    bytes += loaded
    if bytes > budget { self = Residents() }
  }
}
