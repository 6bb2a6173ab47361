import Foundation

/// The operations of clients and their observations, and the resulting log.
package struct History: Hashable, Sendable {
  /// The client operations, in any order.
  package var operations: [ClientOperation]
  /// The final log, in any order.
  package var log: [LoggedEntry]

  package init(operations: [ClientOperation] = [], log: [LoggedEntry] = []) {
    (self.operations, self.log) = (operations, log)
  }

  /// - Parameters:
  ///   - operations: NDJSON of ``ClientOperation``; empty lines are ignored.
  ///   - log: NDJSON of ``LoggedEntry``.
  /// - Throws: ``UnreadableLine``.
  package init(operations: String, log: String) throws {
    self.operations = try Self.decode(operations, of: "operations")
    self.log = try Self.decode(log, of: "log")
  }

  /// Returns one line per operation and entry, with members in alphabetical order.
  package func ndjson() throws -> (operations: String, log: String) {
    (try Self.encode(operations), try Self.encode(log))
  }

  /// A line of a history that cannot be parsed.
  package struct UnreadableLine: Error, CustomStringConvertible {
    package var file: String
    /// The line number, from 1.
    package var line: Int
    package var reason: String

    package var description: String { "\(file), line \(line): \(reason)" }
  }

  static func decode<Line: Decodable>(_ text: String, of file: String) throws -> [Line] {
    let decoder = JSONDecoder()
    var lines: [Line] = []
    let texts = text.split(separator: "\n", omittingEmptySubsequences: false)
    for (index, text) in texts.enumerated() where !text.isEmpty {
      do {
        lines.append(try decoder.decode(Line.self, from: Data(text.utf8)))
      } catch {
        throw UnreadableLine(file: file, line: index + 1, reason: "\(error)")
      }
    }
    return lines
  }

  private static func encode(_ lines: [some Encodable]) throws -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    var text = ""
    for line in lines { text += String(decoding: try encoder.encode(line), as: UTF8.self) + "\n" }
    return text
  }
}
