/// What a run has measured.
struct BenchReport {
  /// A phase's memory: the process's resident bytes when it began, and their peak.
  struct Memory {
    var startBytes: Int
    var peakBytes: Int
  }

  /// One number of items.
  struct Size {
    var items: Int
    var rows: [BenchRow] = []
    /// The database's pages in bytes: imported, laid out too, after the long run of
    /// resizes, and after all changes.
    var importedBytes = 0
    var laidOutBytes = 0
    var editedBytes = 0
    var changedBytes = 0
    /// By phase; empty where the system does not tell.
    var memory: [(phase: String, memory: Memory)] = []
    /// The bytes of the plain arrays, which are part of all memory figures.
    var plainArraysBytes = 0
  }

  /// How an operation's figure has grown from the smallest size to the largest.
  struct Growth {
    var operation: BenchOperation
    var factor: Double
  }

  /// The targets are for this many items; how figures may grow says the rest.
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
  /// Whether the figures are held to the targets.
  var isJudged: Bool { items >= BenchReport.targetItems }
  /// The file's bytes an item, without the layout.
  var bytesPerItem: Double { Double(importedBytes) / Double(items) }
  /// What the layout adds to them.
  var layoutBytesPerItem: Double { Double(laidOutBytes - importedBytes) / Double(items) }
  /// The file's bytes an item and layout after the long run of resizes.
  var editedBytesPerItem: Double { Double(editedBytes) / Double(items) }
  /// The same after all changes.
  var changedBytesPerItem: Double { Double(changedBytes) / Double(items) }
}
