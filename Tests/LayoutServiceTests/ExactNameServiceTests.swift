import Foundation
import LayoutCache
import LayoutGeometry
import TestSupport
import Testing

@testable import LayoutCacheService

/// Names that are equal by Unicode and differ in bytes are two names in every route.
@Suite struct ExactNameServiceTests {
  static let pairs = [
    ("caf\u{E9}", "cafe\u{301}"), ("\u{212B}", "\u{C5}"), ("\u{D55C}", "\u{1112}\u{1161}\u{11AB}"),
  ]

  private func encoded(_ name: String) -> String {
    name.utf8.map { "%" + String($0, radix: 16, uppercase: true) }.joined()
  }

  @Test(arguments: pairs) func everyNameInAPath(one: String, other: String) async throws {
    let names = [one, other]
    let tokens = try AccessTokens(
      text: names.map {
        AccessTokens.random(name: $0, mayWrite: true, datasetPrefix: $0)
      }.map(\.line).joined(separator: "\n"))
    #expect(tokens.entries.count == 2)
    try await TestService.run { service in
      for (index, name) in names.enumerated() {
        let path = "/v1/datasets/\(encoded(name))"
        let rows = names[...index].map {
          #"{"key":"\#($0)","width":1,"height":1,"section":"\#($0)"}"#
        }
        let imported = try await service.send(
          "POST", "\(path)/import?id=one",
          headers: ["Content-Type": "application/x-ndjson"], body: rows.joined(separator: "\n"))
        #expect(imported.status == 200 && imported.object["imported"] as? Int == index + 1)
        // The other dataset's import has the same ID.
        let told = try await service.send("GET", "\(path)/imports/one")
        #expect(told.object["imported"] as? Int == index + 1, "\(told.text)")
      }
      let path = "/v1/datasets/\(encoded(other))"
      for (name, width) in zip(names, [390, 768]) {
        let configuration = """
          {"container":{"width":\(width)},"sections":{"\(one)":{"header":1},"\(other)":{"header":2}}}
          """
        let put = try await service.send(
          "PUT", "\(path)/layouts/\(encoded(name))",
          headers: ["Content-Type": "application/json"], body: configuration)
        #expect(put.status == 201, "\(put.text)")
      }
      for (name, width) in zip(names, [390, 768]) {
        let layout = "\(path)/layouts/\(encoded(name))"
        for _ in 0..<3 {
          let answer = try await service.send("GET", "\(layout)/elements?rect=0,0,1000,1000")
          let size = answer.object["contentSize"] as? [String: Double]
          #expect(size?["width"] == Double(width))
        }
        let shown = try await service.send("GET", layout)
        #expect(shown.text.contains(#""\#(one)":{"#) && shown.text.contains(#""\#(other)":{"#))
        let item = try await service.send("GET", "\(path)/items/\(encoded(name))")
        #expect((item.object["key"] as? String).map(ExactKey.init) == ExactKey(name))
        let batch = try await service.send(
          "POST", "\(path)/batches?layout=\(encoded(name))",
          headers: ["Content-Type": "application/x-ndjson"],
          body: #"{"op":"resize","key":"\#(name)","width":2,"height":1}"#)
        let layouts = batch.object["layouts"] as? [[String: Any]] ?? []
        let listed = layouts.compactMap { $0["layout"] as? String }.map(ExactKey.init)
        #expect(listed == [ExactKey(name)], "\(batch.text)")
      }
      #expect(try await service.send("DELETE", "\(path)/layouts/\(encoded(one))").status < 300)
      let gone = try await service.send(
        "GET", "\(path)/layouts/\(encoded(one))/elements?rect=0,0,1,1")
      #expect(gone.status == 404)
      #expect(try await service.send("DELETE", "/v1/datasets/\(encoded(one))").status < 300)
      #expect(try await service.send("GET", path).status == 200)
    }
  }
}
