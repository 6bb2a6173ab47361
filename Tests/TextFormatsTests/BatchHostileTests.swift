import LayoutCache
import Testing
import TextFormats

@Suite struct BatchHostileTests {
  @Test(arguments: [
    ("[", "]"), ("{\"a\":", "}"), ("[0,", "]"), ("{\"op\":\"delete\",\"keys\":[", "]}"),
  ])
  func nestingNeverOverflowsTheStack(open: String, close: String) throws {
    for depth in [10, 500, 100_000] {
      let value =
        String(repeating: open, count: depth) + "1" + String(repeating: close, count: depth)
      for line in [
        value, "{\"op\":\"delete\",\"keys\":\(value)}", "{\"op\":\(value)}",
        "{\"op\":\"insert\",\"section\":\"s\",\"items\":[\(value)]}",
        "{\"op\":\"insert\",\"section\":\"s\",\"items\":[{\"key\":\(value)}]}",
        "{\"op\":\"delete\",\"keys\":[],\"x\":\(value)}", String(repeating: open, count: depth),
      ] {
        let reading = try BatchReading(line)
        // An array without its end is no text of records.
        #expect((reading.problem?.line ?? reading.error?.line) == 1)
        #expect(reading.records == [])
      }
    }
  }

  @Test func binaryFilesAreNotText() throws {
    for (bytes, code) in [
      (Array("SQLite format 3\0".utf8), .otherFormat), (Array("SQL\0".utf8), .notText),
      ([0xFF, 0xFE, 0x7B, 0x00], .utf16),
    ] as [([UInt8], ImportError.Code)] {
      #expect(try BatchReading(bytes).error?.code == code)
      #expect(try BatchReading(bytes, cuts: Array(0..<bytes.count)).error?.code == code)
    }
  }

  @Test func batchesOfAnySizeAreAccepted() throws {
    // Beyond the limit of an item's line, and more lines than a page of memory holds.
    let keys = (0..<200_000).map { "key \($0)" }
    let long = "{\"op\":\"delete\",\"keys\":[\"\(keys.joined(separator: "\",\""))\"]}\n"
    #expect(long.utf8.count > 2 << 20)
    let text = Array(
      (long + String(repeating: "{\"op\":\"delete\",\"keys\":[]}\n", count: 50_000)).utf8)
    let reading = try BatchReading(text, cuts: Array(stride(from: 0, to: text.count, by: 65_521)))
    #expect(reading.operations.first == .delete(keys: keys))
    #expect(reading.records.count == 50_001)
    #expect(reading.records.last?.line == 50_001)
  }

  @Test func objectOfVeryManyMembersTakesLinearTime() throws {
    let names = (0..<200_000).map { "\"n\($0)\":0," }.joined()
    #expect(try BatchReading("{\(names)\"op\":\"delete\"}").problem?.field == "n0")
    let same = String(repeating: "\"keys\":[],", count: 200_000)
    #expect(try BatchReading("{\(same)\"op\":\"delete\"}").problem?.code == .duplicateMember)
  }
}
