package import LayoutGeometry

/// A custom kind's rule for the items of a waterfall, created from its options.
///
/// A class, because plans are copied for each section that a query visits, and most have no rule.
package final class WaterfallRule: Sendable {
  private let kind: String
  private let options: [String: ConfigurationValue]
  let layout: any WaterfallSectionLayout

  /// - Throws: The error of the kind about its options.
  init(_ type: any WaterfallSectionLayout.Type, options: [String: ConfigurationValue]) throws {
    kind = type.kind
    self.options = options
    layout = try type.init(options: options)
  }

  /// Returns the number of columns that an item covers, from 1 to all.
  package func columnSpan(of item: LayoutItem, columns: Int) -> Int {
    let span = layout.columnSpan(of: item, columns: columns)
    return span == 0 ? columns : max(1, min(span, columns))
  }

  /// Returns the length of an item that covers a width; at most `Limits.sideMax`, not yet
  /// clamped from below.
  package func length(of item: LayoutItem, width: Length) -> Length {
    min(layout.length(of: item, width: width), Limits.sideMax)
  }
}

extension WaterfallRule: Hashable {
  /// Returns whether both are of the same kind, created from the same options.
  package static func == (lhs: WaterfallRule, rhs: WaterfallRule) -> Bool {
    lhs.kind == rhs.kind && lhs.options == rhs.options
  }

  package func hash(into hasher: inout Hasher) {
    hasher.combine(kind)
    hasher.combine(options)
  }
}
