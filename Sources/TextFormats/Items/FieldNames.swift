import JSONText

/// The columns of CSV and TSV, or the members of NDJSON objects, that hold an
/// item's values.
///
/// Names are compared byte for byte: case, surrounding spaces and Unicode normalization are
/// significant. One name may serve two fields, for instance a column `side` that is both width
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
  /// The name of the field with the style of the item's section.
  package var style: OptionalField
  /// The fields with the item's data.
  package var data: DataFields

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
    self.key = key
    self.width = width
    self.height = height
    self.section = section
    self.span = span
    self.style = style
    self.data = data
  }
}

extension FieldNames {
  /// Returns the width or height of all items that a name denotes; `nil` if the name is
  /// not a number.
  static func constant(_ name: String) -> Double? {
    var name = name
    return name.withUTF8 { try? parseDouble(UnsafeRawBufferPointer($0)) }
  }
}
