import TestSupport
import Testing

/// Every expectation is computed by hand.
@Suite struct OracleCarouselTests {
  private func oracle(_ members: String, top: String = "") throws -> Oracle {
    let items = [(40.0, 20.0), (100, 50), (30, 60)].enumerated().map { index, size in
      OracleItem(key: "i\(index)", width: size.0, height: size.1)
    }
    return try Oracle(
      configuration: """
        {"container":{"width":100,"height":80},\(top)"section":{"kind":"carousel",\(members)}}
        """, sections: [OracleSection(key: "s", items: items)])
  }

  @Test func naturalItemsAreInOneLineWithTheirMiddlesAtOneHeight() throws {
    let oracle = try oracle(#""spacing":5,"inset":{"left":7,"right":9,"top":3}"#)
    #expect(
      oracle.cellFrames == [
        PointFrame(7, 23, 40, 20), PointFrame(52, 8, 100, 50), PointFrame(157, 3, 30, 60),
      ])
    #expect(oracle.contentSize == UnitSize(width: 100 * 64, height: 63 * 64))
    // 7 + 40 + 5 + 100 + 5 + 30 + 9.
    #expect(
      oracle.sectionsSummary[0].carousel
        == OracleSectionSummary.Carousel(
          contentLength: 196 * 64, offset: 0, maximumOffset: 96 * 64))
  }

  @Test func oneSideIsInProportionToTheOther() throws {
    #expect(
      try oracle(#""itemWidth":10,"itemLength":"aspect","crossAlignment":"top""#).cellFrames == [
        PointFrame(0, 0, 10, 5), PointFrame(10, 0, 10, 5), PointFrame(20, 0, 10, 20),
      ])
    #expect(
      try oracle(#""itemWidth":"aspect","itemLength":30"#).cellFrames == [
        PointFrame(0, 0, 60, 30), PointFrame(60, 0, 60, 30), PointFrame(120, 0, 15, 30),
      ])
    // 0.5 x (100 - 20 - 10).
    #expect(
      try oracle(
        #""itemWidth":{"fraction":0.5,"peek":10},"itemLength":8,"inset":{"left":20}"#
      ).cellFrames == [
        PointFrame(20, 0, 35, 8), PointFrame(55, 0, 35, 8), PointFrame(90, 0, 35, 8),
      ])
  }

  @Test func offsetsMoveCellsWithinTheRange() throws {
    let oracle = try oracle(#""crossAlignment":"bottom""#)
    // 170 in 100 points.
    for (offset, x) in [(-5, 0), (30, -30), (70, -70), (71, -70), (1_000_000, -70)] {
      let scrolled = oracle.scrolled(to: [(key: "s", offset: Int64(offset * 64))])
      #expect(
        scrolled.cellFrames == [
          PointFrame(Double(x), 40, 40, 20), PointFrame(Double(x) + 40, 10, 100, 50),
          PointFrame(Double(x) + 140, 0, 30, 60),
        ])
    }
    let everywhere = UnitRect(x: -64_000, y: -64_000, width: 128_000, height: 128_000)
    let last = oracle.scrolled(to: [(key: "s", offset: 70 * 64)])
    #expect(oracle.elements(in: everywhere).map(\.item) == [0, 1])
    #expect(last.elements(in: everywhere).map(\.item) == [1, 2])
  }

  @Test func fromRightToLeftTheLineBeginsAtTheRightEdge() throws {
    let oracle = try oracle(#""itemLength":10"#, top: #""layoutDirection":"rightToLeft","#)
      .scrolled(to: [(key: "s", offset: 10 * 64)])
    #expect(
      oracle.cellFrames == [
        PointFrame(70, 0, 40, 10), PointFrame(-30, 0, 100, 10), PointFrame(-60, 0, 30, 10),
      ])
  }

  @Test func aHorizontalLayoutHasVerticalLines() throws {
    // Natural widths are along the scrolling axis.
    let oracle = try oracle(
      #""spacing":4,"crossAlignment":"top""#, top: #""scrollDirection":"horizontal","#)
    #expect(
      oracle.cellFrames == [
        PointFrame(0, 0, 40, 20), PointFrame(0, 24, 100, 50), PointFrame(0, 78, 30, 60),
      ])
  }

  @Test func invalidSidesAreRejected() throws {
    for members in [
      #""itemWidth":"aspect","itemLength":"aspect""#, #""itemWidth":0"#, #""itemLength":-1"#,
      #""itemWidth":{"peek":1}"#, #""itemWidth":{"fraction":0}"#, #""itemWidth":{"fraction":101}"#,
      #""itemWidth":{"fraction":1,"peek":99.5}"#, #""itemWidth":{"fraction":1,"pek":9}"#,
      #""scrolling":"snap""#, #""itemWidth":"square""#,
    ] {
      #expect(throws: OracleRefusal.self, "\(members)") { try oracle(members) }
    }
  }
}
