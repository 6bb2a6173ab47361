#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

extension StandardOutput {
  /// Writes a value as JSON, with its members sorted by name.
  static func printEncoded(_ value: some Encodable, isPretty: Bool = false) throws {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    if isPretty { encoder.outputFormatting.insert(.prettyPrinted) }
    try printLine(String(decoding: try encoder.encode(value), as: UTF8.self))
  }
}
