import Foundation
import LayoutCache
import LayoutCacheService
import LayoutGeometry
import TestSupport
import Testing

/// Queries: their answers, and the validators and pins of answers.
@Suite struct ElementTests {
  private static let path = "/v1/datasets/feed/layouts/phone/elements"

  /// Returns the keys and frames of an answer's elements.
  private func frames(_ elements: Any?) -> [String] {
    (elements as? [[String: Any]] ?? []).map { element in
      let frame = element["frame"] as? [String: Double] ?? [:]
      return
        "\(element["key"] ?? element["kind"] ?? "") \(frame["x"] ?? -1) \(frame["y"] ?? -1) "
        + "\(frame["width"] ?? -1) \(frame["height"] ?? -1)"
    }
  }

  private func expected(_ service: TestService, _ rect: Rect) throws -> [String] {
    try service.cache.read(LayoutID("phone", of: "feed")) { snapshot in
      try snapshot.elements(in: rect).elements.map { element in
        var name = element.representedElementKind ?? ""
        if case .cell(let key) = element.category { name = key }
        let frame = element.frame
        return
          "\(name) \(frame.minX.points) \(frame.minY.points) \(frame.size.width.points) "
          + "\(frame.size.height.points)"
      }
    }
  }

  @Test(arguments: [1, 2, 3]) func answerMatchesTheLibrary(seed: UInt64) async throws {
    var generator = SeededGenerator(seed: seed)
    try await TestService.fed(items: 200) { service in
      let extremes = ["0", "-1", "0.015625", "0.015624", "2147483648", "-1e11", "1e11", "1e-320"]
      for step in 0..<120 {
        let texts = (0..<4).map { _ in
          step % 3 == 0
            ? "\(Double(Int.random(in: 0...4000, using: &generator)) / 4)"
            : extremes.randomElement(using: &generator)!
        }
        let numbers = texts.map { Double($0)! }
        let answer = try await service.send(
          "GET", "\(Self.path)?rect=\(texts.joined(separator: ","))")
        let isValid = numbers[2...].allSatisfy { $0 >= 0 }
        #expect(answer.status == (isValid ? 200 : 400), "seed \(seed): \(texts)")
        guard isValid else { continue }
        let rect = try #require(
          Rect(pointsX: numbers[0], y: numbers[1], width: numbers[2], height: numbers[3]))
        #expect(
          frames(answer.object["elements"]) == (try expected(service, rect)),
          "seed \(seed): \(texts)")
      }
    }
  }

  @Test func continuationCannotBeCombinedWithOtherParameters() async throws {
    try await TestService.fed { service in
      func status(_ query: String) async throws -> Int {
        try await service.send("GET", "\(Self.path)?\(query)").status
      }
      let first = try await service.send("GET", "\(Self.path)?rect=0,0,390,3000&limit=3").object
      let next = try #require(first["next"] as? String)
      let items = try await service.send("GET", "\(Self.path)?from=i0&count=1").object
      let nextItems = try #require(items["next"] as? String)
      #expect(try await status("after=\(next)") == 200)
      #expect(try await status("after=\(next)&rect=0,0,390,3000&limit=2&data=true") == 200)
      #expect(try await status("after=\(nextItems)&count=2") == 200)
      for query in [
        "after=\(next)&rect=0,0,390,2999", "after=\(next)&from=i0", "after=\(next)&backward=true",
        "after=\(next)&visible=0,0,1,1", "after=\(nextItems)&rect=0,0,390,3000", "after=3.2.117",
        "after=\(next.dropLast())", "after=", "from=i0&rect=0,0,1,1", "from=i0&limit=3",
        "from=i0&visible=0,0,1,1", "count=3", "backward=true", "rect=0,0,1,1&count=3",
        "from=i0&count=0", "from=i0&count=10001", "from=i0&backward=yes", "from=",
      ] {
        #expect(try await status(query) == 400, "\(query)")
      }
      #expect(try await status("from=missing") == 404)
      // As with a rectangle: the validator, and the pin.
      let target = "\(Self.path)?from=i0&count=2"
      let answer = try await service.send("GET", target)
      let tag = try #require(answer.headers["etag"])
      let again = try await service.send("GET", target, headers: ["If-None-Match": tag])
      #expect(again.status == 304)
      let pinned = try await service.send(
        "GET", "\(target)&at=\(tag.filter { !"W/\"".contains($0) })")
      #expect(
        pinned.status == 200 && pinned.headers["cache-control"]?.contains("immutable") == true)
      try service.cache.removeDataset("feed")
      try service.makeFeed()
      let gone = try await service.send("GET", "\(Self.path)?after=\(next)")
      #expect(gone.status == 410)
      #expect(gone.object["type"] as? String == "/problems#continuation-expired")
    }
  }

  /// Revision and configuration do not determine an answer: a stable waterfall depends on its
  /// history.
  @Test func recreatedLayoutHasAnotherETag() async throws {
    try await TestService.fed { service in
      try service.cache.update("feed", with: [.resize(key: "i0", size: Size(width: 4, height: 90))])
      let before = try await service.send("GET", "\(Self.path)?rect=0,0,390,800")
      let layout = LayoutID("phone", of: "feed")
      let configuration = try service.cache.layout(layout).configuration
      try service.cache.removeLayout(layout)
      try service.cache.setLayout(layout, to: configuration)
      let after = try await service.send("GET", "\(Self.path)?rect=0,0,390,800")
      #expect(before.headers["layoutcache-revision"] == after.headers["layoutcache-revision"])
      #expect(before.headers["etag"] != after.headers["etag"])
    }
  }

  /// Each route whose answers come from one layout.
  @Test(arguments: [
    "layouts/phone/elements?rect=0,0,390,800", "layouts/phone/elements?from=i5&count=3",
    "layouts/phone/elements?rect=0,0,390,800&data=true",
    "layouts/phone/hit-test?point=5,45", "layouts/phone/hit-test?point=5,5&visible=0,0,390,800",
    "items/i5?layout=phone", "items/i5?layout=phone&anchor=40", "sections?layout=phone",
    "layouts/phone/target-offset?offset=0,300",
    "layouts/phone/movement?key=i5&point=5,45",
  ])
  func onlyPinnedAnswersAreImmutable(target: String) async throws {
    try await TestService.fed { service in
      let query = "/v1/datasets/feed/\(target)"
      let free = try await service.send("GET", query)
      #expect(free.status == 200 && free.headers["cache-control"] == "no-cache")
      let tag = try #require(free.headers["etag"])
      let pinned = try await service.send("GET", "\(query)&at=\(tag.dropFirst(3).dropLast())")
      #expect(pinned.status == 200 && pinned.body == free.body && pinned.headers["etag"] == tag)
      #expect(pinned.headers["cache-control"] == "public, max-age=31536000, immutable")
      #expect(tag.hasPrefix("W/\"") && free.headers["layoutcache-revision"] == "1")
      let strong = String(tag.dropFirst(2))
      for known in [tag, strong, strong.dropLast() + "-gzip\"", "*", "\"other\", \(tag)"] {
        let again = try await service.send("GET", query, headers: ["If-None-Match": known])
        #expect(again.status == 304 && again.body.isEmpty && again.headers["etag"] == tag)
      }
      let other = try await service.send("GET", "\(query)&at=other")
      #expect(other.status == 409 && other.object["etag"] as? String == tag)
      try service.cache.update("feed", with: [.delete(keys: ["i3"])])
      let gone = try await service.send("GET", "\(query)&at=\(tag.dropFirst(3).dropLast())")
      #expect(gone.status == 409 && gone.object["revision"] as? Int == 2)
      #expect(gone.object["type"] as? String == "/problems#pinned-state-expired")
      #expect(gone.headers["cache-control"] == "no-store")
      let now = try await service.send("GET", query)
      #expect(now.status == 200 && now.headers["etag"] == gone.object["etag"] as? String)
      let known = try await service.send("GET", query, headers: ["If-None-Match": tag])
      #expect(known.status == 200 && known.headers["etag"] != tag)
    }
  }

  @Test func requestedCompressionHalvesTheAnswer() async throws {
    try await TestService.fed { service in
      let path = "\(Self.path)?rect=0,0,390,4000"
      let plain = try await service.send("GET", path)
      #expect(plain.headers["content-encoding"] == nil)
      let compressed = try await service.send(
        "GET", path, headers: ["Accept-Encoding": "br, gzip;q=0.5"])
      #expect(compressed.headers["content-encoding"] == "gzip")
      #expect(compressed.headers["vary"] == "Accept, Accept-Encoding")
      #expect(compressed.body.count * 2 < plain.body.count)
      #expect(try inflated(compressed.body) == plain.body)
      let refused = try await service.send("GET", path, headers: ["Accept-Encoding": "gzip;q=0"])
      #expect(refused.headers["content-encoding"] == nil)
    }
  }

  private func inflated(_ bytes: [UInt8]) throws -> [UInt8] {
    let directory = try TemporaryDirectory()
    let file = URL(filePath: directory.path(of: "answer.gz"))
    try Data(bytes).write(to: file)
    let process = Process()
    process.executableURL = URL(filePath: "/bin/gzip")
    process.arguments = ["-dc", file.path]
    let output = Pipe()
    process.standardOutput = output
    try process.run()
    let data = output.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    return Array(data)
  }
}
