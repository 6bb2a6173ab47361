import SumTree

/// The effect of a run of placed items on the columns' next positions: a matrix over (max, +),
/// in the smallest of four forms.
///
/// Placing an item of advance h (its length plus the line spacing) over the columns S sets
/// every x_j, j in S, to `max(x_i : i in S) + h`. The map of a run is the product of its items'
/// maps. Columns beyond those in a form keep their position, so a map is independent of the
/// number of columns.
///
/// Each such function has exactly one matrix, and each matrix exactly one form here: equal
/// functions are equal values, in whatever order they were multiplied.
struct ColumnMap: Summary {
  /// The forms of runs with spans or with many columns.
  indirect enum Form: Sendable, Equatable {
    /// No item spans columns; more than eight values, the last one nonzero.
    case wideShifts([Int64])
    /// After an item over columns 0 to n-1, all n:
    /// x_i = exit[i] + max(entry[j] + x_j : j < n). The greatest entry is 0.
    case fence(entry: [Int64], exit: [Int64])
    /// Any other run with spans.
    case ties(TiedColumns)
  }

  /// No item spans columns, and columns from the ninth on are untouched: x_j += shifts[j]. All
  /// 0 in other forms.
  private var shifts = ColumnShifts()
  /// `nil` for `shifts`, the most common form: maps are copied and multiplied often, and this
  /// form needs no heap memory.
  private(set) var form: Form?

  init(_ form: Form?) { self.form = form }

  /// The shifts of a map in the common form.
  var narrowShifts: ColumnShifts? { form == nil ? shifts : nil }

  static let identity = ColumnMap(nil)

  /// One more than the highest column of the form.
  var columnCount: Int {
    switch form {
    case nil: (0..<ColumnShifts.count).last { shifts[$0] != 0 }.map { $0 + 1 } ?? 0
    case .wideShifts(let shifts): shifts.count
    case .fence(let entry, _): entry.count
    case .ties(let ties): ties.columnCount
    }
  }

  /// Whether the columns move independently.
  var isDiagonal: Bool {
    switch form {
    case nil, .wideShifts: true
    case .fence, .ties: false
    }
  }

  /// Returns the shift of a column, in a map without spans.
  func shift(of column: Int) -> Int64 {
    switch form {
    case nil: column < ColumnShifts.count ? shifts[column] : 0
    case .wideShifts(let shifts): column < shifts.count ? shifts[column] : 0
    case .fence, .ties: preconditionFailure("the map ties columns")
    }
  }

  /// Applies the map to at least ``columnCount`` positions.
  func apply(to positions: inout [Int64]) {
    switch form {
    case nil:
      shifts.apply(to: &positions)
    case .wideShifts(let shifts):
      for column in shifts.indices { positions[column] += shifts[column] }
    case .fence(let entry, let exit):
      var highest = Int64.min
      for column in entry.indices { highest = max(highest, entry[column] + positions[column]) }
      for column in exit.indices { positions[column] = exit[column] + highest }
    case .ties(let ties):
      ties.apply(to: &positions)
    }
  }

  mutating func append(_ next: ColumnMap) {
    switch (form, next.form) {
    case (nil, nil):
      shifts &+= next.shifts
    case (nil, .wideShifts), (.wideShifts, nil), (.wideShifts, .wideShifts):
      let columnCount = max(columnCount, next.columnCount)
      self = .shifting((0..<columnCount).map { shift(of: $0) + next.shift(of: $0) })
    case (.fence(let entry, let exit), .fence(let nextEntry, let nextExit))
    where entry.count == nextEntry.count:
      let between = zip(nextEntry, exit).map(+).max() ?? 0
      form = .fence(entry: entry, exit: nextExit.map { $0 + between })
    case (.fence(let entry, var exit), _)
    where next.isDiagonal && next.columnCount <= exit.count:
      for column in 0..<next.columnCount { exit[column] += next.shift(of: column) }
      form = .fence(entry: entry, exit: exit)
    case (_, .fence(let entry, let exit)) where isDiagonal && columnCount <= entry.count:
      self = .fenced(
        entry: entry.indices.map { entry[$0] + shift(of: $0) }, exit: exit)
    default:
      self = TiedColumns(self).followed(by: TiedColumns(next)).reduced
    }
  }

  /// Returns the map of independent columns, in its unique form.
  static func shifting(_ shifts: [Int64]) -> ColumnMap {
    let columnCount = shifts.lastIndex { $0 != 0 }.map { $0 + 1 } ?? 0
    if columnCount > ColumnShifts.count {
      return ColumnMap(.wideShifts(Array(shifts[..<columnCount])))
    }
    var map = identity
    for column in 0..<columnCount { map.shifts[column] = shifts[column] }
    return map
  }

  /// Returns the map of a fence, in its unique form.
  static func fenced(entry: [Int64], exit: [Int64]) -> ColumnMap {
    let highest = entry.max() ?? 0
    return ColumnMap(
      .fence(entry: entry.map { $0 - highest }, exit: exit.map { $0 + highest }))
  }
}
