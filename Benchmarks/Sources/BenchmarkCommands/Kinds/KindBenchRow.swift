import CollectionLayout
import LayoutCache

/// One operation's figures on one layout at one size.
struct KindBenchRow {
  var layout: KindBenchLayout
  var operation: KindBenchOperation
  var figures: Figures
  /// The mean work of a call, or the nodes that a query reads, by name.
  var details: [(name: String, value: Double)] = []
  /// The ratio of the median to that of laying out from scratch; `nil` for the latter, and for
  /// queries.
  var scratchRatio: Double?
}

/// The measurements of `--kinds` at one size.
struct KindBenchSize {
  var items: Int
  var rows: [KindBenchRow] = []
}
