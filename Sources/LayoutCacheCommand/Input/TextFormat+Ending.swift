import ArgumentParser
import TextFormats

extension TextFormat {
  /// Returns the format of a file by its extension.
  ///
  /// - Returns: `nil` for an unknown extension.
  init?(ofFile path: String) {
    // For a compressed file, the extension before `.gz` counts.
    let path = path.lowercased().hasSuffix(".gz") ? path.dropLast(3) : path[...]
    guard let dot = path.lastIndex(of: "."), !path[dot...].contains("/") else { return nil }
    switch path[dot...].lowercased() {
    case ".csv": self = .csv
    case ".tsv", ".tab": self = .tsv
    case ".ndjson", ".jsonl", ".json": self = .ndjson
    default: return nil
    }
  }
}

extension TextFormat: ExpressibleByArgument {
  /// The names of formats, and their other extensions.
  public init?(argument: String) {
    guard let format = Self(rawValue: argument) ?? Self(ofFile: ".\(argument)") else { return nil }
    self = format
  }
}
