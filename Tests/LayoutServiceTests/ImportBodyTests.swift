import Testing

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

  @Test func compressedBodyGetsAdvice() async throws {
    try await TestService.run { service in
      try service.makeFeed()
      let paths = ["/v1/datasets/a/import", "/v1/datasets/feed/batches"]
      for path in paths {
        let stated = try await service.send(
          "POST", path, headers: Self.type.merging(["Content-Encoding": "gzip"]) { $1 }, body: "x")
        #expect(stated.status == 415 && stated.text.contains("send them uncompressed"))
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
        #expect(answer.status == 422 && answer.text.contains("decompress it first"), "\(answer)")
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
