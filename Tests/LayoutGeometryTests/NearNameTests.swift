import LayoutGeometry
import Testing

struct NearNameTests {
  @Test(arguments: [
    ("qurey", ["import", "query", "item"], "query"), ("--rec", ["--rect", "--limit"], "--rect"),
    ("accesion", ["width", "accession"], "accession"),
    ("LineSpacing", ["lineSpacing"], "lineSpacing"),
    ("line-spacing", ["spacing", "lineSpacing"], "lineSpacing"), ("wid", ["width"], "width"),
    ("a", ["A", "b"], "A"),
  ])
  func oneOrTwoTyposStillFindTheName(typed: String, names: [String], meant: String) {
    #expect(nearestName(to: typed, among: names) == meant)
  }

  @Test(arguments: [
    ("", ["a"]), ("a", ["b"]), ("xy", ["ab", "z"]), ("query", ["import", "item"]), ("x", []),
    (String(repeating: "a", count: 100), [String(repeating: "a", count: 99)]), ("ab", [""]),
  ])
  func distantNamesAreNotSuggested(typed: String, names: [String]) {
    #expect(nearestName(to: typed, among: names) == nil)
  }

  /// Checks every name with one letter dropped, doubled, replaced or swapped.
  @Test func oneTypoAnywhereStillFindsTheName() {
    let names = ["waterfall", "justified", "minimumColumnWidth", "dataset", "rebalance"]
    for name in names {
      let letters = Array(name)
      for index in letters.indices {
        var dropped = letters
        dropped.remove(at: index)
        var doubled = letters
        doubled.insert(letters[index], at: index)
        var replaced = letters
        replaced[index] = "q"
        var swapped = letters
        if index > 0 { swapped.swapAt(index, index - 1) }
        for typo in [dropped, doubled, replaced, swapped] {
          #expect(nearestName(to: String(typo), among: names) == name, "\(String(typo))")
        }
      }
    }
  }

  @Test func aTruncatedListNamesTheNumberOfOmittedNames() {
    #expect(listing(["a", "b"]) == "'a', 'b'")
    #expect(listing((0..<20).map(String.init), upTo: 2) == "'0', '1' and 18 more")
  }
}
