import TestSupport
import Testing

@testable import TextFormats

@Suite struct CardTextTests {
  @Test func aTitleWrapsBetweenWordsAndTheNoteFollows() {
    let text = CardText(
      title: "Sensible Ellipse of Lost Origin", note: "Avis Newman", width: 167, linesMax: 9)
    #expect(text.lines.map(\.text) == ["Sensible Ellipse of", "Lost Origin", "Avis Newman"])
    #expect(text.lines.map(\.isNote) == [false, false, true])
  }

  @Test func textThatDoesNotFitIsTruncated() {
    let text = CardText(
      title: "Sensible Ellipse of Lost Origin", note: "Avis Newman", width: 100, linesMax: 2)
    #expect(text.lines.map(\.text) == ["Sensible", "Ellipse of…"])
    let word = CardText(title: "Donaudampfschiff", note: nil, width: 72, linesMax: 3)
    #expect(word.lines.map(\.text) == ["Donaudamp…"])
  }

  @Test(.property, arguments: PropertyRun.seeds)
  func linesFitTheCardInWidthAndNumber(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    for _ in 0..<200 {
      let words = (0..<Int.random(in: 0...12, using: &random)).map { _ in
        String(repeating: "ä", count: Int.random(in: 0...20, using: &random))
      }
      let width = Double.random(in: 16...300, using: &random)
      let linesMax = Int.random(in: 0...8, using: &random)
      let text = CardText(
        title: words.joined(separator: " "), note: random.oneIn(2) ? "by me" : nil, width: width,
        linesMax: linesMax)
      #expect((1...max(1, linesMax)).contains(text.lines.count))
      // One letter and its ellipsis are always written; the card clips them.
      let lettersMax = max(2, Int(width / 5.8))
      #expect(text.lines.allSatisfy { $0.text.count <= lettersMax })
    }
  }
}
