import ArgumentParser
import TextFormats

extension TextFormat {
  /// The format that a file's ending means.
  ///
  /// - Returns: `nil` for an ending that says nothing.
  init?(ofFile path: String) {
    // That of the text within, where the file is compressed.
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

extension TextFormat {
  /// The format that a text's first bytes look like: JSON begins with a bracket, a header with a
  /// name.
  init(of opening: [UInt8]) {
    let text = opening.starts(with: [0xEF, 0xBB, 0xBF]) ? opening.dropFirst(3) : opening[...]
    let first = text.first { !" \t\r\n".utf8.contains($0) }
    self = first == UInt8(ascii: "{") || first == UInt8(ascii: "[") ? .ndjson : .csv
  }
}

extension TextFormat: ExpressibleByArgument {}
