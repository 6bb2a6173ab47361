import Foundation
import LayoutCache
import TestSupport
import Testing

/// The compact form of a query's answer, decoded as `docs/FORMAT.md` specifies.
@Suite struct BinaryAnswerTests {
  private static let path = "/v1/datasets/feed/layouts/phone/elements"
  private static let type = "application/vnd.layoutcache.elements"

  private struct Reader {
    var bytes: ArraySlice<UInt8>

    mutating func byte() -> UInt8 { bytes.removeFirst() }

    mutating func number() -> Int {
      var (number, shift) = (0, 0)
      while true {
        let byte = byte()
        number |= Int(byte & 0x7F) << shift
        if byte < 0x80 { return number }
        shift += 7
      }
    }

    mutating func points() -> Double {
      let number = number()
      return Double(number >> 1 ^ -(number & 1)) / 64
    }

    mutating func text() -> String {
      let count = number()
      defer { bytes = bytes.dropFirst(count) }
      return String(decoding: bytes.prefix(count), as: UTF8.self)
    }

    mutating func double() -> Double {
      var pattern: UInt64 = 0
      for shift in 0..<8 { pattern |= UInt64(byte()) << (8 * shift) }
      return Double(bitPattern: pattern)
    }
  }

  /// Decodes an answer into the members of its JSON form.
  private func json(_ bytes: [UInt8]) -> [String: Any] {
    var reader = Reader(bytes: bytes[...])
    #expect((0..<4).map { _ in reader.byte() } == Array("LCE1".utf8))
    var answer: [String: Any] = ["dataset": "feed", "layout": "phone"]
    answer["revision"] = reader.number()
    answer["incarnation"] = reader.text()
    answer["contentSize"] = ["width": reader.points(), "height": reader.points()]
    let pages = (0..<reader.number()).map { _ in page(&reader) }
    #expect(reader.bytes.isEmpty)
    if pages.count == 1 {
      answer.merge(pages[0]) { _, new in new }
    } else {
      answer["pages"] = pages
    }
    return answer
  }

  private func page(_ reader: inout Reader) -> [String: Any] {
    let next = reader.text()
    var sections: [Int: String] = [:]
    for _ in 0..<reader.number() {
      let index = reader.number()
      sections[index] = reader.text()
    }
    let elements = (0..<reader.number()).map { _ in element(&reader, sections) }
    return next.isEmpty ? ["elements": elements] : ["elements": elements, "next": next]
  }

  private func element(_ reader: inout Reader, _ sections: [Int: String]) -> [String: Any] {
    let head = reader.byte()
    let section = reader.number()
    var element: [String: Any] = ["section": section, "sectionKey": sections[section] ?? ""]
    switch head & 3 {
    case 0:
      element["category"] = "cell"
      element["item"] = reader.number()
      element["key"] = reader.text()
    case 3:
      element["category"] = "decoration"
      element["kind"] = reader.text()
    case let number:
      element["category"] = "supplementary"
      element["kind"] = number == 1 ? "header" : "footer"
    }
    element["frame"] = [
      "x": reader.points(), "y": reader.points(), "width": reader.points(),
      "height": reader.points(),
    ]
    if head & 4 != 0 {
      let number = reader.number()
      element["zIndex"] = number >> 1 ^ -(number & 1)
    }
    if head & 8 != 0 { element["alpha"] = reader.double() }
    if head & 16 != 0 { element["hidden"] = true }
    if head & 32 != 0 { element["matrix"] = (0..<16).map { _ in reader.double() } }
    return element
  }

  @Test(arguments: ["", #","effect":{"kind":"scale","maximumScale":1.3}"#])
  func binaryAnswerMatchesTheJSON(effect: String) async throws {
    try await TestService.run { service in
      try service.makeFeed()
      try service.cache.setLayout(
        LayoutID("phone", of: "feed"),
        to: ConfigurationText.decode(
          """
          {"container":{"width":390},"section":{"columns":3,"header":40,"footer":8,"pinsHeader":\
          true,"background":{"kind":"card"}}\(effect)}
          """))
      for query in [
        "rect=0,90,390,600", "rect=0,0,390,100&rect=0,5000,1,1", "rect=0,0,390,900&limit=4",
      ] {
        let text = try await service.send("GET", "\(Self.path)?\(query)")
        let binary = try await service.send(
          "GET", "\(Self.path)?\(query)", headers: ["Accept": Self.type])
        #expect(binary.headers["content-type"] == Self.type)
        #expect(binary.headers["etag"] != text.headers["etag"])
        #expect(binary.body.count * 3 < text.body.count || !effect.isEmpty)
        var expected = text.object
        var found = json(binary.body)
        #expect(try canonical(&found) == canonical(&expected))
      }
    }
  }

  /// Returns an answer as text with sorted members. Of transforms only their presence is
  /// compared, because JSON has two forms for them.
  private func canonical(_ answer: inout [String: Any]) throws -> String {
    func plain(_ elements: Any?) -> [[String: Any]]? {
      (elements as? [[String: Any]])?.map { element in
        var element = element
        let names = ["transform", "transform3D", "matrix"]
        let isTransformed = names.contains { element.removeValue(forKey: $0) != nil }
        if isTransformed { element["isTransformed"] = true }
        return element
      }
    }
    if let elements = plain(answer["elements"]) { answer["elements"] = elements }
    if let pages = answer["pages"] as? [[String: Any]] {
      answer["pages"] = pages.map { page in
        page.merging(["elements": plain(page["elements"]) ?? []]) { _, new in new }
      }
    }
    let data = try JSONSerialization.data(withJSONObject: answer, options: .sortedKeys)
    return String(decoding: data, as: UTF8.self)
  }

  @Test func acceptHeaderSelectsTheFormat() async throws {
    try await TestService.run { service in
      try service.makeFeed()
      let path = "\(Self.path)?rect=0,0,1,1"
      let expected: [(accept: String, type: String?)] = [
        ("*/*", "application/json"), ("text/html, */*;q=0.1", "application/json"),
        ("\(Self.type);q=0.5, application/json;q=0.4", Self.type),
        ("application/*;q=0.2, \(Self.type);q=0.1", "application/json"), ("text/html", nil),
        ("application/json;q=0", nil),
      ]
      for (accept, type) in expected {
        let answer = try await service.send("GET", path, headers: ["Accept": accept])
        #expect(answer.status == (type == nil ? 406 : 200), "\(accept)")
        if let type { #expect(answer.headers["content-type"] == type, "\(accept)") }
      }
    }
  }
}
