/// The measurements of a run.
struct BenchReport {
  /// The process's resident bytes at the start of a phase, and their peak during it.
  struct Memory {
    var startBytes: Int
    var peakBytes: Int
  }

  /// One number of items.
  struct Size {
    var items: Int
    var rows: [BenchRow] = []
    /// The size of the database's pages in bytes: after the import, after layout, after the
    /// long run of resizes, and after all changes.
    var importedBytes = 0
    var laidOutBytes = 0
    var editedBytes = 0
    var changedBytes = 0
    /// The memory of each phase; empty if the system does not report it.
    var memory: [(phase: String, memory: Memory)] = []
    /// The size of the plain arrays in bytes, which is part of all memory figures.
    var plainArraysBytes = 0
  }

  /// The growth of an operation's figure from the smallest size to the largest.
  struct Growth {
    var operation: BenchOperation
    var factor: Double
  }

  /// The number of items to which the targets apply; limits on growth cover the other sizes.
  static let targetItems = 1_000_000
  static let bytesPerItemMax = 40.0
  static let layoutBytesPerItemMax = 8.0
  static let editedBytesPerItemMax = 42.0

  var edits: Int
  var sizes: [Size] = []

  /// The growth of the operations with a limit; empty for one size.
  var growth: [Growth] {
    guard let least = sizes.min(by: { $0.items < $1.items }),
      let most = sizes.max(by: { $0.items < $1.items }), least.items < most.items
    else { return [] }
    return BenchOperation.allCases.compactMap { operation in
      guard operation.growthMax != nil,
        let before = least.rows.first(where: { $0.operation == operation })?.growthValue,
        let after = most.rows.first(where: { $0.operation == operation })?.growthValue,
        let factor = BenchTarget.ratio(after, before)
      else { return nil }
      return Growth(operation: operation, factor: factor)
    }
  }
}

extension BenchReport.Size {
  /// Whether the figures are checked against the targets.
  var isJudged: Bool { items >= BenchReport.targetItems }
  /// The file's bytes per item, without the layout.
  var bytesPerItem: Double { Double(importedBytes) / Double(items) }
  /// The layout's bytes per item.
  var layoutBytesPerItem: Double { Double(laidOutBytes - importedBytes) / Double(items) }
  /// The file's bytes per item, layout included, after the long run of resizes.
  var editedBytesPerItem: Double { Double(editedBytes) / Double(items) }
  /// The same after all changes.
  var changedBytesPerItem: Double { Double(changedBytes) / Double(items) }
}
