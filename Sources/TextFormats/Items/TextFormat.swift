/// A text format with one item per record.
///
/// All three are UTF-8; a byte order mark at the start is skipped.
///
/// Source: [RFC 4180](https://www.rfc-editor.org/rfc/rfc4180) for CSV. Lines may also end in LF
/// or CR. TSV is the same grammar with tabs instead of commas, quotes included, as written by
/// spreadsheets, not the `text/tab-separated-values` registration that forbids tabs in a field.
package enum TextFormat: String, CaseIterable, Hashable, Sendable {
  /// Comma-separated values with a header row.
  case csv
  /// Tab-separated values with a header row, quoted like CSV.
  case tsv
  /// One JSON object per line ([RFC 8259](https://www.rfc-editor.org/rfc/rfc8259)), lines
  /// ending in LF or CRLF.
  case ndjson

  /// The byte between two fields; `nil` for NDJSON.
  var delimiter: UInt8? {
    switch self {
    case .csv: UInt8(ascii: ",")
    case .tsv: UInt8(ascii: "\t")
    case .ndjson: nil
    }
  }
}
