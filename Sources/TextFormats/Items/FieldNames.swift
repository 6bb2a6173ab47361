import JSONText

/// The columns of CSV and TSV, or the members of NDJSON objects, that hold an item's values.
///
/// Names are compared byte for byte: case and Unicode normalization are significant. Spaces
/// around names of columns are not. One name may serve two fields, for instance a column `side` that is both width
/// and height of square items.
///
/// ```swift
/// var fields = FieldNames()
/// fields.key = "accession"
/// fields.section = .required("year")
/// ```
package struct FieldNames: Hashable, Sendable {
  /// The source of the values of an optional field.
  package enum OptionalField: Hashable, Sendable {
    /// Nothing is read; every item has `nil`.
    case ignored
    /// The column is read if the header has it.
    case ifPresent(String)
    /// The header must have the column. An NDJSON object may still lack the member, because
    /// objects have no header to check.
    case required(String)

    /// The column's or member's name; `nil` for ``ignored``.
    package var name: String? {
      switch self {
      case .ignored: nil
      case .ifPresent(let name), .required(let name): name
      }
    }

    /// Whether the header must have the column.
    package var isRequired: Bool { if case .required = self { true } else { false } }
  }

  /// The source of an item's data.
  package enum DataFields: Hashable, Sendable {
    /// One optional column or member with the object: as JSON text in CSV and TSV.
    case object(String)
    /// The members of the object, in this order. The header must have all of their fields.
    /// Without a type, texts of CSV and TSV become strings, and values of NDJSON objects are
    /// unchanged. Empty texts and `null` are omitted. An item without any value has no data.
    case members([DataMember])
  }

  /// A width and a height in points.
  package struct ItemSize: Hashable, Sendable {
    var width: Double
    var height: Double
  }

  /// The name of a key that is the number of the item's row, counted from 1.
  package static let rowNumber = "#row"

  /// The name of the field with the item's key.
  package var key: String
  /// The name of the field with the natural width.
  package var width: String
  /// The name of the field with the natural height.
  package var height: String
  /// The name of the field with the section's key.
  package var section: OptionalField
  /// The name of the field with the column span.
  package var span: OptionalField
  /// The name of the field that tells whether layouts show the item.
  package var hidden = OptionalField.ifPresent("hidden")
  /// The name of the field with the style of the item's section.
  package var style: OptionalField
  /// The fields with the item's data.
  package var data: DataFields
  /// The name of the field with EXIF's orientation, whose values 5 to 8 swap width and height.
  package var orientation = OptionalField.ignored
  /// The size of items without a width or a height; without it, they are invalid.
  package var size: ItemSize?
  /// The factor for widths and heights in fields.
  package var scale = 1.0

  /// Creates field names; each defaults to the English word.
  package init(
    key: String = "key",
    width: String = "width",
    height: String = "height",
    section: OptionalField = .ifPresent("section"),
    span: OptionalField = .ifPresent("span"),
    style: OptionalField = .ifPresent("style"),
    data: DataFields = .object("data")
  ) {
    (self.key, self.width, self.height, self.section) = (key, width, height, section)
    (self.span, self.style, self.data) = (span, style, data)
  }
}

extension FieldNames {
  /// The size of an item, and whether its row has one.
  struct RowSize {
    var width = 1.0
    var height = 1.0
    var isGiven = true
  }

  /// Returns the size of an item.
  ///
  /// - Parameters:
  ///   - orientation: The content of the orientation's field; `nil` for none.
  ///   - problem: Makes the problem of an invalid orientation.
  func size(
    _ width: Double?, _ height: Double?, orientation: String?, isConstant: (Bool, Bool),
    problem: () -> RecordProblem
  ) throws(RecordProblem) -> RowSize {
    guard let width, let height else {
      return RowSize(width: size?.width ?? 1, height: size?.height ?? 1, isGiven: false)
    }
    let sides = (isConstant.0 ? width : width * scale, isConstant.1 ? height : height * scale)
    guard let orientation else { return RowSize(width: sides.0, height: sides.1) }
    let text = orientation[...].trimmingSpaces
    // ExifTool writes 6 as "Rotate 90 CW".
    let turns = ["90", "270"].contains { text.split(separator: " ").contains(Substring($0)) }
    if turns || ["5", "6", "7", "8"].contains(text) {
      return RowSize(width: sides.1, height: sides.0)
    }
    guard text.isEmpty || FieldNames.uprightOrientations.contains(String(text)) else {
      throw problem()
    }
    return RowSize(width: sides.0, height: sides.1)
  }

  /// 0 is written by cameras that don't know it.
  private static let uprightOrientations: Set = [
    "0", "1", "2", "3", "4", "Horizontal (normal)", "Mirror horizontal", "Rotate 180",
    "Mirror vertical", "Unknown (0)",
  ]

  /// Returns the width or height of all items that a name denotes; `nil` if the name is
  /// not a number.
  static func constant(_ name: String) -> Double? {
    var name = name
    return name.withUTF8 { try? parseDouble(UnsafeRawBufferPointer($0)) }
  }
}
