public import LayoutGeometry

/// Sections of each kind, instead of JSON text:
///
///     let configuration = LayoutConfiguration(
///       container: LayoutConfiguration.Container(width: 390, height: 844),
///       section: .waterfall(columns: 2, spacing: 8).setting(\.header, to: 44))
///
/// All other members are set by ``setting(_:to:)``. Nothing is validated before a layout is set
/// to the configuration.
extension SectionOptions {
  /// Returns a waterfall's options.
  ///
  /// - Parameters:
  ///   - columns: The number of columns.
  ///   - spacing: The gap between two columns, and between two items of a column, in points.
  public static func waterfall(
    columns: Int = SectionOptions.columnsDefault, spacing: ContainerLength = 0
  ) -> SectionOptions {
    columned(.waterfall, spacing: spacing).setting(\.columns, to: .equal(columns))
  }

  /// Returns the options of a waterfall with as many columns as fit.
  ///
  /// - Parameters:
  ///   - width: The minimum width of a column, in points.
  ///   - spacing: As for ``waterfall(columns:spacing:)``.
  public static func waterfall(
    minimumColumnWidth width: Length, spacing: ContainerLength = 0
  ) -> SectionOptions {
    columned(.waterfall, spacing: spacing).setting(\.minimumColumnWidth, to: width)
  }

  /// Returns a grid's options.
  ///
  /// - Parameters:
  ///   - columns: The number of columns.
  ///   - rowLength: The length of rows.
  ///   - spacing: The gap between two columns, and between two rows, in points.
  public static func grid(
    columns: Int = SectionOptions.columnsDefault, rowLength: RowLength = .square,
    spacing: ContainerLength = 0
  ) -> SectionOptions {
    columned(.grid, spacing: spacing).setting(\.columns, to: .equal(columns))
      .setting(\.rowLength, to: rowLength)
  }

  /// Returns the options of a grid with as many columns as fit.
  ///
  /// - Parameters:
  ///   - width: The minimum width of a column, in points.
  ///   - rowLength: The length of rows.
  ///   - spacing: As for ``grid(columns:rowLength:spacing:)``.
  public static func grid(
    minimumColumnWidth width: Length, rowLength: RowLength = .square, spacing: ContainerLength = 0
  ) -> SectionOptions {
    columned(.grid, spacing: spacing).setting(\.minimumColumnWidth, to: width)
      .setting(\.rowLength, to: rowLength)
  }

  /// Returns a flow's options.
  ///
  /// - Parameters:
  ///   - itemSize: The size of all items, or their natural sizes.
  ///   - interitemSpacing: The minimum gap between two items of a line, in points.
  ///   - lineSpacing: The gap between two lines, in points.
  public static func flow(
    itemSize: ItemSize = .natural, interitemSpacing: ContainerLength = 0,
    lineSpacing: ContainerLength = 0
  ) -> SectionOptions {
    of(.flow).setting(\.itemSize, to: itemSize)
      .setting(\.minimumInteritemSpacing, to: interitemSpacing)
      .setting(\.minimumLineSpacing, to: lineSpacing)
  }

  /// Returns the options of justified rows, as in a photo timeline.
  ///
  /// - Parameters:
  ///   - targetRowLength: The length in points that rows approximate.
  ///   - spacing: The gap between two items, and between two rows, in points.
  public static func justified(
    targetRowLength: ContainerLength, spacing: ContainerLength = 0
  ) -> SectionOptions {
    of(.justified).setting(\.targetRowLength, to: targetRowLength).setting(\.spacing, to: spacing)
  }

  /// Returns a carousel's options.
  ///
  /// - Parameters:
  ///   - itemWidth: The width of items across the scrolling axis.
  ///   - itemLength: The length of items along the scrolling axis.
  ///   - spacing: The gap between two items, in points.
  public static func carousel(
    itemWidth: ItemWidth = .natural, itemLength: ItemLength = .natural, spacing: ContainerLength = 0
  ) -> SectionOptions {
    of(.carousel).setting(\.itemWidth, to: itemWidth).setting(\.itemLength, to: itemLength)
      .setting(\.spacing, to: spacing)
  }

  /// Returns a circle's options.
  ///
  /// - Parameter itemSize: The size of all items, in the content's axes.
  public static func circle(itemSize: Size) -> SectionOptions {
    of(.circle).setting(\.itemSize, to: .fixed(itemSize))
  }

  /// Returns the options of a registered kind.
  ///
  /// - Parameters:
  ///   - kind: The kind's name.
  ///   - options: The values passed to its initializer.
  public static func custom(
    _ kind: String, options: [String: ConfigurationValue] = [:]
  ) -> SectionOptions {
    of(SectionKind(name: kind)).setting(\.options, to: options)
  }

  /// Returns these options with another value of a member, such as `\.header`.
  ///
  /// - Parameter value: The value; `nil` for the default.
  public func setting<Value>(
    _ member: WritableKeyPath<SectionOptions, Value?>, to value: Value?
  ) -> SectionOptions {
    var options = self
    options[keyPath: member] = value
    return options
  }

  private static func of(_ kind: SectionKind) -> SectionOptions {
    SectionOptions().setting(\.kind, to: kind)
  }

  private static func columned(_ kind: SectionKind, spacing: ContainerLength) -> SectionOptions {
    of(kind).setting(\.columnSpacing, to: spacing).setting(\.lineSpacing, to: spacing)
  }
}
