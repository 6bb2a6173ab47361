import Testing
import TextFormats

@Suite struct QuotingErrorTests {
  private static let header = "key,width,height\n\"x\ny\",1,2\n"

  @Test func quoteInUnquotedFieldIsAnError() throws {
    let reading = try Reading(Self.header + "a\"b,1,2\nc,1,2\n", .csv)
    #expect(reading.records.map(\.key) == ["x\ny"])
    #expect(reading.error?.code == .strayQuote)
    #expect(reading.error?.line == 4)
  }

  @Test func quoteAfterASpaceIsAnError() throws {
    #expect(try Reading(Self.header + "a, \"1\",2\n", .csv).error?.code == .strayQuote)
  }

  @Test func textAfterAClosingQuoteIsAnErrorOfTheFieldsFirstLine() throws {
    let reading = try Reading(Self.header + "\"a\",\"b\nc\"d,2\n", .csv)
    #expect(reading.error?.code == .textAfterQuote)
    #expect(reading.error?.line == 4)
    let later = try Reading(Self.header + "\"a\nb\",\"c\nd\" ,2\n", .csv)
    #expect(later.error?.line == 5)
  }

  @Test func unterminatedQuoteIsAnErrorOfTheFieldsFirstLine() throws {
    let reading = try Reading(Self.header + "a,1,2\n\"b\nc,3,4\n", .csv)
    #expect(reading.records.count == 2)
    #expect(reading.error?.code == .unterminatedQuote)
    #expect(reading.error?.line == 5)
  }

  @Test func unclosedQuoteInALongTextReachesTheLimit() throws {
    let rows = String(repeating: "b,1,2\n", count: 1000)
    let reading = try Reading(Self.header + "\"a,1,2\n" + rows, .csv, recordBytesMax: 1000)
    #expect(reading.error?.code == .recordTooLong)
    #expect(reading.error?.line == 4)
  }

  @Test func readerRepeatsItsError() throws {
    var reader = ItemReader(format: .csv)
    #expect(throws: FormatError.self) {
      try reader.consume(Array("key,width,height\na\"".utf8)) { _ in }
      try reader.finish { _ in }
    }
    let error = try #require(throws: FormatError.self) { try reader.consume([]) { _ in } }
    #expect(error.code == .strayQuote)
    #expect(throws: error) { try reader.finish { _ in } }
  }
}
