import LayoutGeometry
import Testing

@Suite struct ExcerptTests {
  @Test func aShortTextIsQuotedAsItIs() {
    for text in ["", "a", "né à Arles", String(repeating: "x", count: 80)] {
      #expect(excerpt(text) == text)
    }
  }

  @Test func aLongTextIsTruncatedWithAnEllipsis() {
    #expect(excerpt(String(repeating: "x", count: 81)) == String(repeating: "x", count: 80) + "…")
    let bytes = Array(String(repeating: "😀", count: 10_000_000).utf8)
    let quoted = bytes.withUnsafeBytes { excerpt(of: $0) }
    #expect(quoted == String(repeating: "😀", count: 80) + "…")
  }

  @Test func aTextIsCutBetweenCharacters() {
    // The 80th scalar is the first of a flag's two.
    let text = String(repeating: "x", count: 79) + "🇫🇷" + "y"
    #expect(excerpt(text) == String(repeating: "x", count: 79) + "…")
  }

  @Test func aCharacterWithoutEndIsCutToo() {
    let quoted = excerpt("e" + String(repeating: "\u{301}", count: 1_000_000))
    #expect(quoted.unicodeScalars.count == 81)
    #expect(quoted.unicodeScalars.last == "…")
  }

  @Test func terminalControlCharactersAreEscaped() {
    #expect(excerpt("a\u{1B}[31m\n\u{202E}b") == #"a\u{1B}[31m\n\u{202E}b"#)
  }
}
