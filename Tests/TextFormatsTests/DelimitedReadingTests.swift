import Testing

@testable import TextFormats

@Suite struct DelimitedReadingTests {
  @Test func readsAllFiveColumnsInAnyOrder() throws {
    let reading = try Reading(
      "span,height,key,title,width,section\n2,300,a,Title,400.5,1997\n", .csv)
    #expect(
      reading.records == [
        ItemRecord(key: "a", width: 400.5, height: 300, section: "1997", span: 2, line: 2)
      ])
    #expect(reading.summary?.recordCount == 1)
  }

  @Test func emptySectionAndSpanAreNil() throws {
    let reading = try Reading("key,width,height,section,span\na,4,3,,\nb,4,3,\"\",\"\"\n", .csv)
    #expect(
      reading.records == [
        ItemRecord(key: "a", width: 4, height: 3, line: 2),
        ItemRecord(key: "b", width: 4, height: 3, line: 3),
      ])
  }

  @Test func theDocumentedExampleWorks() throws {
    var reader = ItemReader(format: .csv)
    var keys: [String] = []
    func collect(_ event: ItemEvent) {
      if case .record(let item) = event { keys.append(item.key) }
    }
    try reader.consume(Array("key,width,height\na,400,3".utf8), collect)
    try reader.consume(Array("00\nb,400,n/a\n".utf8), collect)
    let summary = try reader.finish(collect)
    #expect(keys == ["a"])
    #expect(summary.recordCount == 1)
    #expect(summary.problemCount == 1)
  }

  @Test func byteOrderMarkIsSkippedOnceOnly() throws {
    let reading = try Reading("\u{FEFF}key,width,height\n\u{FEFF}a,1,2\n", .csv)
    #expect(reading.records.map(\.key) == ["\u{FEFF}a"])
  }

  @Test func keysAreVerbatim() throws {
    let reading = try Reading("key,width,height\n  a b  , 1 ,  2\n", .csv)
    #expect(reading.records == [ItemRecord(key: "  a b  ", width: 1, height: 2, line: 2)])
  }

  @Test func oneColumnMayServeTwoFields() throws {
    let fields = FieldNames(width: "side", height: "side")
    let reading = try Reading("key,side\na,7\n", .csv, fields: fields)
    #expect(reading.records == [ItemRecord(key: "a", width: 7, height: 7, line: 2)])
  }

  @Test func ignoredColumnIsNotRead() throws {
    let fields = FieldNames(section: .ignored, span: .ignored)
    let reading = try Reading("key,width,height,section,span\na,1,2,s,many\n", .csv, fields: fields)
    #expect(reading.records == [ItemRecord(key: "a", width: 1, height: 2, line: 2)])
  }

  @Test func headerAloneGivesNoRecordsAndNoError() throws {
    let reading = try Reading("key,width,height", .csv)
    #expect(reading.summary?.recordCount == 0)
    #expect(reading.summary?.problemCount == 0)
    #expect(reading.error == nil)
  }

  @Test func shortRowIsAProblemOnlyIfAWantedColumnIsMissing() throws {
    let reading = try Reading("key,width,height,note\na,1,2\nb,1\nc,1,2,n,x\nd,1,2,n\n", .csv)
    #expect(reading.records.map(\.key) == ["a", "d"])
    #expect(reading.problems.map(\.code) == [.tooFewFields, .tooManyFields])
    #expect(
      reading.problems.map(\.description) == [
        "line 3: the row has 2 of 4 fields", "line 4: the row has 5 fields, but the header has 4",
      ])
  }

  @Test func emptyKeyOrSizeIsAProblem() throws {
    let reading = try Reading("key,width,height\n,1,2\na,,2\nb,1,\" \"\n", .csv)
    #expect(
      reading.problems.map(\.description) == [
        "line 2: key is empty", "line 3: width is empty", "line 4: height is empty",
      ])
    #expect(reading.problems.map(\.field) == ["key", "width", "height"])
    #expect(reading.summary?.problemCount == 3)
  }
}
