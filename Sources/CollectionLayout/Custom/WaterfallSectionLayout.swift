public import LayoutGeometry

/// A custom waterfall: the kind determines the length of items and the columns that they cover,
/// and the engine maintains the columns as for the kind `waterfall`.
///
/// It suits cards whose length is not proportional to a picture, such as one with a line of
/// text below it:
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
/// Register it with `LayoutCache` in `waterfallLayouts`. A section of the kind reads the
/// options of `waterfall` except `itemLength`: columns, spacings, `tolerance`, `ties`,
/// `assignment` and `maximumSkew`; and `options`. Its items keep their columns through changes,
/// unless `assignment` is `exact`. A ``SectionLayout`` can't do that: the effect of its rule on
/// its state is code, which must run again for each later item.
///
/// Law: the results are functions of the arguments and of `self`, and `self` of its options.
/// The database stores them, and `verify` compares them. After a change of the rule, lay out
/// all sections of the kind again by `invalidate` with `everything`.
public protocol WaterfallSectionLayout: Sendable {
  /// The kind's name in configurations; not that of a built-in kind.
  static var kind: String { get }

  /// Creates the rule of a section.
  ///
  /// - Parameter options: The section's `options`; empty by default.
  /// - Throws: Any error; the configuration is then rejected with its description.
  init(options: [String: ConfigurationValue]) throws

  /// Returns the number of columns that an item covers; by default its requested span.
  ///
  /// - Parameters:
  ///   - item: The item in canonical axes, without data: changes of data are not tracked.
  ///   - columns: The number of columns of the section.
  /// - Returns: 0 for all columns; other values are clamped to 1 through all.
  func columnSpan(of item: LayoutItem, columns: Int) -> Int

  /// Returns the length of an item along the main axis, if none has been measured.
  ///
  /// - Parameters:
  ///   - item: As for ``columnSpan(of:columns:)``.
  ///   - width: The nominal width of the covered columns and the gaps between them, rounded
  ///     down, whichever columns they are.
  /// - Returns: The length. It is clamped to the section's `minimumLength` and `maximumLength`,
  ///   and to the range from one unit to `Limits.sideMax`.
  func length(of item: LayoutItem, width: Length) -> Length
}

extension WaterfallSectionLayout {
  /// The default: the item's span.
  public func columnSpan(of item: LayoutItem, columns: Int) -> Int { item.columnSpan }
}
