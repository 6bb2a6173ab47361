import Dispatch
import Foundation
import HTTPTypes
import LayoutCache
import LayoutGeometry
import Testing

@testable import LayoutCacheService

/// The length of answers, and the threads of long work.
@Suite struct AnswerLimitTests {
  private static let bytesMax = 160_000
  private static let phone = LayoutID("phone", of: "feed")
  private static let dataset = "/v1/datasets/feed"
  private static let layout = "\(dataset)/layouts/phone"

  private static func configure(_ configuration: inout ServiceConfiguration) {
    configuration.limits.answerBytesMax = bytesMax
  }

  /// A name of 250 bytes, which takes twice as many in JSON.
  private func name(_ number: Int) -> String {
    String("\(number)-".padding(toLength: 250, withPad: "\"", startingAt: 0))
  }

  /// A feed whose keys, names and data are as long as possible, with the revisions 1 to 3.
  private func makeFeed(_ cache: LayoutCache) throws {
    let data = try ItemData(json: #"{"a":"\#(String(repeating: "x", count: 4_080))"}"#)
    _ = try cache.importItems(into: "feed", mode: .create) { importer in
      for number in 0..<400 {
        let item = try Item(key: name(number), width: 4, height: 3, data: data)
        try importer.add(item, section: name(number))
      }
    }
    try cache.setLayout(Self.phone, to: ConfigurationText.decode(#"{"container":{"width":390}}"#))
    let styles = (0..<200).map { #""\#($0)":{"columns":\#(1 + $0 % 4)}"# }.joined(separator: ",")
    let styled = try ConfigurationText.decode(#"{"container":{"width":390},"styles":{\#(styles)}}"#)
    for number in 0..<60 { try cache.setLayout(LayoutID("l\(number)", of: "feed"), to: styled) }
    for number in 0..<64 {
      let text = String(repeating: "\"", count: 2_000)
      try cache.setView(name(number), of: "feed", to: DatasetView(where: "key = '\(text)'"))
    }
    for number in 0..<250 { try cache.createDataset(name(number)) }
    _ = try cache.read(Self.phone) { _ in }
    for number in 0..<2 {
      let keys = (0..<400).map { name($0) }
      try cache.update(
        "feed",
        with: keys.map {
          .resize(key: $0, size: Size(width: .points(4), height: .points(Double(5 + number))))
        })
    }
    for number in 0..<300 {
      try cache.update("feed", with: [.mark(source: name(number % 9), position: name(number))])
    }
  }

  private static let everywhere = "rect=0,0,390,100000000"
  private static let manyRects = (1...16).map { "rect=0,0,390,\($0)0000000" }.joined(separator: "&")

  /// The requests with the longest answers, by the path of their route.
  private static let requests: [String: [String]] = [
    "": [""], "/{dataset}": ["\(dataset)"], "/{dataset}/log": ["\(dataset)/log?limit=10000"],
    "/{dataset}/sections": ["\(dataset)/sections", "\(dataset)/sections?layout=phone&from=0"],
    "/{dataset}/views": ["\(dataset)/views"],
    "/{dataset}/layouts": ["\(dataset)/layouts"],
    "/{dataset}/layouts/{layout}": ["\(dataset)/layouts/l1"],
    "/{dataset}/layouts/{layout}/history": ["\(dataset)/layouts/l1/history"],
    "/{dataset}/layouts/{layout}/elements": [
      "\(layout)/elements?\(everywhere)&data=true", "\(layout)/elements?since=1",
      "\(layout)/elements?from=0.0&count=10000&data=true",
      "\(layout)/elements?data=true&\(manyRects)",
    ],
    "/{dataset}/layouts/{layout}/hit-test": ["\(layout)/hit-test?point=1,1"],
    "/{dataset}/layouts/{layout}/transition": [
      "\(layout)/transition?\(everywhere)", "\(layout)/transition?\(everywhere)&to=l1",
    ],
    "/{dataset}/layouts/{layout}/anchor": ["\(layout)/anchor?visible=0,0,390,900"],
    "/{dataset}/layouts/{layout}/target-offset": ["\(layout)/target-offset?offset=0,9"],
  ]

  @Test func everyAnswerEndsAtItsLimit() async throws {
    try await TestService.run(Self.configure) { service in
      try makeFeed(service.cache)
      let key = name(0).addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? ""
      var requests = Self.requests
      requests["/{dataset}/views/{view}"] = ["\(Self.dataset)/views/\(key)"]
      requests["/{dataset}/items/{key}"] = ["\(Self.dataset)/items/\(key)?layout=phone"]
      requests["/{dataset}/items"] = ["\(Self.dataset)/items?key=\(key)&layout=phone"]
      requests["/{dataset}/layouts/{layout}/movement"] = [
        "\(Self.layout)/movement?key=\(key)&point=1,9000&\(Self.everywhere)"
      ]
      // Streams, and the progress of an import, which names at most 20 rows.
      for stream in ["/export", "/events", "/imports/{id}"] { requests["/{dataset}\(stream)"] = [] }
      let routes = Routes.all.filter { $0.method == .get && $0.path.hasPrefix("/v1/datasets") }
      var paths: [String] = []
      for route in routes {
        let suffix = String(route.path.dropFirst("/v1/datasets".count))
        paths += try #require(requests[suffix], "\(route.path) has no longest answer here").map {
          $0.isEmpty ? "/v1/datasets" : $0
        }
      }
      var lengths: [String: Int] = [:]
      for path in paths {
        let answer = try await service.send("GET", path)
        #expect([200, 413].contains(answer.status), "\(path) \(answer.text.prefix(200))")
        #expect(answer.body.count <= Self.bytesMax, "\(path)")
        if answer.object["next"] == nil, path.contains("since") || path.contains("transition") {
          #expect(answer.text.contains(#""everything":true"#), "\(path)")
        }
        lengths[path] = answer.body.count
      }
      #expect(lengths.values.count { $0 > Self.bytesMax / 3 } >= 6, "\(lengths)")
      let connection = try await service.connect()
      let all = paths.map { "GET \($0) HTTP/1.1\r\nHost: localhost\r\n" }
      try await connection.write(all.joined(separator: "\r\n") + "Connection: close\r\n\r\n")
      let bytes = try await connection.readToEnd()
      #expect(bytes.count < (Self.bytesMax + 4_096) * (paths.count + 1))
    }
  }

  @Test func listsContinueAfterTheRowsThatFit() async throws {
    try await TestService.run(Self.configure) { service in
      try makeFeed(service.cache)
      for (path, member, count) in [
        ("/v1/datasets", "datasets", 251), ("\(Self.dataset)/log", "entries", 303),
        ("\(Self.dataset)/layouts", "layouts", 61), ("\(Self.dataset)/sections", "sections", 400),
        ("\(Self.dataset)/sections?from=0", "sections", 400),
      ] {
        var (found, pages, next) = (0, 0, "")
        repeat {
          let query =
            path.contains("from=")
            ? path.replacing("from=0", with: "from=\(next.isEmpty ? "0" : next)")
            : path + "?limit=10000" + (next.isEmpty ? "" : "&after=\(next)")
          let answer = try await service.send("GET", query).object
          let rows = (answer[member] as? [Any])?.count ?? 0
          #expect(rows > 0, "\(query)")
          (found, pages) = (found + rows, pages + 1)
          next =
            (answer["next"] as? Int).map(String.init)
            ?? (answer["next"] as? String)?
            .addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? ""
        } while !next.isEmpty && pages < 100
        #expect(found == count && pages > 1, "\(path): \(found) in \(pages) pages")
      }
    }
  }

  /// The elements and the data of several rectangles are complete by `next`.
  @Test func pagesOfOneAnswerShareItsLimits() async throws {
    try await TestService.run {
      $0.limits.answerBytesMax = 500_000
      $0.limits.elementsMax = 300
    } _: { service in
      try makeFeed(service.cache)
      let wanted = try service.cache.read(Self.phone) {
        try $0.elements(in: Rect(pointsX: 0, y: 0, width: 390, height: 1e8)!).elements.count
      }
      for data in ["", "&data=true"] {
        let answer = try await service.send(
          "GET",
          "\(Self.layout)/elements?\(Self.everywhere)&rect=0,0,390,20000000&rect=9,9,0,0"
            + "&rect=9,9,0,0&rect=0,0,390,30000000\(data)")
        let pages = try #require(answer.object["pages"] as? [[String: Any]])
        let counts = pages.map { ($0["elements"] as? [Any])?.count ?? 0 }
        #expect(counts[2] == 0 && counts.allSatisfy { $0 <= 300 } && counts.reduce(0, +) <= 300)
        #expect(counts[0] > counts[1] && answer.body.count <= 500_000)
        for page in [pages[0], pages[1], pages[4]] {
          var (found, next) = ((page["elements"] as? [Any])?.count ?? 0, page["next"] as? String)
          var rounds = 0
          while let token = next {
            let rest = try await service.send(
              "GET", "\(Self.layout)/elements?after=\(token)\(data)"
            ).object
            let count = (rest["elements"] as? [Any])?.count ?? 0
            (found, next) = (found + count, rest["next"] as? String)
            rounds += 1
            if count == 0 { break }
          }
          #expect(found == wanted && (1..<12).contains(rounds))
        }
      }
      let twice = try await service.send(
        "GET", "\(Self.layout)/elements?rect=0,0,9,9&rect=0,0,9.0,9")
      #expect(twice.status == 400)
    }
  }

  @Test func longCommitsSayThatEverythingChanged() async throws {
    try await TestService.run(Self.configure) { service in
      try makeFeed(service.cache)
      let long = String(repeating: "y", count: 240)
      let lines = (0..<800).map {
        #"{"op":"insert","section":\#(name(0).debugDescription),"index":0,"#
          + #""items":[{"key":"\#($0)\#(long)","width":3,"height":4}]}"#
      }
      let request = (["Idempotency-Key": "k"], lines.joined(separator: "\n"))
      for _ in 0..<2 {
        let answer = try await service.send(
          "POST", "\(Self.dataset)/batches", headers: request.0, body: request.1)
        #expect(answer.status == 200 && answer.body.count < Self.bytesMax, "\(answer.status)")
        let updates = try #require(answer.object["updates"] as? [String: Any])
        #expect(
          updates["everything"] as? Bool == true && updates["reason"] as? String == "too-large")
      }
    }
  }

  @Test(arguments: [
    "movement?key=i3&point=0,0&rect=0,0,390,", "transition?rect=0,0,390,100&finalRect=0,0,390,",
  ])
  func movementsAndTransitionsHaveTheElementLimitOfAQuery(query: String) async throws {
    try await TestService.fed {
      $0.limits.elementsMax = 20
    } _: { service in
      #expect(try await service.send("GET", "\(Self.layout)/\(query)100").status == 200)
      let long = try await service.send("GET", "\(Self.layout)/\(query)1000000")
      #expect(long.status == 413)
      #expect(long.object["type"] as? String == "/problems#content-too-large")
    }
  }

  /// Work that takes long waits for a thread of the cache: those that answer all requests do none
  /// of it.
  @Test func longWorkRunsOnTheThreadsOfTheCache() async throws {
    var options = LayoutCacheOptions()
    options.threadCountMax = 1
    let service = try await TestService(cache: options)
    try service.makeFeed()
    _ = try service.cache.read(Self.phone) { _ in }
    let gate = DispatchSemaphore(value: 0)
    let (entered, enter) = AsyncStream.makeStream(of: Void.self)
    let cache = service.cache
    let blocked = Task {
      try await cache.perform { _ in
        enter.yield()
        gate.wait()
      }
    }
    for await _ in entered { break }
    let longKey = String(repeating: "k", count: 1_000)
    let requests = [
      ("GET", "\(Self.layout)/movement?key=i3&point=0,0&rect=0,0,390,400", "", "", 200),
      ("PUT", Self.layout, "", "{", 422),
      ("POST", "\(Self.dataset)/batches", longKey, String(repeating: " ", count: 100_000), 400),
    ]
    var connections: [TestConnection] = []
    for (method, path, key, body, _) in requests {
      let connection = try await service.connect()
      try await connection.write(
        "\(method) \(path) HTTP/1.1\r\nHost: localhost\r\n"
          + "Content-Length: \(body.utf8.count)\r\n"
          + (key.isEmpty ? "" : "Idempotency-Key: \(key)\r\n") + "\r\n\(body)")
      connections.append(connection)
    }
    for _ in 0..<100 { #expect(try await service.send("GET", "/healthz").status == 200) }
    for (connection, request) in zip(connections, requests) {
      #expect(!connection.hasBytes, "\(request.0) was answered without a thread of the cache")
    }
    gate.signal()
    try await blocked.value
    for (connection, request) in zip(connections, requests) {
      #expect(try await connection.read().status == request.4, "\(request.0) \(request.1)")
    }
    try await service.stop()
    try service.cache.close()
  }

  @Test func longConfigurationIsRejectedUnread() async throws {
    try await TestService.fed { service in
      let answer = try await service.send(
        "PUT", Self.layout, headers: ["Content-Length": "262145", "Expect": "100-continue"])
      #expect(answer.status == 413)
    }
  }
}
