import CollectionLayout
import Foundation
import LayoutGeometry
import Testing

/// Sections written in Swift are those of the JSON text.
@Suite struct SectionOptionsKindTests {
  @Test(
    arguments: [
      (.waterfall(), #"{"kind":"waterfall","columns":2,"columnSpacing":0,"lineSpacing":0}"#),
      (
        .waterfall(columns: 3, spacing: 8),
        #"{"kind":"waterfall","columns":3,"columnSpacing":8,"lineSpacing":8}"#
      ),
      (
        .waterfall(minimumColumnWidth: 120, spacing: 4.5),
        #"{"kind":"waterfall","minimumColumnWidth":120,"columnSpacing":4.5,"lineSpacing":4.5}"#
      ),
      (
        .grid(columns: 4, spacing: 2),
        #"{"kind":"grid","columns":4,"rowLength":"square","columnSpacing":2,"lineSpacing":2}"#
      ),
      (
        .grid(minimumColumnWidth: 90, rowLength: .fixed(50)),
        #"{"kind":"grid","minimumColumnWidth":90,"rowLength":50,"columnSpacing":0,"lineSpacing":0}"#
      ),
      (
        .flow(interitemSpacing: 5, lineSpacing: 6),
        #"{"kind":"flow","itemSize":"natural","minimumInteritemSpacing":5,"minimumLineSpacing":6}"#
      ),
      (
        .justified(targetRowLength: 200, spacing: 3),
        #"{"kind":"justified","targetRowLength":200,"spacing":3}"#
      ),
      (
        .carousel(itemWidth: .fraction(0.9, peek: 20), itemLength: .fixed(80), spacing: 12),
        #"{"kind":"carousel","itemWidth":{"fraction":0.9,"peek":20},"itemLength":80,"spacing":12}"#
      ),
      (
        .circle(itemSize: Size(width: 50, height: 40)),
        #"{"kind":"circle","itemSize":{"width":50,"height":40}}"#
      ),
      (.custom("mosaic", options: ["gap": .number(2)]), #"{"kind":"mosaic","options":{"gap":2}}"#),
      (
        .waterfall(columns: 1).setting(\.header, to: 44).setting(\.pinsHeader, to: true)
          .setting(\.columns, to: nil),
        #"{"kind":"waterfall","columnSpacing":0,"lineSpacing":0,"header":44,"pinsHeader":true}"#
      ),
    ] as [(SectionOptions, String)])
  func aSectionOfEachKindEqualsItsJSONText(section: SectionOptions, text: String) throws {
    #expect(section == (try JSONDecoder().decode(SectionOptions.self, from: Data(text.utf8))))
  }
}
