/// The indices of the wanted columns, as the header gives them.
struct DelimitedColumns: Equatable {
  var key: Int
  var width: Int
  var height: Int
  var section: Int?
  var span: Int?
  /// The number of columns in the header.
  var count: Int
  /// One more than the largest index above.
  var neededCount: Int

  /// Finds the columns of a header.
  ///
  /// - Throws: `missingColumn`, `duplicateColumn`.
  init(header: [String], fields: FieldNames, line: Int) throws(FormatError) {
    func index(_ name: String) throws(FormatError) -> Int? {
      // Byte for byte, where `==` on strings would equate canonical equivalents.
      let matches = header.indices.filter { header[$0].utf8.elementsEqual(name.utf8) }
      guard matches.count < 2 else {
        throw FormatError(
          line: line, code: .duplicateColumn,
          message: "\(matches.count) columns have the name \"\(excerpt(name))\"; rename all but one"
        )
      }
      return matches.first
    }
    func needed(_ name: String) throws(FormatError) -> Int {
      if let index = try index(name) { return index }
      throw FormatError(
        line: line, code: .missingColumn,
        message: "no column has the name \"\(excerpt(name))\"; there are \(list(header))")
    }
    func optional(_ field: FieldNames.OptionalField) throws(FormatError) -> Int? {
      switch field {
      case .ignored: nil
      case .ifPresent(let name): try index(name)
      case .required(let name): try needed(name)
      }
    }
    key = try needed(fields.key)
    width = try needed(fields.width)
    height = try needed(fields.height)
    section = try optional(fields.section)
    span = try optional(fields.span)
    count = header.count
    neededCount = 1 + max(key, width, height, section ?? 0, span ?? 0)
    assert(neededCount <= count)
  }
}

/// The most column names that a message lists.
private let listedColumnsMax = 20

private func list(_ header: [String]) -> String {
  let names = header.prefix(listedColumnsMax).map { "\"\(excerpt($0))\"" }
  let rest = header.count - names.count
  return names.joined(separator: ", ") + (rest > 0 ? " and \(rest) more" : "")
}
