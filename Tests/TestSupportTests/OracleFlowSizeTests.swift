import TestSupport
import Testing

@Suite struct OracleFlowSizeTests {
  private let photos = [
    OracleItem(key: "a", width: 400, height: 300), OracleItem(key: "b", width: 300, height: 400),
  ]

  private func flow(_ members: String, _ items: [OracleItem]) throws -> Oracle {
    try Oracle(
      width: 1000, section: #""kind":"flow","crossAlignment":"top",\#(members)"#,
      [section(items)])
  }

  @Test func naturalSizesAreTheDefault() throws {
    let expected = [PointFrame(0, 0, 400, 300), PointFrame(400, 0, 300, 400)]
    #expect(try flow(#""itemSize":"natural""#, photos).cellFrames == expected)
    #expect(try flow(#""itemSize":null"#, photos).cellFrames == expected)
  }

  @Test func lineLengthScalesEveryItem() throws {
    #expect(
      try flow(#""lineLength":150"#, photos).cellFrames
        == [PointFrame(0, 0, 200, 150), PointFrame(200, 0, 112.5, 150)])
    #expect(
      try flow(#""lineLength":150,"itemSize":"natural""#, photos).cellFrames[0]
        == PointFrame(0, 0, 200, 150))
  }

  @Test func scaledWidthIsRoundedDownAndAtLeastAUnit() throws {
    // 32 units long: 64 * 32 / 192 = 10.67, 64 * 32 / 2048 = 1, 64 * 32 / 2112 = 0.97.
    let items = [3, 32, 33].enumerated().map { OracleItem(key: "\($0)", width: 1, height: $1) }
    let oracle = try flow(#""lineLength":0.5"#, items)
    #expect(oracle.cells.map(\.width) == [10, 1, 1])
    #expect(oracle.cells.map(\.height) == [32, 32, 32])
  }

  @Test func scaledWidthIsClampedToTheLine() throws {
    let wide = OracleItem(key: "w", width: 600, height: 1)
    #expect(try flow(#""lineLength":2"#, [wide]).cellFrames == [PointFrame(0, 0, 1000, 2)])
  }

  @Test(
    arguments: [
      (#""itemSize":"natural""#, [700, 400]), (#""lineLength":150"#, [700, 150]),
      (#""itemSize":{"width":10,"height":20}"#, [20, 20]),
    ] as [(String, [Double])])
  func preferredLengthReplacesAnyButAFixedLength(members: String, heights: [Double]) throws {
    var items = photos
    let plain = try flow(members, items)
    items[0].preferredLength = 700 * 64
    let oracle = try flow(members, items)
    #expect(oracle.cells.map { Units.points($0.height) } == heights)
    #expect(oracle.cells.map(\.width) == plain.cells.map(\.width))
    #expect(Units.points(oracle.contentSize.height) == heights.max())
  }

  @Test func axesSwapWhereContentScrollsSideways() throws {
    let members = #""kind":"flow","minimumInteritemSpacing":10,"minimumLineSpacing":5"#
    let insets = #""inset":{"top":3,"left":20,"bottom":7,"right":30}"#
    let top = #""scrollDirection":"horizontal""#
    let feed = [section((0..<3).map { OracleItem(key: "\($0)", width: 40, height: 30) })]
    // 100 of 110 across: two and a gap of 40, then one at the top.
    let natural = try Oracle(height: 110, top: top, section: "\(members),\(insets)", feed)
    #expect(
      natural.cellFrames == [
        PointFrame(20, 3, 40, 30), PointFrame(20, 73, 40, 30), PointFrame(65, 3, 40, 30),
      ])
    #expect(natural.contentSize.width == 135 * 64)
    #expect(natural.cellColumns == [nil, nil, nil])
    // A fixed size is the content's; its last line is spread like the first.
    let fixed = try Oracle(
      height: 110, top: top,
      section: #"\#(members),\#(insets),"itemSize":{"width":20,"height":40}"#, feed)
    #expect(
      fixed.cellFrames == [
        PointFrame(20, 3, 20, 40), PointFrame(20, 63, 20, 40), PointFrame(45, 3, 20, 40),
      ])
    let mirrored = try Oracle(
      height: 110, top: top + #","layoutDirection":"rightToLeft""#,
      section: "\(members),\(insets)", feed)
    #expect(mirrored.cellFrames[2] == PointFrame(30, 3, 40, 30))
  }

  @Test func spansHaveNoEffect() throws {
    var wide = photos
    wide[0].span = 0
    wide[1].span = 7
    #expect(
      try flow(#""lineLength":150"#, wide).allElements()
        == flow(#""lineLength":150"#, photos).allElements())
  }

  @Test func noItemsHaveNoLength() throws {
    let oracle = try flow(#""minimumLineSpacing":9,"header":4"#, [])
    #expect(oracle.contentSize.height == 4 * 64)
  }

  private static let overrides: [(String, String, PointFrame)] = [
    (#""itemSize":{"width":10,"height":20}"#, #""lineLength":150"#, PointFrame(0, 0, 200, 150)),
    (#""lineLength":150"#, #""itemSize":{"width":10,"height":20}"#, PointFrame(0, 0, 10, 20)),
    (#""lineLength":150"#, #""itemSize":"natural""#, PointFrame(0, 0, 400, 300)),
    (#""lineLength":150"#, #""itemSize":null"#, PointFrame(0, 0, 200, 150)),
    (#""itemSize":{"width":10,"height":20}"#, #""itemSize":null"#, PointFrame(0, 0, 400, 300)),
  ]

  @Test(arguments: overrides)
  func overrideOfTheOneSizeDisplacesTheOther(
    section: String, override: String, frame: PointFrame
  ) throws {
    let oracle = try Oracle(
      width: 1000, top: #""sections":{"s":{\#(override)}}"#,
      section: #""kind":"flow","lineAlignment":"leading",\#(section)"#,
      [OracleSection(key: "s", items: [photos[0]])])
    #expect(oracle.cellFrames == [frame])
  }
}
