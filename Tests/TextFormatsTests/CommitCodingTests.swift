import Foundation
import LayoutCache
import TestSupport
import Testing
import TextFormats

/// A program can decode the commits that the command prints.
@Suite struct CommitCodingTests {
  private func place(_ random: inout SeededGenerator) -> LayoutAttributes.IndexPath {
    LayoutAttributes.IndexPath(
      section: .random(in: 0...9, using: &random), item: .random(in: 0...9, using: &random))
  }

  private func updates(_ random: inout SeededGenerator) -> DatasetUpdates {
    var updates = DatasetUpdates()
    if random.oneIn(5) {
      updates.reason = .imported
      return updates
    }
    for number in 0..<Int.random(in: 0...3, using: &random) {
      let all: [(before: Int?, after: Int?)] = [(1, nil), (nil, 2), (3, 4)]
      let places = all.randomElement(using: &random)!
      updates.sections.append(
        DatasetUpdates.Section(key: "\"s\(number)", before: places.before, after: places.after))
    }
    for number in 0..<Int.random(in: 0...3, using: &random) {
      let operations: [DatasetUpdates.Operation] = [.insert, .delete, .move, .reload]
      let operation = operations.randomElement(using: &random)!
      let hasBefore = operation == .delete || operation == .move
      updates.items.append(
        DatasetUpdates.Item(
          operation: operation, key: "é\(number)", before: hasBefore ? place(&random) : nil,
          after: operation == .delete ? nil : place(&random)))
    }
    return updates
  }

  @Test(.property, arguments: PropertyRun.seeds)
  func printedCommitsAreReadBackUnchanged(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    for step in PropertyRun.each(seed, steps: 50) {
      let isRepeated = random.oneIn(5)
      let commit = Commit(
        dataset: "feed", revision: step, incarnation: "ab", isRepeated: isRepeated,
        updates: isRepeated ? DatasetUpdates() : updates(&random),
        behind: random.oneIn(3) ? [.init(layout: "l", code: "limit", reason: "too long")] : [])
      var json = JSONWriter()
      commit.write(to: &json)
      #expect(try JSONDecoder().decode(Commit.self, from: Data(json.bytes)) == commit)
      let encoded = try JSONEncoder().encode(commit)
      #expect(try JSONDecoder().decode(Commit.self, from: encoded) == commit)
    }
  }
}
