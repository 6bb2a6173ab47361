import ArgumentParser
import CollectionLayout
import TextFormats

// Values of flags other than plain numbers, converted to the configuration's JSON.

/// Parses a number or a name. The configuration validates names.
func nameOrNumber(_ text: String) -> ConfigurationValue {
  if let number = try? number(text) { .number(number) } else { .string(text) }
}

/// Parses insets: one number for all sides, or four.
func insets(_ text: String) throws -> ConfigurationValue {
  var sides = try text.split(separator: ",", omittingEmptySubsequences: false)
    .map { ConfigurationValue.number(try number($0.trimmingSpaces)) }
  if sides.count == 1 { sides = Array(repeating: sides[0], count: 4) }
  guard sides.count == 4 else {
    throw ValidationError("give one number or four, TOP,LEFT,BOTTOM,RIGHT")
  }
  return .object(["top": sides[0], "left": sides[1], "bottom": sides[2], "right": sides[3]])
}

/// Parses a number of columns, or their weights: 2,1,1.
func columns(_ text: String) throws -> ConfigurationValue {
  let weights = try text.split(separator: ",", omittingEmptySubsequences: false)
    .map { ConfigurationValue.number(Double(try wholeNumber($0.trimmingSpaces))) }
  return weights.count == 1 ? weights[0] : .array(weights)
}

/// Parses the name of a rule for where scrolling rests, or offsets: 0,300,600.
func snapPositions(_ text: String) throws -> ConfigurationValue {
  guard text.first?.isNumber ?? false else { return .string(text) }
  return .array(try text.split(separator: ",").map { .number(try number($0.trimmingSpaces)) })
}

/// Parses an item size: WIDTHxHEIGHT, or `natural`.
func itemSize(_ text: String) throws -> ConfigurationValue {
  if text == "natural" { return .string(text) }
  let sides = text.split(separator: "x", omittingEmptySubsequences: false)
  guard sides.count == 2 else { throw ValidationError("give natural, or a size such as 100x80") }
  return .object([
    "width": .number(try number(sides[0].trimmingSpaces)),
    "height": .number(try number(sides[1].trimmingSpaces)),
  ])
}
