package import LayoutCache

/// Writes items as text that an ``ItemReader`` with default field names can parse.
///
/// CSV and TSV start with the header `key,width,height,section,span`, with `hidden` after it if an
/// item is not shown, and `style` if a section has a style; lines end in LF, which
/// RFC 4180 readers accept too, so that line-based tools can compare exports. Fields are quoted
/// only if necessary. NDJSON objects have their members in the same order, data last, and omit
/// `nil` values. CSV and TSV have data on request: as JSON text in a separate column.
///
/// The text is collected in ``bytes``, which the caller may empty at any time:
///
/// ```swift
/// var writer = ItemWriter(format: .csv)
/// writer.write(key: "a", width: 400, height: 300, section: nil, span: 2)
/// output.write(writer.takeBytes())
/// // key,width,height,section,span
/// // a,400,300,,2
/// ```
///
/// An empty section is parsed as `nil`. An item whose key is empty or, in CSV and TSV, contains
/// NUL is written but rejected by the reader.
package struct ItemWriter: Sendable {
  /// The text since the start or the last ``takeBytes()``, as UTF-8.
  package private(set) var bytes: [UInt8] = []
  private let delimiter: UInt8?
  private let hasHiddenColumn: Bool
  private let hasStyleColumn: Bool
  private let hasDataColumn: Bool

  /// Creates a writer. For CSV and TSV, ``bytes`` contains the header immediately.
  ///
  /// - Parameters:
  ///   - withHidden: Whether CSV and TSV have a column that tells whether layouts show an item.
  ///   - withStyles: Whether CSV and TSV have a column with the section's style.
  ///   - withData: Whether CSV and TSV have a column with the data.
  package init(
    format: TextFormat, withHidden: Bool = false, withStyles: Bool = false,
    withData: Bool = false
  ) {
    delimiter = format.delimiter
    hasHiddenColumn = withHidden
    hasStyleColumn = withStyles
    hasDataColumn = withData
    guard let delimiter else { return }
    let names =
      ["key", "width", "height", "section", "span"] + (withHidden ? ["hidden"] : [])
      + (withStyles ? ["style"] : [])
      + (withData ? ["data"] : [])
    for (index, name) in names.enumerated() {
      if index > 0 { bytes.append(delimiter) }
      bytes.append(contentsOf: name.utf8)
    }
    bytes.append(UInt8(ascii: "\n"))
  }

  /// Appends one item.
  ///
  /// - Parameters:
  ///   - width: The natural width in points.
  ///   - height: The natural height in points.
  /// - Precondition: Width and height are finite.
  package mutating func write(
    key: String, width: Double, height: Double, section: String?, span: Int?,
    visibility: ItemVisibility = .shown, style: String? = nil, data: ItemData? = nil
  ) {
    if let delimiter {
      appendField(key, delimiter)
      bytes.append(delimiter)
      appendDecimal(width, to: &bytes)
      bytes.append(delimiter)
      appendDecimal(height, to: &bytes)
      bytes.append(delimiter)
      if let section { appendField(section, delimiter) }
      bytes.append(delimiter)
      if let span { appendDecimal(span, to: &bytes) }
      if hasHiddenColumn {
        bytes.append(delimiter)
        if let hidden = visibility.ifNotShown { appendField(hidden.text, delimiter) }
      }
      if hasStyleColumn {
        bytes.append(delimiter)
        if let style { appendField(style, delimiter) }
      }
      if hasDataColumn {
        bytes.append(delimiter)
        if let data { appendField(data.json, delimiter) }
      }
    } else {
      var json = JSONWriter()
      json.beginObject()
      json.member("key", key)
      json.member("width", width)
      json.member("height", height)
      if let section { json.member("section", section) }
      if let span { json.member("span", span) }
      json.optionalMember("hidden", visibility.ifNotShown)
      json.optionalMember("style", style)
      json.optionalMember("data", data)
      json.endObject()
      bytes += json.bytes
    }
    bytes.append(UInt8(ascii: "\n"))
  }

  /// Returns the text in ``bytes`` and empties it.
  package mutating func takeBytes() -> [UInt8] {
    let taken = bytes
    bytes = []
    return taken
  }

  private mutating func appendField(_ text: String, _ delimiter: UInt8) {
    let quote = UInt8(ascii: "\"")
    let needsQuotes = text.utf8.contains { byte in
      byte == delimiter || byte == quote || byte == UInt8(ascii: "\n")
        || byte == UInt8(ascii: "\r")
    }
    guard needsQuotes else {
      bytes.append(contentsOf: text.utf8)
      return
    }
    bytes.append(quote)
    for byte in text.utf8 {
      if byte == quote { bytes.append(quote) }
      bytes.append(byte)
    }
    bytes.append(quote)
  }
}
