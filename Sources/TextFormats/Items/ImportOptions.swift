package import LayoutCache
import LayoutGeometry

/// The separation of a text's rows, and the notation of its numbers.
package struct TextShape: Hashable, Sendable {
  /// The number of lines before the header or the first row.
  package var skippedLines = 0
  /// Whether the first row of CSV and TSV names the columns; otherwise their names are their
  /// numbers, from 1.
  package var hasHeader = true
  /// Whether decimals follow a comma.
  package var usesDecimalComma = false
  /// The member of a JSON object with the list of items, as a path with points.
  package var items: String?

  package init() {}
}

/// An option of an import that concerns the contents of its text: for the shell a flag, over HTTP
/// a parameter of the query. The order is that of messages.
package enum ImportOption: String, CaseIterable, Sendable {
  case key, width, height, size, scale, orientation, section, sectionOrder, span, hidden, style
  case data
  case decimal, skipLines, header, items
  case order, sections

  /// The flag for a value: `--skip-lines`.
  package var flag: String {
    if self == .header { return "--no-header" }
    return "--"
      + rawValue.reduce(into: "") { $0 += $1.isUppercase ? "-\($1.lowercased())" : String($1) }
  }
}

/// The options of an import, as they were given, and their meaning.
package struct ImportOptions: Hashable, Sendable {
  package private(set) var fields = FieldNames()
  package private(set) var shape = TextShape()
  /// Whether sections are in the order of their keys instead of their appearance.
  package private(set) var sortsSections = false
  /// The order of the dataset; `.some(nil)` for none, `nil` for its present one.
  package private(set) var order: DatasetOrder??
  package private(set) var values: [ImportOption: String] = [:]

  package init() {}

  /// Sets an option.
  ///
  /// - Throws: ``ValueTextError``.
  package mutating func set(
    _ option: ImportOption, _ value: String
  ) throws(ValueTextError) {
    func error(_ description: String) -> ValueTextError { ValueTextError(description: description) }
    func choice(_ first: String, _ second: String) throws(ValueTextError) -> Bool {
      guard value == first || value == second else {
        throw error("expected \(first) or \(second), not '\(excerpt(value))'")
      }
      return value == first
    }
    switch option {
    case .key: fields.key = value
    case .width: fields.width = value
    case .height: fields.height = value
    case .size:
      let sides = value.split(separator: "x", omittingEmptySubsequences: false)
        .map { FieldNames.constant(String($0)) ?? 0 }
      guard sides.count == 2, sides.allSatisfy({ $0 > 0 }) else {
        throw error("expected WIDTHxHEIGHT, such as 320x400, not '\(excerpt(value))'")
      }
      fields.size = FieldNames.ItemSize(width: sides[0], height: sides[1])
    case .scale:
      guard let scale = FieldNames.constant(value), scale > 0, scale <= 1_000_000 else {
        throw error("expected a number above 0 and at most 1000000, not '\(excerpt(value))'")
      }
      fields.scale = scale
    case .orientation: fields.orientation = .required(value)
    case .section: fields.section = .required(value)
    case .sectionOrder: sortsSections = try choice("value", "appearance")
    case .span: fields.span = .required(value)
    case .hidden: fields.hidden = value.isEmpty ? .ignored : .required(value)
    case .style: fields.style = value.isEmpty ? .ignored : .required(value)
    case .data:
      fields.data = .members(try DataMember.list(value))
    case .decimal: shape.usesDecimalComma = try choice("comma", "point")
    case .skipLines:
      guard let count = Int(value), (0...1_000_000).contains(count) else {
        throw error("expected a whole number from 0 to 1000000, not '\(excerpt(value))'")
      }
      shape.skippedLines = count
    case .header: shape.hasHeader = try choice("true", "false")
    case .items:
      guard !value.split(separator: ".").isEmpty else {
        throw error("expected the name of a member, not '\(excerpt(value))'")
      }
      shape.items = value
    case .order:
      order = try DatasetOrder.stated(order: value, sections: values[.sections])
    case .sections:
      order = try DatasetOrder.stated(order: values[.order], sections: value)
    }
    values[option] = value
  }

  /// The options that differ from their defaults, with their values.
  package var stated: [(option: ImportOption, value: String)] {
    let usual = ["key", "width", "height", "section", "span", "hidden", "style"]
    return ImportOption.allCases.compactMap { option in
      guard let value = values[option] else { return nil }
      return usual.contains(option.rawValue) && value == option.rawValue ? nil : (option, value)
    }
  }
}
