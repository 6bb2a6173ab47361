import CollectionLayout
import Foundation
import LayoutGeometry
import Testing

/// The JSON and the short descriptions of elements.
@Suite struct AttributesCodingTests {
  private func json(_ value: some Encodable) throws -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    return String(decoding: try encoder.encode(value), as: UTF8.self)
  }

  private func decode(_ text: String) throws -> LayoutAttributes {
    try JSONDecoder().decode(LayoutAttributes.self, from: Data(text.utf8))
  }

  private func element(
    _ category: LayoutAttributes.Category = .cell(key: "a"), item: Int? = 4,
    _ change: (inout LayoutAttributes) -> Void = { _ in }
  ) -> LayoutAttributes {
    var element = LayoutAttributes(
      category: category, indexPath: LayoutAttributes.IndexPath(section: 2, item: item),
      sectionKey: "1997", frame: Rect(x: 10, y: 20, width: 100, height: 40))
    change(&element)
    return element
  }

  private let frame = #""frame":{"height":40,"width":100,"x":10,"y":20}"#

  @Test func elementsAreEncodedAsTheCommandPrintsThem() throws {
    let cell = element()
    #expect(
      try json(cell)
        == #"{"category":"cell",\#(frame),"item":4,"key":"a","section":2,"sectionKey":"1997"}"#)
    #expect(
      try json(element(.supplementary(kind: .footer), item: nil))
        == #"{"category":"supplementary",\#(frame),"kind":"footer","section":2,"#
        + #""sectionKey":"1997"}"#)
    #expect(
      try json(element(.decoration(kind: "card"), item: nil) { $0.zIndex = -1 })
        == #"{"category":"decoration",\#(frame),"kind":"card","section":2,"#
        + #""sectionKey":"1997","zIndex":-1}"#)
  }

  @Test func nonDefaultAttributesAreEncodedAsMembers() throws {
    let cell = element {
      $0.zIndex = 7
      $0.alpha = 0.25
      $0.isHidden = true
      $0.column = 1
    }
    #expect(
      try json(cell)
        == #"{"alpha":0.25,"category":"cell","column":1,\#(frame),"hidden":true,"item":4,"#
        + #""key":"a","section":2,"sectionKey":"1997","zIndex":7}"#)
    #expect(try decode(json(cell)) == cell)
  }

  @Test func aTransformedElementEncodesItsUntransformedRectangle() throws {
    let cell = element { $0.transform = Transform(scale: 1.5) }
    let rest = #""item":4,"key":"a","section":2,"sectionKey":"1997","#
    #expect(
      try json(cell)
        == #"{"category":"cell","frame":{"height":60,"width":150,"x":-15,"y":10},\#(rest)"#
        + #""transform":[1.5,0,0,1.5,0,0],"un\#(frame.dropFirst().replacing("frame", with: "transformedFrame"))}"#
    )
    #expect(try decode(json(cell)) == cell)
  }

  @Test func anElementOfTheLayoutHasNoSection() throws {
    let text =
      #"{"category":"supplementary","frame":{"height":1,"width":1,"x":0,"y":0},"#
      + #""kind":"layoutHeader"}"#
    let header = LayoutAttributes(
      category: .supplementary(kind: .layoutHeader), indexPath: .layout, sectionKey: "",
      frame: Rect(x: 0, y: 0, width: 1, height: 1))
    #expect(try json(header) == text)
    #expect(try decode(text) == header)
  }

  @Test(arguments: [
    #"{"category":"cell","section":0,"item":0,"sectionKey":"s","frame":F}"#,
    #"{"category":"cell","key":"k","item":0,"sectionKey":"s","frame":F}"#,
    #"{"category":"cell","key":"k","section":0,"item":0,"frame":F}"#,
    #"{"category":"cell","key":"k","section":0,"item":0,"sectionKey":"s"}"#,
    #"{"category":"row","key":"k","section":0,"item":0,"sectionKey":"s","frame":F}"#,
    #"{"category":"supplementary","section":0,"sectionKey":"s","frame":F}"#,
    #"{"category":"supplementary","kind":"header","sectionKey":"s","frame":F}"#,
    #"{"category":"supplementary","kind":"header","section":0,"frame":F}"#,
    #"{"category":"cell","key":"k","section":0,"item":0,"sectionKey":"s","frame":F,"#
      + #""transform":[2,0,0,2,0,0]}"#,
  ])
  func anIncompleteElementIsRejected(text: String) {
    let frame = #"{"x":0,"y":0,"width":1,"height":1}"#
    #expect(throws: DecodingError.self) { try decode(text.replacing(":F", with: ":\(frame)")) }
  }
}
