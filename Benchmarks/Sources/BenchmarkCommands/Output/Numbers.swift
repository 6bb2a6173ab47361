import Foundation

/// A count with its noun: "1 item", "2 items".
func plural(_ count: Int, _ noun: String) -> String { "\(count) \(noun)\(count == 1 ? "" : "s")" }

/// A number rounded to one decimal.
func oneDecimal(_ number: Double) -> String {
  let tenths = Int((number * 10).rounded())
  return "\(tenths / 10).\(tenths % 10)"
}

/// A number with two decimals; without decimals from 100 on, and with five below a hundredth.
func twoDigits(_ value: Double) -> String {
  value >= 100
    ? String(Int(value.rounded())) : String(format: value < 0.01 ? "%.5f" : "%.2f", value)
}

/// A ratio with three decimals.
func threeDecimals(_ value: Double) -> String { String(format: "%.3f", value) }

/// A number of microseconds with two decimals; without decimals from 1,000 on.
func microseconds(_ value: Double) -> String {
  value >= 1000 ? String(Int(value.rounded())) : String(format: "%.2f", value)
}

/// Details by name as texts, such as "22.3 nodes visited".
func workTexts(_ details: [(name: String, value: Double)]) -> [String] {
  details.map { detail in
    let words = detail.name.reduce(into: "") { words, character in
      if character.isUppercase { words += " " }
      words += character.lowercased()
    }
    return "\(oneDecimal(detail.value)) \(words)"
  }
}
