package import LayoutCache
import TestSupport

/// The previous answers, by layout, incarnation and revision. Two answers with the same three must
/// be equal, from any cache.
package struct KnownAnswers {
  /// A layout's answer.
  package struct Answer: Hashable {
    package var layout: String
    package var incarnation: Incarnation
    package var revision: Int
    /// A hash of all elements, which is the same in every process.
    package var digest: UInt64

    /// Queries the layout "\(layout)" of the dataset "feed".
    package init(_ layout: String, from cache: LayoutCache) throws {
      self = try cache.read(LayoutID(layout, of: "feed")) { snapshot in
        Answer(
          layout: layout, incarnation: snapshot.incarnation, revision: snapshot.revision,
          digest: Answer.digest(of: try OracleElement.all(of: snapshot)))
      }
    }

    package init(layout: String, incarnation: Incarnation, revision: Int, digest: UInt64) {
      (self.layout, self.incarnation, self.revision) = (layout, incarnation, revision)
      self.digest = digest
    }

    /// Decodes a line of a file.
    package init?(line: some StringProtocol) {
      let words = line.split(separator: " ")
      guard words.count == 4, let revision = Int(words[2]), let digest = UInt64(words[3])
      else { return nil }
      self.init(
        layout: String(words[0]), incarnation: Incarnation(rawValue: String(words[1])),
        revision: revision, digest: digest)
    }

    package var line: String { "\(layout) \(incarnation) \(revision) \(digest)" }

    /// FNV-1a by words, because Swift's hashes differ between processes.
    private static func digest(of elements: [OracleElement]) -> UInt64 {
      var digest: UInt64 = 0xcbf2_9ce4_8422_2325
      func add(_ word: Int64) {
        digest = (digest ^ UInt64(bitPattern: word)) &* 0x100_0000_01b3
      }
      for element in elements {
        for number in [element.x, element.y, element.width, element.height] { add(number) }
        for number in [element.section, element.item ?? -1, element.column ?? -1] {
          add(Int64(number))
        }
        for byte in (element.key ?? "").utf8 { add(Int64(byte)) }
      }
      return digest
    }
  }

  private struct Name: Hashable {
    var layout: String
    var incarnation: Incarnation
    var revision: Int
  }

  private var known: [Name: (digest: UInt64, origin: String)] = [:]

  /// Two different answers with the same layout, incarnation and revision.
  package struct Contradiction: Error, CustomStringConvertible {
    package var description: String

    package init(description: String) { self.description = description }
  }

  package init() {}

  package mutating func add(_ answer: Answer, by origin: String) throws {
    let name = Name(
      layout: answer.layout, incarnation: answer.incarnation, revision: answer.revision)
    guard let present = known[name] else {
      known[name] = (answer.digest, origin)
      return
    }
    guard present.digest == answer.digest else {
      throw Contradiction(
        description: "the answers of \(origin) and \(present.origin) differ: \(name)")
    }
  }
}
