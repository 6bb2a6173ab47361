import CollectionLayout
import LayoutGeometry
import Testing
import TextFormats

@testable import LayoutCacheCommand

/// The output of elements with a non-default appearance.
struct ElementOutputTests {
  private func element(_ change: (inout LayoutAttributes) -> Void) -> LayoutAttributes {
    var element = LayoutAttributes(
      category: .cell(key: "a"), indexPath: IndexPath(section: 0, item: 4), sectionKey: "main",
      frame: Rect(
        x: .points(10), y: .points(20), width: .points(100), height: .points(40)))
    change(&element)
    return element
  }

  private func json(_ element: LayoutAttributes) -> String {
    var json = JSONWriter()
    json.value(element, LayoutAttributes.fields)
    return String(decoding: json.bytes, as: UTF8.self)
  }

  private let start = #"{"category":"cell","key":"a","section":0,"sectionKey":"main","item":4,"#
  private let frame = #""frame":{"x":10,"y":20,"width":100,"height":40}"#

  @Test func membersAtTheirDefaultAreLeftOut() {
    #expect(json(element { _ in }) == start + frame + "}")
    #expect(json(element { $0.transform = Transform(scale: 1) }) == start + frame + "}")
  }

  @Test func opacityAndHidingAreMembers() {
    let element = element {
      $0.zIndex = -3
      $0.alpha = 0.25
      $0.isHidden = true
    }
    #expect(json(element) == start + frame + #","zIndex":-3,"alpha":0.25,"hidden":true}"#)
    #expect(element.appearanceDescription == "alpha 0.25, hidden")
  }

  @Test func flatTransformIsSixNumbersAndTheFrameItsBoundingBox() {
    let element = element { $0.transform = Transform(scale: 1.5) }
    #expect(
      json(element) == start + #""frame":{"x":-15,"y":10,"width":150,"height":60},"#
        + #""transform":[1.5,0,0,1.5,0,0]}"#)
    #expect(element.appearanceDescription == "scale 1.5")
  }

  @Test func spatialTransformIsSixteenNumbers() {
    let element = element {
      $0.transform3D = Transform3D(rotationBy: -0.0, aboutX: 1, y: 0, z: 0)
      $0.transform3D.m34 = -1.0 / 500
    }
    #expect(
      json(element) == start + frame
        + #","transform3D":[1,0,0,0,0,1,0,0,0,0,1,-0.002,0,0,0,1]}"#)
    #expect(element.appearanceDescription == "in perspective")
  }

  @Test func tableNumbersHaveThreeDecimals() {
    #expect(
      element { $0.transform = Transform(scale: 1.1 + 0.2) }.transformDescription == "scale 1.3")
    #expect(element { $0.transform = Transform(scale: 2) }.transformDescription == "scale 2")
    #expect(
      element { $0.transform = Transform(a: 1, b: 0.1234, c: 0, d: 1, tx: 5, ty: -1e300) }
        .transformDescription == "matrix 1 0.123 0 1 5 -1e+300")
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
