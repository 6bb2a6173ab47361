/// The columns of CSV and TSV, or the members of NDJSON objects, that hold an
/// item's values.
///
/// Names are compared byte for byte: case, surrounding spaces and Unicode
/// normalization count. One name may serve two fields, for instance a column
/// `side` that is both width and height of square items.
///
/// ```swift
/// var fields = FieldNames()
/// fields.key = "accession"
/// fields.section = .required("year")
/// ```
package struct FieldNames: Hashable, Sendable {
  /// Where the values of a field come from that an item can do without.
  package enum OptionalField: Hashable, Sendable {
    /// Nothing is read; every item has nil.
    case ignored
    /// The column is read if the header has it.
    case ifPresent(String)
    /// The header must have the column. An NDJSON object may still lack the
    /// member, because objects have no header to check.
    case required(String)

    /// The column's or member's name; nil when ``ignored``.
    package var name: String? {
      switch self {
      case .ignored: nil
      case .ifPresent(let name), .required(let name): name
      }
    }
  }

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

  /// Creates field names; each is the English word unless given.
  package init(
    key: String = "key",
    width: String = "width",
    height: String = "height",
    section: OptionalField = .ifPresent("section"),
    span: OptionalField = .ifPresent("span")
  ) {
    self.key = key
    self.width = width
    self.height = height
    self.section = section
    self.span = span
  }
}
