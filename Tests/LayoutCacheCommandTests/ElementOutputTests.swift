import CollectionLayout
import LayoutGeometry
import Testing
import TextFormats

@testable import LayoutCacheCommand

/// Elements with a non-default appearance in a table.
struct ElementOutputTests {
  private func element(_ change: (inout LayoutAttributes) -> Void) -> LayoutAttributes {
    var element = LayoutAttributes(
      category: .cell(key: "a"), indexPath: IndexPath(section: 0, item: 4), sectionKey: "main",
      frame: Rect(
        x: .points(10), y: .points(20), width: .points(100), height: .points(40)))
    change(&element)
    return element
  }

  @Test func tableNumbersHaveThreeDecimals() {
    #expect(
      element { $0.transform = Transform(scale: 1.1 + 0.2) }.transformDescription == "scale 1.3")
    #expect(element { $0.transform = Transform(scale: 2) }.transformDescription == "scale 2")
    #expect(
      element { $0.transform = Transform(a: 1, b: 0.1234, c: 0, d: 1, tx: 5, ty: -1e300) }
        .transformDescription == "matrix 1 0.123 0 1 5 -1e+300")
    #expect(element { $0.transform3D.m34 = -1.0 / 500 }.appearanceDescription == "in perspective")
  }

  @Test func tableShowsAppearanceOnlyIfAnElementHasOne() {
    let plain = element { _ in }
    #expect(!Table([plain], LayoutAttributes.fields).lines(.of()).contains("look"))
    let scaled = element { $0.transform = Transform(scale: 2) }
    let lines = Table([plain, scaled], LayoutAttributes.fields).lines(.of()).split(separator: "\n")
    #expect(lines[0].hasSuffix("z  look"))
    #expect(lines[1].hasSuffix("  0"))
    #expect(lines[2].hasSuffix("  0  scale 2"))
  }
}
