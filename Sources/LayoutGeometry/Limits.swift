/// Every limit on what comes from outside, and the checks that hold input to
/// them. A breach is a ``LimitError`` that states the limit and the value.
public enum Limits {
  /// The bytes of UTF-8 in the name of a dataset or layout, or in a key.
  public static let nameBytesMax = 255
  /// The greatest natural width or height, and container length: 1,000,000 points.
  public static let sideMax: Length = 1_000_000
  /// The least container length, and the least cross length of a column.
  public static let trackMin: Length = 1
  /// The columns of a section.
  public static let columnsMax = 256
  /// The column span of an item, before it is clamped to a layout's columns.
  public static let columnSpanMax = 65_535
  /// The sections of a dataset.
  public static let sectionsMax = 1_000_000
  /// The items of a dataset.
  public static let itemsMax = 1 << 40
  /// The length of a layout's content along its main axis.
  public static let contentLengthMax = Length(units: 1 << 50)
  /// The numbers in the state that a custom kind keeps from item to item.
  public static let customStateCountMax = 64
  /// How far from the anchor a custom kind may place an item, and how far it may move the
  /// anchor: sixteen times ``sideMax``, room for the longest item with its spacing.
  public static let customReachMax = sideMax * 16
  /// The items that a custom kind may see after the one that it places.
  public static let customLookaheadMax = 64
  /// The z-index of a custom kind's elements, either way: below that of what is pinned.
  public static let customZIndexMax = 2_147_483_646
  /// The bytes of an item's data: a JSON object without white space between its values.
  public static let dataBytesMax = 4096
  /// The bytes of a batch of operations, as it is written into the log: every item that
  /// it inserts or changes, and the places of all others. More items are imported.
  public static let batchBytesMax = 16 << 20
  /// The sources of a dataset's changes that have a mark.
  public static let marksMax = 1000
  /// The datasets of a database.
  public static let datasetsMax = 1_000_000
  /// The layouts of a dataset.
  public static let layoutsMax = 10_000
  /// The bytes of a layout's configuration as JSON: room for an override of some
  /// hundred thousand sections.
  public static let configurationBytesMax = 64 << 20

  /// Checks a name or key: 1 to 255 bytes of UTF-8 without control characters
  /// (U+0000 to U+001F, U+007F to U+009F).
  ///
  /// - Throws: ``LimitError`` naming the subject.
  /// - Complexity: O(1): what is too long is not looked at.
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

  /// Turns a natural width or height into a length above 0 and at most
  /// ``sideMax``.
  ///
  /// - Throws: ``LimitError`` where the value is not finite, above the limit, or
  ///   not above zero once it is rounded down to 1/64 point.
  public static func naturalSide(
    points: Double, as subject: LimitError.Subject
  ) throws(LimitError) -> Length {
    let refusal = LimitError(
      .notPositive, subject, limit: Length(units: 1).points, value: points)
    if points <= 0 && points.isFinite { throw refusal }
    let length = try length(points: points, in: 0...sideMax.points, as: subject)
    if length == .zero { throw refusal }
    return length
  }

  /// Turns points into a length, rounded down, and holds it to a closed range of points.
  ///
  /// - Throws: ``LimitError`` where the value is not finite or out of range.
  public static func length(
    points: Double, in range: ClosedRange<Double>, as subject: LimitError.Subject
  ) throws(LimitError) -> Length {
    try check(points, in: range, as: subject)
    guard let length = Length(points: points) else {
      throw LimitError(.tooLarge, subject, limit: range.upperBound, value: points)
    }
    return length
  }

  /// Turns a natural width and height in points into a size; see
  /// ``naturalSide(points:as:)``.
  package static func naturalSize(
    width: Double, height: Double
  ) throws(LimitError) -> Size {
    Size(
      width: try naturalSide(points: width, as: "width"),
      height: try naturalSide(points: height, as: "height"))
  }

  /// Holds a length to what ``naturalSide(points:as:)`` gives.
  ///
  /// - Throws: ``LimitError`` where it is not above zero, or above ``sideMax``.
  package static func check(
    naturalSide side: Length, as subject: LimitError.Subject
  ) throws(LimitError) {
    if side <= .zero {
      throw LimitError(.notPositive, subject, limit: Length(units: 1).points, value: side.points)
    }
    try check(side, in: .zero...sideMax, as: subject)
  }

  /// Holds both sides of a size to what ``naturalSide(points:as:)`` gives.
  ///
  /// - Throws: ``LimitError`` for the first side beyond.
  package static func check(naturalSize size: Size) throws(LimitError) {
    try check(naturalSide: size.width, as: "width")
    try check(naturalSide: size.height, as: "height")
  }

  /// Holds the length of a section's content, or of a layout's, to
  /// ``contentLengthMax``.
  ///
  /// - Throws: ``LimitError`` where it is longer.
  @inlinable
  package static func checkContent(_ length: Length) throws(LimitError) {
    guard length > contentLengthMax else { return }
    throw LimitError(
      .tooLarge, "content length", limit: contentLengthMax.points, value: length.points)
  }
}
