package import LayoutCache

/// An item as written in a text.
///
/// The record is parsed but not validated: sizes may be zero, negative or beyond the engine's
/// limits, and keys may repeat.
package struct ItemRecord: Hashable, Sendable {
  /// The item's key, verbatim and not empty.
  package var key: String
  /// The natural width in points; finite, the double nearest to the text.
  package var width: Double
  /// The natural height in points; finite, the double nearest to the text.
  package var height: Double
  /// The section's key, verbatim; `nil` if the field is absent, null or empty.
  package var section: String?
  /// The style of the section, verbatim; `nil` if the field is absent, null or empty.
  package var style: String?
  /// Whether the row has a width and a height; otherwise the size is the one for such rows.
  package var hasSize = true
  /// The column span; `nil` if the field is absent, null or empty.
  package var span: Int?
  /// Whether layouts show the item; `nil` if the field is absent, null or empty.
  package var visibility: ItemVisibility?
  /// The JSON text of the item's data; `nil` if the field is absent, null or empty. From CSV
  /// and TSV it may be any text, from NDJSON it is an object.
  package var data: String?
  /// The line, counted from 1, on which the record starts.
  package var line: Int
}
