import Foundation

/// The library's public calls, read from their declarations.
enum PublicCalls {
  /// The types that are or contain numbers.
  private static let forms = """
    \\b(Int|Int64|Double|Duration|Length|Point|Size|Rect|IndexPath|LayoutAnchor|Cell|\
    LayoutAttributes|ElementsQuery|BatchOperation|Continuation|LayoutConfiguration|\
    LayoutCacheOptions|Item|UpsertedItem|InvalidationContext)\\b
    """

  /// The names of all calls that take numbers, such as `LayoutCache.log(of:limit:before:)`.
  static func takingNumbers() throws -> Set<String> {
    let sources = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
      .appending(path: "Sources/LayoutCache")
    guard let files = FileManager.default.enumerator(atPath: sources.path) else { return [] }
    var names: Set<String> = []
    for case let file as String in files where file.hasSuffix(".swift") && !file.contains(".docc/")
    {
      names.formUnion(
        takingNumbers(in: try String(contentsOf: sources.appending(path: file), encoding: .utf8)))
    }
    return names
  }

  static func takingNumbers(in source: String) -> Set<String> {
    var names: Set<String> = []
    // The types around a line, by their indentation.
    var types: [(indentation: Int, name: String)] = []
    let lines = source.split(separator: "\n", omittingEmptySubsequences: false)
    for (index, line) in lines.enumerated() {
      let words = line.drop { $0 == " " }
      if words.isEmpty || words.hasPrefix("//") { continue }
      let indentation = line.count - words.count
      types.removeAll { $0.indentation >= indentation }
      let type = types.map(\.name).joined(separator: ".")
      let kind =
        /^(?:(?:public|package|private|fileprivate|final|indirect) )*(?:extension|struct|class|enum|protocol|actor) ([\w.]+)/
      if let match = words.firstMatch(of: kind) { types.append((indentation, String(match.1))) }
      if type == "LayoutCacheOptions",
        let match = words.firstMatch(of: /^public var (\w+)(?:: (?:Int|Double)\b| = -?[0-9])/)
      {
        names.insert("\(type).\(match.1)")
      }
      let call = /^public (?:[\w()]+ )*?(?:func (\w+)|(init)\b)[^(]*\(/
      guard let match = words.firstMatch(of: call) else { continue }
      // No list of parameters is longer.
      let rest =
        words[match.range.upperBound...] + "\n"
        + lines[(index + 1)...].prefix(30).joined(separator: "\n")
      let parameters = parameters(String(rest))
      guard parameters.contains(where: { $0.type.contains(try! Regex(forms)) }) else { continue }
      let labels = parameters.map { "\($0.label):" }.joined()
      names.insert("\(type).\(match.1 ?? match.2 ?? "")(\(labels))")
    }
    return names
  }

  /// The parameters of a declaration, from the text after its opening parenthesis, without those of
  /// closures.
  private static func parameters(_ text: String) -> [(label: String, type: String)] {
    var parameters: [String] = [""]
    var depth = 0
    for character in text {
      if "([{".contains(character) { depth += 1 }
      if ")]}".contains(character) { depth -= 1 }
      if depth < 0 { break }
      if character == ",", depth == 0 {
        parameters.append("")
      } else {
        parameters[parameters.count - 1].append(character)
      }
    }
    return parameters.compactMap { parameter -> (label: String, type: String)? in
      let parts = parameter.split(separator: ":", maxSplits: 1)
      guard parts.count == 2, let label = parts[0].split(whereSeparator: \.isWhitespace).first
      else { return nil }
      // A full stop is no boundary of a word to `Regex`.
      let type = parts[1].replacing(".", with: " ")
        .replacing("LayoutAttributes SupplementaryKind", with: "")
        .replacing("LayoutConfiguration LayoutDirection", with: "")
      return (String(label), type.contains("->") ? "" : String(type))
    }
  }
}
