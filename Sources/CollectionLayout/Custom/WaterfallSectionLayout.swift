public import LayoutGeometry

/// A waterfall of a library user's own: the kind says how long items are and how many columns
/// they cover, and the engine keeps the columns as it does for the kind `waterfall`.
///
/// It is for cards whose length is no proportion of a picture, such as one with a line of text
/// below it:
///
///     struct Captioned: WaterfallSectionLayout {
///       static let kind = "captioned"
///       private let caption: Length
///       init(options: [String: ConfigurationValue]) {
///         caption = .points(options["caption"]?.number ?? 40)
///       }
///       func length(of item: LayoutItem, width: Length) -> Length {
///         Length(units: width.units * item.size.height.units / item.size.width.units) + caption
///       }
///     }
///
/// Register it with `LayoutCache` as one of its `waterfallLayouts`. A section of the kind reads
/// what a `waterfall` reads but `itemLength`: columns, spacings, `tolerance`, `ties`,
/// `assignment` and `maximumSkew`; and `options`. Its items keep their columns through changes,
/// unless `assignment` is `exact`. That is what a ``SectionLayout`` can't have: what its rule
/// does to its state is code, and has to be run again for each later item.
///
/// Law: the results are functions of the arguments and of `self`, and `self` of its options; the
/// database keeps them, and `verify` compares. After a change of either, lay out again whatever
/// has the kind: by `invalidate` with `everything`.
public protocol WaterfallSectionLayout: Sendable {
  /// The kind's name in configurations; not one of those built in.
  static var kind: String { get }

  /// Makes the rule of a section.
  ///
  /// - Parameter options: The section's `options`; empty where there are none.
  /// - Throws: Any error; the configuration is then refused with its description.
  init(options: [String: ConfigurationValue]) throws

  /// How many columns an item covers; by default as many as it asks for.
  ///
  /// - Parameters:
  ///   - item: In canonical axes, without data: what an item carries is not followed.
  ///   - columns: The section's.
  /// - Returns: 0 for all; what is less counts as 1, and what is more as all.
  func columnSpan(of item: LayoutItem, columns: Int) -> Int

  /// How long an item is along the main axis, where no length has been measured for it.
  ///
  /// - Parameters:
  ///   - item: As for ``columnSpan(of:columns:)``.
  ///   - width: The nominal width of the columns that it covers and of the gaps between them,
  ///     rounded down, whichever columns they are.
  /// - Returns: Held to the section's `minimumLength` and `maximumLength`, and to what is from
  ///   one unit to `Limits.sideMax`.
  func length(of item: LayoutItem, width: Length) -> Length
}

extension WaterfallSectionLayout {
  /// The item's own span.
  public func columnSpan(of item: LayoutItem, columns: Int) -> Int { item.columnSpan }
}
