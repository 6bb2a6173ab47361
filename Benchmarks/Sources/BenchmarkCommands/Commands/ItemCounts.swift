import ArgumentParser
import Foundation

/// Numbers of items as the value of an option, separated by commas.
struct ItemCounts {
  static let range = 1_000...100_000_000

  let counts: [Int]

  init(_ text: String) throws {
    counts = try text.split(separator: ",", omittingEmptySubsequences: false).map { part in
      guard let count = Int(part.trimmingCharacters(in: .whitespaces)), Self.range.contains(count)
      else {
        throw ValidationError(
          "'\(part)' is not a number from \(Self.range.lowerBound) to \(Self.range.upperBound)")
      }
      return count
    }
  }
}
