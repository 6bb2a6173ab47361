import Foundation

/// The cost of an import and of hand-written inserts of the same rows.
struct ImportRow {
  var order: KeyOrder
  var itemCount: Int
  /// The whole process's time.
  var imports: Figures
  /// SQLite's time.
  var inserts: Figures
  /// The median ratio of the import's time to the inserts', round by round.
  var ratio: Double
  /// The import's peak memory.
  var peakBytes: Int

  /// The figures as lines.
  var text: String {
    """
    rows, keys in \(order.rawValue) order: \(itemCount)
      layoutcache import     \(rate(imports)) rows/s, whole process, including parsing
      plain SQLite inserts   \(rate(inserts)) rows/s, of parsed rows in memory
      import / inserts       \(String(format: "%.2f", ratio)) of the time
      peak of an import      \(peakBytes / 1_048_576) MB

    """
  }

  private func rate(_ figures: Figures) -> Int { Int(Double(itemCount) * 1e6 / figures.median) }
}
