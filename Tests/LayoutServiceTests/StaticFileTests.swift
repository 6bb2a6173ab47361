import Foundation
import Testing

@testable import LayoutCacheService

/// The inspector's files, the client module and the description: the same for every request.
@Suite struct StaticFileTests {
  private static let paths = [
    "/", "/client.js", "/client.d.ts", "/page/inspector.js", "/page/inspector.css",
    "/page/icon.svg", "/openapi.json", "/problems",
  ]

  @Test(arguments: paths) func cachedFileIsNotSentAgain(path: String) async throws {
    try await TestService.run { service in
      let first = try await service.send("GET", path)
      #expect(first.status == 200 && !first.body.isEmpty)
      let tag = try #require(first.headers["etag"])
      #expect(tag.hasPrefix("W/\"") && first.headers["cache-control"] == "no-cache")
      let opaque = tag.dropFirst(3).dropLast()
      for known in [tag, "\"\(opaque)\"", "\"\(opaque)-gzip\"", "*", "\"other\", \(tag)"] {
        for method in ["GET", "HEAD"] {
          let again = try await service.send(method, path, headers: ["If-None-Match": known])
          #expect(again.status == 304 && again.body.isEmpty, "\(method) \(known)")
          for name in ["etag", "cache-control", "vary", "content-security-policy"] {
            #expect(again.headers[name] == first.headers[name], "\(name)")
          }
        }
      }
      for other in ["\"other\"", String(opaque), "W/\"\(opaque)0\"", ""] where other != opaque {
        let again = try await service.send("GET", path, headers: ["If-None-Match": other])
        #expect(again.status == 200 && again.body == first.body, "\(other)")
      }
      let head = try await service.send("HEAD", path)
      #expect(head.status == 200 && head.headers["etag"] == tag)
      #expect(head.headers["content-length"] == String(first.body.count))
    }
  }

  @Test(arguments: paths) func plainAndCompressedFormsMatchTheFile(path: String) async throws {
    try await TestService.run { service in
      let plain = try await service.send("GET", path)
      let compressed = try await service.send("GET", path, headers: ["Accept-Encoding": "gzip"])
      #expect(plain.headers["vary"] == "Accept-Encoding")
      #expect(compressed.headers["vary"] == "Accept-Encoding")
      #expect(plain.headers["etag"] == compressed.headers["etag"])
      #expect(plain.headers["content-encoding"] == nil)
      if plain.body.count > Gzip.bytesMin {
        #expect(compressed.headers["content-encoding"] == "gzip")
        // Files are compressed once, at the best level; the level for answers gives more bytes.
        #expect(compressed.body == Gzip.compress(plain.body, level: Gzip.smallest))
        #expect(compressed.body.count < Gzip.compress(plain.body)?.count ?? 0)
      } else {
        #expect(compressed.body == plain.body)
      }
      let refused = try await service.send("GET", path, headers: ["Accept-Encoding": "gzip;q=0"])
      #expect(refused.body == plain.body)
    }
  }
}
