import TextFormats

/// The name of a query parameter. Every route lists its parameters; handlers cannot name other
/// ones.
enum QueryParameter: String, CaseIterable, Sendable, CustomStringConvertible {
  case after, allowEmpty, anchor, asLaidOut, at, backward, count, current, data, decimal
  case direction, expect
  case finalOffset, finalRect, format, from, header, height, hidden, id, incarnation, items
  case key, layout, limit, missing, mode, offset, onDuplicate, onInvalid, orientation, order, point
  case preferredLengths, rect, scale, section, sectionOrder, sections, since, size, skipLines, span
  case style, to, velocity, view, visible, wait, width
  case `where`

  var description: String { rawValue }
}

extension QueryParameter {
  /// The parameter of an import's option, which has the same name.
  init(_ option: ImportOption) {
    guard let parameter = Self(rawValue: option.rawValue) else {
      preconditionFailure("no query parameter is named \(option.rawValue)")
    }
    self = parameter
  }
}
