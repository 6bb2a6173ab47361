import CollectionLayout
import LayoutCacheTestSupport
import LayoutGeometry
import TestSupport

@testable import LayoutCache

/// A layout of a ``CaptionedKind``, and an equal layout of the built-in kind, whose items have the
/// lengths and spans of the custom rule as natural ones.
struct WaterfallMirror {
  /// The layout's name.
  let name: String
  /// The configuration with the custom kind.
  let text: String
  /// The configuration with the built-in kind.
  let plainText: String
  private let columns: Int64
  private let spacing: Int64
  private let caption: Int64
  private let isHorizontal: Bool
  /// The range to which lengths are clamped, in units.
  private let lengths: ClosedRange<Int64>

  /// The dataset with the items of the built-in kind.
  var dataset: String { "plain \(name)" }

  private static let crossLength: Int64 = 300

  init(_ name: String, isExact: Bool, using random: inout SeededGenerator) {
    self.name = name
    columns = .random(in: 1...5, using: &random)
    spacing = .random(in: 0...9, using: &random)
    caption = .random(in: 0...40, using: &random)
    isHorizontal = random.oneIn(2)
    let isClamped = random.oneIn(2)
    lengths = isClamped ? (20 * 64)...(50 * 64) : 1...Limits.sideMax.units
    let members = """
      "columns":\(columns),"columnSpacing":\(spacing),"lineSpacing":3,"maximumSkew":30,
      "tolerance":\(random.oneIn(2) ? 0 : 7),"header":12,
      "ties":"\(["leading", "trailing", "cursor"].randomElement(using: &random)!)",
      "assignment":"\(isExact ? "exact" : "stable")"
      \(isClamped ? #","minimumLength":20,"maximumLength":50"# : "")
      """
    let container = """
      {"container":{"width":\(Self.crossLength),"height":\(Self.crossLength)},
       "scrollDirection":"\(isHorizontal ? "horizontal" : "vertical")","section":
      """
    text =
      container + #"{"kind":"captioned","options":{"caption":\#(caption)},\#(members)}}"#
    plainText = container + #"{"kind":"waterfall","itemLength":"natural",\#(members)}}"#
  }

  /// The item for the built-in kind.
  func item(_ item: Item) -> Item {
    let changed = size(item.size, columnSpan: item.columnSpan)
    return Item(
      key: item.key, size: changed.size, columnSpan: changed.columnSpan, data: item.data)
  }

  private func size(_ size: Size, columnSpan: Int) -> (size: Size, columnSpan: Int) {
    let across = isHorizontal ? size.height.units : size.width.units
    let along = isHorizontal ? size.width.units : size.height.units
    var span = Int64(columnSpan)
    if across > 40 * 64 { span = 2 }
    if across > 50 * 64 { span = columns }
    if across < 5 * 64 { span = 1 }
    if span == 0 || span > columns { span = columns }
    // The columns share the container without the gaps; the item covers `span` of them, and the
    // gaps between those.
    let shared = (Self.crossLength - (columns - 1) * spacing) * 64
    let width = (span * shared + (span - 1) * columns * spacing * 64) / columns
    var length = width * along / across + caption * 64
    if along == 13 * 64 { length = -5 * 64 }
    if along == 17 * 64 { length = .max }
    length = max(lengths.lowerBound, min(length, lengths.upperBound))
    // A different size must be different here too, because that resets the measured length.
    let unlike = across * 100 + along
    return (
      isHorizontal
        ? Size(width: Length(units: length), height: Length(units: unlike))
        : Size(width: Length(units: unlike), height: Length(units: length)), Int(span)
    )
  }

  /// The operation for the dataset of the built-in kind; `nil` for one of another layout.
  func operation(_ operation: BatchOperation) -> BatchOperation? {
    switch operation {
    case .insert(let items, let place): return .insert(items.map(item), at: place)
    case .resize(let key, let natural, let span):
      // A listed feed always states the span.
      let changed = size(natural, columnSpan: span ?? 1)
      return .resize(key: key, size: changed.size, columnSpan: changed.columnSpan)
    case .prefer(let layout, _, _, _), .preferLengths(let layout, _, _), .resetLengths(let layout),
      .rebalance(let layout, _, _), .invalidate(let layout, _, _, _),
      .invalidateElements(let layout, _, _):
      return layout == name ? operation : nil
    default: return operation
    }
  }
}
