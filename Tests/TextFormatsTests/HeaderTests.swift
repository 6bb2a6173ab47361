import Testing
import TextFormats

@Suite struct HeaderTests {
  @Test func spacesAroundNamesAreNotAPartOfThem() throws {
    let text = "key , width,\"height \", year\na,1,2,x\n"
    let fields = FieldNames(section: .required(" year"))
    #expect(try Reading(text, .csv, fields: fields).records.map(\.section) == ["x"])
  }

  @Test func missingColumnIsNamedAndTheExistingOnesListed() throws {
    let reading = try Reading("\nid,w\u{7},height,width\n", .csv)
    let error = try #require(reading.error)
    #expect(error.code == .missingColumn)
    #expect(
      error.description
        == #"line 2: no column is named 'key'; the columns are 'id', 'w\u{07}', 'height', 'width'"#)
  }

  @Test func aNearMatchIsSuggestedBeforeTheOthersAreListed() throws {
    let error = try #require(try Reading("key,widht,height\n", .csv).error)
    #expect(
      error.message
        == "no column is named 'width'; did you mean 'widht'? "
        + "The columns are 'key', 'widht', 'height'")
  }

  @Test func longListOfColumnsIsCutShort() throws {
    let header = (0..<30).map { "c\($0)" }.joined(separator: ",")
    let error = try #require(try Reading(header, .csv).error)
    #expect(error.message.hasSuffix("'c10', 'c11' and 18 more"))
  }

  @Test func duplicateWantedColumnIsRejected() throws {
    let error = try #require(try Reading("key,width,height,width\n", .csv).error)
    #expect(error.code == .duplicateColumn)
    #expect(error.message == "2 columns are named \"width\"; rename all but one")
  }

  @Test func duplicateUnwantedColumnIsAccepted() throws {
    #expect(try Reading("key,,width,,height\na,,1,,2\n", .csv).records.count == 1)
  }

  @Test func optionalColumnMustExistIfRequired() throws {
    let text = "key,width,height\n"
    #expect(try Reading(text, .csv).error == nil)
    let section = try Reading(text, .csv, fields: FieldNames(section: .required("year")))
    #expect(section.error?.code == .missingColumn)
    let span = try Reading(text, .csv, fields: FieldNames(span: .required("span")))
    #expect(span.error?.code == .missingColumn)
  }

  @Test func namesAreComparedByteForByte() throws {
    let composed = FieldNames(key: "cl\u{E9}")
    let text = "cle\u{301},width,height\na,1,2\n"
    #expect(try Reading(text, .csv, fields: composed).error?.code == .missingColumn)
    #expect(try Reading("Key,width,height\n", .csv).error?.code == .missingColumn)
  }
}
