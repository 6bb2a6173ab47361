import Testing

@testable import LayoutCacheService

/// The bodies and parameters of imports.
@Suite struct ImportBodyTests {
  private static let type = ["Content-Type": "application/x-ndjson"]

  @Test func skippedDuplicatesAndRowsWithoutSectionAreCounted() async throws {
    try await TestService.run { service in
      let body = "key,width,height,year\na,1,2,1997\nb,1,2,\na,3,4,1997\n"
      let answer = try await service.send(
        "POST", "/v1/datasets/a/import?onDuplicate=skip&section=year",
        headers: ["Content-Type": "text/csv"], body: body
      ).object
      #expect(answer["imported"] as? Int == 2 && answer["skipped"] as? Int == 1)
      #expect(answer["duplicates"] as? Int == 1 && answer["withoutSection"] as? Int == 1)
    }
  }

  @Test func compressedBodyOfAnUnknownCodingGetsAdvice() async throws {
    try await TestService.fed { service in
      let cases = [
        ("/v1/datasets/a/import", 400, "truncated gzip data"),
        ("/v1/datasets/feed/batches", 422, "decompress it first"),
      ]
      for (path, status, text) in cases {
        let stated = try await service.send(
          "POST", path, headers: Self.type.merging(["Content-Encoding": "br"]) { $1 }, body: "x")
        #expect(stated.status == 415 && stated.text.contains("send gzip or identity"))
        let other = try await service.send(
          "POST", path, headers: Self.type.merging(["Content-Encoding": "gzip"]) { $1 }, body: "x")
        #expect(other.status == 400 && other.text.contains("damaged or truncated gzip data"))
        let plain = try await service.send(
          "POST", path, headers: Self.type.merging(["Content-Encoding": "identity"]) { $1 },
          body: "x")
        #expect(plain.status == 422, "\(plain.text)")
        let connection = try await service.connect()
        try await connection.write(
          "POST \(path) HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/x-ndjson\r\n"
            + "Content-Length: 10\r\n\r\n")
        try await connection.write([0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 3])
        let answer = try await connection.read()
        #expect(answer.status == status && answer.text.contains(text), "\(answer)")
      }
    }
  }

