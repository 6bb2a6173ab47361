import ArgumentParser
import CollectionLayout
import TextFormats

// What flags hold that are no plain numbers, as the configuration's JSON states it.

/// Reads a number. What is none is a name, which the configuration knows or refuses.
func nameOrNumber(_ text: String) -> ConfigurationValue {
  if let number = try? number(text) { .number(number) } else { .string(text) }
}

/// Reads insets: one number for all sides, or four.
func insets(_ text: String) throws -> ConfigurationValue {
  var sides = try text.split(separator: ",", omittingEmptySubsequences: false)
    .map { ConfigurationValue.number(try number($0.trimmingSpaces)) }
  if sides.count == 1 { sides = Array(repeating: sides[0], count: 4) }
  guard sides.count == 4 else {
    throw ValidationError("it takes one number or four, TOP,LEFT,BOTTOM,RIGHT")
  }
  return .object(["top": sides[0], "left": sides[1], "bottom": sides[2], "right": sides[3]])
}

/// Reads a size of items: WIDTHxHEIGHT, or natural.
func itemSize(_ text: String) throws -> ConfigurationValue {
  if text == "natural" { return .string(text) }
  let sides = text.split(separator: "x", omittingEmptySubsequences: false)
  guard sides.count == 2 else {
    throw ValidationError("it takes natural, or a size such as 100x80")
  }
  return .object([
    "width": .number(try number(sides[0].trimmingSpaces)),
    "height": .number(try number(sides[1].trimmingSpaces)),
  ])
}
