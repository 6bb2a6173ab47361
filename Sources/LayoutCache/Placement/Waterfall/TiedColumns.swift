import SumTree

/// A sparse matrix over (max, +): for each column that a run of items touches, the
/// columns that its new position depends on.
struct TiedColumns: Sendable, Equatable {
  /// The value x_source + shift; a column's new position is the maximum of its terms.
  struct Term: Sendable, Equatable {
    var source: Int
    var shift: Int64
  }

  /// A column and its terms, sorted by source; at least one.
  struct Row: Sendable, Equatable {
    var column: Int
    var terms: [Term]
  }

  /// The rows, sorted by column; a column without a row keeps its position.
  private(set) var rows: [Row]

  var columnCount: Int {
    rows.reduce(0) { max($0, $1.column + 1, ($1.terms.last?.source ?? 0) + 1) }
  }

  init(rows: [Row]) { self.rows = rows }

  /// Creates the map of items placed in sequence.
  ///
  /// - Parameter items: The columns that each item spans, and its advance.
  /// - Complexity: O(terms of the columns that each item spans).
  init(placing items: some Sequence<(columns: Range<Int>, advance: Int64)>) {
    var termsOf: [Int: [Term]] = [:]
    for (columns, advance) in items {
      // The terms of the item's columns, with the greatest shift per source.
      var best: [Int: Int64] = [:]
      for column in columns {
        for term in termsOf[column] ?? [Term(source: column, shift: 0)] {
          best[term.source] = max(best[term.source] ?? .min, term.shift)
        }
      }
      let terms = best.map { Term(source: $0.key, shift: $0.value + advance) }
        .sorted { $0.source < $1.source }
      for column in columns { termsOf[column] = terms }
    }
    rows = termsOf.map { Row(column: $0.key, terms: $0.value) }
      .sorted { $0.column < $1.column }
  }

  init(_ map: ColumnMap) {
    switch map.form {
    case nil, .wideShifts:
      rows = (0..<map.columnCount).compactMap { column in
        let shift = map.shift(of: column)
        return shift == 0
          ? nil : Row(column: column, terms: [Term(source: column, shift: shift)])
      }
    case .fence(let entry, let exit):
      rows = exit.indices.map { column in
        Row(
          column: column,
          terms: entry.indices.map { Term(source: $0, shift: exit[column] + entry[$0]) })
      }
    case .ties(let ties):
      self = ties
    }
  }

  func apply(to positions: inout [Int64]) {
    let before = positions
    for row in rows {
      positions[row.column] = row.terms.reduce(Int64.min) {
        max($0, before[$1.source] + $1.shift)
      }
    }
  }

  /// Returns the product with the map of the following items.
  ///
  /// - Complexity: O(terms of `next` · columnCount).
  func followed(by next: TiedColumns) -> TiedColumns {
    let columnCount = max(columnCount, next.columnCount)
    var rowOf = [Row?](repeating: nil, count: columnCount)
    for row in rows { rowOf[row.column] = row }
    var product = rowOf
    // The greatest shift from each source; `min` if there is none.
    var best = [Int64](repeating: .min, count: columnCount)
    for row in next.rows {
      for index in best.indices { best[index] = .min }
      for term in row.terms {
        if let before = rowOf[term.source] {
          for inner in before.terms {
            best[inner.source] = max(best[inner.source], inner.shift + term.shift)
          }
        } else {
          best[term.source] = max(best[term.source], term.shift)
        }
      }
      product[row.column] = Row(
        column: row.column,
        terms: best.indices.compactMap {
          best[$0] == .min ? nil : Term(source: $0, shift: best[$0])
        })
    }
    return TiedColumns(rows: product.compactMap { $0 })
  }

  /// The same function in the smallest suitable form.
  var reduced: ColumnMap {
    if rows.allSatisfy({ $0.terms.count == 1 && $0.terms[0].source == $0.column }) {
      var shifts = [Int64](repeating: 0, count: columnCount)
      for row in rows { shifts[row.column] = row.terms[0].shift }
      return .shifting(shifts)
    }
    // A matrix of rank one: every row is full, and differs from the first by a constant.
    let columnCount = columnCount
    guard rows.count == columnCount, let first = rows.first?.terms, first.count == columnCount
    else {
      return ColumnMap(.ties(self))
    }
    var exit: [Int64] = []
    for row in rows {
      guard row.terms.count == columnCount else { return ColumnMap(.ties(self)) }
      let distance = row.terms[0].shift - first[0].shift
      guard zip(row.terms, first).allSatisfy({ $0.shift - $1.shift == distance }) else {
        return ColumnMap(.ties(self))
      }
      exit.append(distance)
    }
    return .fenced(entry: first.map(\.shift), exit: exit)
  }
}

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
