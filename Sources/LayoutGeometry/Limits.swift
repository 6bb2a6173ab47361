/// All limits on input, and the checks that enforce them. A violation is a ``LimitError`` with
/// the limit and the value.
public enum Limits {
  /// The bytes of UTF-8 in the name of a dataset or layout, or in a key.
  public static let nameBytesMax = 255
  /// The greatest natural width or height, and container length: 1,000,000 points.
  public static let sideMax: Length = 1_000_000
  /// The minimum container length, and the minimum cross length of a column.
  package static let trackMin: Length = 1
  /// The columns of a section.
  public static let columnsMax = 256
  /// The weight of a grid's column.
  package static let columnWeightMax = 1000
  /// The column span of an item, before it is clamped to a layout's columns.
  public static let columnSpanMax = 65_535
  /// The sections of a dataset.
  public static let sectionsMax = 1_000_000
  /// The items of a dataset.
  public static let itemsMax = 1 << 40
  /// The length of a layout's content along its main axis.
  public static let contentLengthMax = Length(units: 1 << 50)
  /// The numbers in the state that a custom kind passes from item to item.
  public static let customStateCountMax = 64
  /// The distance from the anchor at which a custom kind may place an item, and by which it may
  /// move the anchor: sixteen times ``sideMax``, room for the longest item with its spacing.
  public static let customReachMax = sideMax * 16
  /// The lookahead of a custom kind, in items.
  public static let customLookaheadMax = 64
  /// The magnitude of the z-index of cells and of a custom kind's elements, below those of pinned
  /// elements: the layout's header or footer, a section's, and 16 others.
  public static let customZIndexMax = 2_147_483_629
  /// The badges of a section.
  package static let badgesMax = 16
  /// The sides and the offset of badges, and the length of separators.
  package static let badgeLengthMax: Length = 1000
  /// The decorations of a section.
  package static let decorationsMax = 16
  /// The items of a run, each of which has a decoration.
  package static let runCountMax = 1000
  /// The decorators of a section.
  package static let decoratorsMax = 8
  /// The kinds of elements of a decorator.
  package static let decoratorKindsMax = 64
  /// The magnitude of a member of the transform of a custom kind's cell, in points.
  public static let customTransformMax = 1e9
  /// The members of the values of a custom kind's cell.
  public static let customValuesMax = 16
  /// The bytes of the values of a custom kind's cell: a JSON object without white space.
  public static let customValuesBytesMax = 1024
  /// The bytes of an item's data: a JSON object without white space between its values.
  public static let dataBytesMax = 4096
  /// The bytes of a batch of operations, as encoded in the log: the inserted and changed items,
  /// and the positions of others. Larger amounts must be imported.
  public static let batchBytesMax = 16 << 20
  /// The sources of changes with a mark in a dataset.
  public static let marksMax = 1000
  /// The scroll positions of carousels in one request.
  package static let carouselOffsetsMax = 256
  /// The datasets of a database.
  public static let datasetsMax = 1_000_000
  /// The layouts of a dataset.
  public static let layoutsMax = 10_000
  /// The variants that a responsive layout may keep.
  package static let variantsMax = 256
  /// The bytes of a layout's configuration as JSON: room for overrides of some thousand sections.
  public static let configurationBytesMax = 256 << 10
  /// The elements of a section's boundary in addition to its header and footer.
  package static let supplementaryMax = 16
  /// The breakpoints of a configuration: each is checked together with all styles and overrides.
  package static let breakpointsMax = 32

  /// Checks a name or key: 1 to 255 bytes of UTF-8 without control characters (U+0000 to
  /// U+001F, U+007F to U+009F).
  ///
  /// - Throws: ``LimitError`` naming the subject.
  /// - Complexity: O(1): names that are too long are not scanned.
  public static func check(name: String, as subject: LimitError.Subject) throws(LimitError) {
    let bytes = name.utf8.count
    if bytes == 0 { throw LimitError(.tooShort, subject, limit: 1, value: 0) }
    if bytes > nameBytesMax {
      throw LimitError(.tooLong, subject, limit: Double(nameBytesMax), value: Double(bytes))
    }
    var name = name
    let isPlain = name.withUTF8 { utf8 in
      var previous: UInt8 = 0
      for byte in utf8 {
        // C1 controls are C2 80 to C2 9F in UTF-8.
        if byte < 0x20 || byte == 0x7F || (previous == 0xC2 && byte < 0xA0) { return false }
        previous = byte
      }
      return true
    }
    if !isPlain { throw LimitError(.controlCharacter, subject, limit: 0, value: 0) }
  }

  /// Converts a natural width or height to a length above 0 and at most ``sideMax``.
  ///
  /// - Throws: ``LimitError`` if the value is not finite, above the limit, or not above zero
  ///   after rounding down to 1/64 point.
  public static func naturalSide(
    points: Double, as subject: LimitError.Subject
  ) throws(LimitError) -> Length {
    let refusal = LimitError(.notPositive, subject, limit: Length(units: 1).points, value: points)
    if points <= 0 && points.isFinite { throw refusal }
    let length = try length(points: points, in: 0...sideMax.points, as: subject)
    if length == .zero { throw refusal }
    return length
  }

  /// Converts points to a length, rounded down, after checking them against a closed range.
  ///
  /// - Throws: ``LimitError`` if the value is not finite or out of range.
  public static func length(
    points: Double, in range: ClosedRange<Double>, as subject: LimitError.Subject
  ) throws(LimitError) -> Length {
    try check(points, in: range, as: subject)
    guard let length = Length(points: points) else {
      throw LimitError(.tooLarge, subject, limit: range.upperBound, value: points)
    }
    return length
  }

  /// Converts a natural width and height in points to a size; see ``naturalSide(points:as:)``.
  package static func naturalSize(
    width: Double, height: Double
  ) throws(LimitError) -> Size {
    Size(
      width: try naturalSide(points: width, as: "width"),
      height: try naturalSide(points: height, as: "height"))
  }

  /// Checks a length against the range of ``naturalSide(points:as:)``.
  ///
  /// - Throws: ``LimitError`` if it is not above zero, or above ``sideMax``.
  package static func check(
    naturalSide side: Length, as subject: LimitError.Subject
  ) throws(LimitError) {
    if side <= .zero {
      throw LimitError(.notPositive, subject, limit: Length(units: 1).points, value: side.points)
    }
    try check(side, in: .zero...sideMax, as: subject)
  }

  /// Checks both sides of a size against the range of ``naturalSide(points:as:)``.
  ///
  /// - Throws: ``LimitError`` for the first invalid side.
  package static func check(naturalSize size: Size) throws(LimitError) {
    try check(naturalSide: size.width, as: "width")
    try check(naturalSide: size.height, as: "height")
  }

  /// Checks the length of a section's or layout's content against ``contentLengthMax``.
  ///
  /// - Throws: ``LimitError`` if it is longer.
  @inlinable
  package static func checkContent(_ length: Length) throws(LimitError) {
    guard length > contentLengthMax else { return }
    throw LimitError(
      .tooLarge, "content length", limit: contentLengthMax.points, value: length.points)
  }
}
