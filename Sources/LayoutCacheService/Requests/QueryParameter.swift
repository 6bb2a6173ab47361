/// The name of a query parameter. Every route lists its parameters; handlers cannot name other
/// ones.
enum QueryParameter: String, CaseIterable, Sendable, CustomStringConvertible {
  case after, allowEmpty, anchor, asLaidOut, at, backward, count, current, data, expect
  case finalOffset, finalRect, format, from, height, id, incarnation, key, layout, limit, missing
  case mode, offset, onDuplicate, onInvalid, point, preferredLengths, rect, section, since
  case size, span, style, text, to, velocity, visible, wait, width

  var description: String { rawValue }
}
