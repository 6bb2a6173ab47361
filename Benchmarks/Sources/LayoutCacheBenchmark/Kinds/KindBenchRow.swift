import CollectionLayout
import LayoutCache

/// One operation's figures on one layout at one size.
struct KindBenchRow {
  var layout: KindBenchLayout
  var operation: KindBenchOperation
  var figures: Figures
  /// The mean work of a call, or what a query looks at, by name.
  var details: [(name: String, value: Double)] = []
  /// The median beside that of laying out from scratch; `nil` for that itself, and for
  /// queries.
  var scratchRatio: Double?
}

/// What `--kinds` has measured at one size.
struct KindBenchSize {
  var items: Int
  var rows: [KindBenchRow] = []
}
