import Foundation
import LayoutCache
import TestSupport
import Testing

@testable import LayoutCacheService

/// A database file moved while the service runs, and the limits of datasets and layouts.
@Suite struct StorageTests {
  @Test func movedDatabaseFailsChangesAndReadiness() async throws {
    try await TestService.fed { service in
      let path = service.directory.path(of: "feeds.sqlite")
      #expect(try await service.send("GET", "/readyz").status == 200)
      try FileManager.default.moveItem(atPath: path, toPath: path + ".moved")
      let changes = [
        ("PUT", "/v1/datasets/new", ""), ("DELETE", "/v1/datasets/feed", ""),
        ("POST", "/v1/datasets/feed/batches", #"{"op":"delete","keys":["i1"]}"#),
        ("POST", "/v1/datasets/feed/import?mode=append", #"{"key":"a","width":1,"height":1}"#),
      ]
      for (method, target, body) in changes {
        let answer = try await service.send(
          method, target, headers: ["Content-Type": "application/x-ndjson"], body: body)
        #expect(answer.status == 500, "\(method) \(target): \(answer.text)")
        #expect(answer.text.contains("#storage-error"), "\(answer.text)")
        #expect(answer.text.contains("the file was removed or moved; nothing was changed; restart"))
        #expect(!answer.text.contains(path))
      }
      for _ in 0..<2 {
        let ready = try await service.send("GET", "/readyz")
        #expect(ready.status == 500 && ready.text.contains("the file was removed or moved"))
      }
      #expect(try await service.send("GET", "/healthz").status == 200)
      let dataset = try await service.send("GET", "/v1/datasets/feed").object
      #expect(dataset["revision"] as? Int == 1 && dataset["items"] as? Int == 100)
      // Once the file is back, the service is ready again.
      try FileManager.default.moveItem(atPath: path + ".moved", toPath: path)
      #expect(try await service.send("GET", "/readyz").status == 200)
      #expect(try await service.send("PUT", "/v1/datasets/new").status == 201)
    }
  }

  @Test func exceedingDatasetOrLayoutLimitIsAConflict() async throws {
    var options = LayoutCacheOptions()
    (options.datasetsMax, options.layoutsMax) = (2, 2)
    let service = try await TestService(cache: options)
    func put(_ path: String, _ body: String = "") async throws -> TestAnswer {
      try await service.send("PUT", path, headers: ["Content-Type": "application/json"], body: body)
    }
    let layout = #"{"container":{"width":300}}"#
    #expect(try await put("/v1/datasets/a").status == 201)
    #expect(try await put("/v1/datasets/b").status == 201)
    #expect(try await put("/v1/datasets/b").status == 200)
    let third = try await put("/v1/datasets/c")
    #expect(third.status == 409 && third.text.contains("number of datasets is 3; the limit is 2"))
    for (name, status) in [("p", 201), ("q", 201), ("p", 200), ("r", 409)] {
      let answer = try await put("/v1/datasets/a/layouts/\(name)", layout)
      #expect(answer.status == status, "\(name): \(answer.text)")
      if status == 409 { #expect(answer.text.contains("number of layouts is 3; the limit is 2")) }
    }
    #expect(try service.cache.layouts(of: "a").map(\.name) == ["p", "q"])
    try await service.stop()
    try service.cache.close()
  }
}