  @Test func gzipBodiesAreDecoded() async throws {
    try await TestService.fed { service in
      func send(
        _ path: String, _ body: [UInt8], coding: String? = "gzip"
      ) async throws -> TestAnswer {
        let connection = try await service.connect()
        try await connection.write(
          "POST \(path) HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/x-ndjson\r\n"
            + (coding.map { "Content-Encoding: \($0)\r\n" } ?? "")
            + "Content-Length: \(body.count)\r\n\r\n")
        try await connection.write(body)
        return try await connection.read()
      }
      let rows = (0..<5_000).map { #"{"key":"k\#($0)","width":4,"height":3}"# + "\n" }.joined()
      let packed = try #require(Gzip.compress(Array(rows.utf8)))
      for (name, coding) in [("a", "gzip"), ("b", "X-GZIP"), ("c", nil)] {
        let answer = try await send("/v1/datasets/\(name)/import", packed, coding: coding)
        #expect(answer.object["imported"] as? Int == 5_000)
      }
      let cut = try await send("/v1/datasets/e/import", Array(packed.dropLast(9)))
      #expect(cut.status == 400 && cut.text.contains("damaged or truncated gzip data"))
      let missing = try await service.send("GET", "/v1/datasets/e")
      #expect(missing.status == 404)
      // A batch, and one whose text is longer than a batch may be.
      let resize = Array(#"{"op":"resize","key":"i1","width":4,"height":9}"#.utf8)
      let spaces = [UInt8](repeating: UInt8(ascii: " "), count: 17 << 20)
      let batch = try await send(
        "/v1/datasets/feed/batches", try #require(Gzip.compress(resize + spaces.prefix(1_000))))
      #expect(batch.object["revision"] as? Int == 2)
      let bomb = try await send(
        "/v1/datasets/feed/batches", try #require(Gzip.compress(spaces, level: Gzip.smallest)))
      #expect(bomb.status == 413 && bomb.text.contains("more than 16777216 bytes"))
    }
  }

  @Test func aFaultOfARowIsAProblemOfTheRow() async throws {
    try await TestService.run { service in
      let body = "key,width,height,title\na,1,2,x\nn,3,4,y\0y\nq,5\" disk,1,z\nb,3,4,z\n"
      let type = ["Content-Type": "text/csv"]
      let failed = try await service.send(
        "POST", "/v1/datasets/a/import", headers: type, body: body)
      #expect(failed.status == 422 && failed.text.contains("title has a NUL byte"))
      let answer = try await service.send(
        "POST", "/v1/datasets/a/import?onInvalid=skip", headers: type, body: body
      ).object
      #expect(answer["imported"] as? Int == 2 && answer["skipped"] as? Int == 2)
      let problems = try #require(answer["problems"] as? [[String: Any]])
      #expect(problems.compactMap { $0["line"] as? Int } == [3, 4])
      #expect(problems.compactMap { $0["field"] as? String } == ["title", "width"])
    }
  }

  @Test func theOptionsOfTheTextAreThoseOfTheCommand() async throws {
    try await TestService.run { service in
      let body = "A report\na;2,5;,5;1900;x\nb;;;1899;y, z\nc;1;1;;\nd;0,25;1;1900;x\n"
      let answer = try await service.send(
        "POST",
        "/v1/datasets/a/import?decimal=comma&skipLines=1&header=false&key=1&width=2&height=3"
          + "&size=4x5&scale=2&section=4&sectionOrder=value&data=tags=5:list",
        headers: ["Content-Type": "text/csv"], body: body
      ).object
      #expect(answer["imported"] as? Int == 4 && answer["withoutSize"] as? Int == 1)
      #expect(answer["offShape"] == nil)
      let exported = try await service.send("GET", "/v1/datasets/a/export").text
      #expect(
        exported == """
          {"key":"b","width":4,"height":5,"section":"1899","span":1,"data":{"tags":["y","z"]}}
          {"key":"a","width":5,"height":1,"section":"1900","span":1,"data":{"tags":["x"]}}
          {"key":"d","width":0.5,"height":2,"section":"1900","span":1,"data":{"tags":["x"]}}
          {"key":"c","width":2,"height":2,"section":"main","span":1,"data":{"tags":[]}}

          """)
      let list = try await service.send(
        "POST", "/v1/datasets/b/import?items=a.list&orientation=o",
        headers: ["Content-Type": "application/x-ndjson"],
        body: #"{"a":{"n":1,"list":[{"key":"k","width":0.2182,"height":1,"o":6}]},"z":[]}"#
      ).object
      #expect(list["offShape"] as? Int == 1 && list["scale"] as? Int == 10)
      for wrong in [
        "size=4", "scale=0", "scale=2e6", "decimal=,", "skipLines=-1", "header=2", "sectionOrder=x",
        "items=", "items=.",
      ] {
        let answer = try await service.send(
          "POST", "/v1/datasets/c/import?\(wrong)", headers: ["Content-Type": "text/csv"], body: "")
        #expect(answer.status == 400, "\(wrong)")
      }
    }
  }

  @Test func dataMembersAreCheckedAsByTheCommand() async throws {
    try await TestService.run { service in
      for (data, status) in [
        ("title=name,title=other", 400), ("a,", 400), ("=a", 400), ("", 400), ("w:number", 200),
      ] {
        let answer = try await service.send(
          "POST", "/v1/datasets/a/import?mode=replace&data=\(data)",
          headers: ["Content-Type": "text/csv"], body: "key,width,height,w\na,1,2,3\n")
        #expect(answer.status == status, "\(data): \(answer.text)")
      }
    }
  }
}
