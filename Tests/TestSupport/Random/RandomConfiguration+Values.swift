extension RandomConfiguration {
  func member(_ key: String, _ value: Double) -> JSONValue.Member {
    JSONValue.Member(key: key, value: .number(value))
  }

  func member(_ key: String, _ value: String) -> JSONValue.Member {
    JSONValue.Member(key: key, value: .string(value))
  }

  /// Points; mostly a screen's.
  static func crossLength(using generator: inout SeededGenerator) -> Double {
    switch Int.random(in: 0..<12, using: &generator) {
    case 0: Double(Int.random(in: 1...40, using: &generator))
    case 1: 1_000_000
    case 2, 3: Double.random(in: 100...2000, using: &generator)
    case 4: 1001
    case 5: 1200
    default: Double(Int.random(in: 200...1500, using: &generator))
    }
  }

  static func columnCount(using generator: inout SeededGenerator) -> Int {
    switch Int.random(in: 0..<12, using: &generator) {
    case 0: 256
    case 1: Int.random(in: 9...40, using: &generator)
    default: Int.random(in: 1...8, using: &generator)
    }
  }

  /// Points, 0 to 60, whole or not a multiple of 1/64.
  static func length(using generator: inout SeededGenerator) -> Double {
    switch Int.random(in: 0..<6, using: &generator) {
    case 0: 0
    case 1: Double.random(in: 0...60, using: &generator)
    case 2: Double(Int.random(in: 1...200, using: &generator)) / 64
    default: Double(Int.random(in: 1...30, using: &generator))
    }
  }

  static func positiveLength(using generator: inout SeededGenerator) -> Double {
    max(1.0 / 64, length(using: &generator) * 5)
  }

  /// As ``length(using:)``, or rarely relative to the container: mostly a small part of it, or
  /// nearly all of it less a length.
  static func lengthOrFraction(using generator: inout SeededGenerator) -> JSONValue {
    generator.oneIn(12) ? fraction(using: &generator) : .number(length(using: &generator))
  }

  /// As ``positiveLength(using:)``, or relative to the container.
  static func positiveLengthOrFraction(using generator: inout SeededGenerator) -> JSONValue {
    generator.oneIn(6) ? fraction(using: &generator) : .number(positiveLength(using: &generator))
  }

  static func fraction(using generator: inout SeededGenerator) -> JSONValue {
    let fractions = [0.05, 0.29, 0.5, 1.0 / 3, 1, 1.2, .random(in: 0.001...0.2, using: &generator)]
    let fraction = fractions.randomElement(using: &generator)!
    var members = [JSONValue.Member(key: "fraction", value: .number(fraction))]
    if generator.oneIn(2) {
      members.append(.init(key: "minus", value: .number(length(using: &generator))))
    }
    return .object(members)
  }

  static func inset(using generator: inout SeededGenerator) -> JSONValue {
    var members: [JSONValue.Member] = []
    for edge in ["top", "left", "bottom", "right"] where !generator.oneIn(4) {
      members.append(.init(key: edge, value: lengthOrFraction(using: &generator)))
    }
    return .object(members)
  }
}
