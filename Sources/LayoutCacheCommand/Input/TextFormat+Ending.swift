import ArgumentParser
import TextFormats

extension TextFormat {
  /// The format that a file's ending stands for.
  ///
  /// - Returns: `nil` for an ending that says nothing.
  init?(ofFile path: String) {
    guard let dot = path.lastIndex(of: "."), !path[dot...].contains("/") else { return nil }
    switch path[dot...].lowercased() {
    case ".csv": self = .csv
    case ".tsv", ".tab": self = .tsv
    case ".ndjson", ".jsonl", ".json": self = .ndjson
    default: return nil
    }
  }
}

extension TextFormat: ExpressibleByArgument {}
