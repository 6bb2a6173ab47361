import CollectionLayout
import Foundation
import LayoutCache
import TestSupport
import Testing

// Strategy: random configurations as texts, unchanged or with some characters replaced, inserted,
// deleted or doubled, are decoded by this library and by Foundation.
//
// Invariants: no text traps; accepted texts have Foundation's value; texts that Foundation rejects
// are rejected; texts that only this library rejects are those with which Foundation is lenient: a
// trailing comma, a duplicate member. (Foundation rejects numbers too close to zero for a double,
// which are 0 here; the test omits these.) The position of an error is within the text.

@Suite struct ConfigurationTextPropertyTests {
  private var tooCloseToZero: Regex<Substring> { /[eE]-\d{3}/ }

  @Test(.property, arguments: PropertyRun.seeds)
  func textsMeanWhatFoundationReads(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    var accepted = 0
    for _ in PropertyRun.each(seed, steps: 150) {
      var source = RandomFeed(sectionCountMax: 4, itemCountMax: 4)
      let keys = source.sections(using: &random).map(\.key)
      var text = RandomConfiguration().text(sectionKeys: keys, using: &random)
      for _ in 0..<max(0, Int.random(in: -2...3, using: &random)) {
        text = random.mutated(text, inserting: ["\"columns\":3,"])
      }
      let origin: Comment = "\(text)"
      let theirs = try? JSONDecoder().decode(LayoutConfiguration.self, from: Data(text.utf8))
      do {
        let ours = try ConfigurationText.decode(text)
        if !text.contains(tooCloseToZero) { #expect(ours == theirs, origin) }
        accepted += 1
      } catch let error as ConfigurationError {
        let place = try #require(error.place, origin)
        #expect(place.line >= 1 && place.column >= 1 && place.column <= text.utf8.count + 1, origin)
        guard theirs != nil else { continue }
        switch error.code {
        case .repeatedMember: break
        default:
          #expect(
            isTrailingComma(at: place, in: text) || isUnreadNumber(at: place, in: text),
            "\(origin)\n\(error)")
        }
      }
    }
    #expect(accepted > 20)
  }

  /// Whether a number ends with its decimal point at a position. Foundation does not check numbers
  /// of members that it does not read, such as the second of two with one name.
  private func isUnreadNumber(at place: ConfigurationError.Place, in text: String) -> Bool {
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
    guard place.line <= lines.count else { return false }
    return lines[place.line - 1].unicodeScalars.prefix(place.column - 1).last == "."
  }

  /// Whether a position has a closing bracket that follows a comma.
  private func isTrailingComma(at place: ConfigurationError.Place, in text: String) -> Bool {
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
    guard place.line <= lines.count else { return false }
    let before =
      lines[..<(place.line - 1)].joined(separator: "\n")
      + String(lines[place.line - 1].unicodeScalars.prefix(place.column - 1))
    let end = lines[place.line - 1].unicodeScalars.dropFirst(place.column - 1).first
    return before.last { !$0.isWhitespace } == "," && (end == "}" || end == "]")
  }
}
