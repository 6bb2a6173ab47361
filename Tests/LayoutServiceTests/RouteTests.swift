import Foundation
import HTTPTypes
import LayoutCache
import TestSupport
import Testing

@testable import LayoutCacheService

/// Behaviour common to all routes.
@Suite struct RouteTests {
  /// Each path with each method that it does not support.
  @Test func unsupportedMethodsAreToldTheAllowedMethods() async throws {
    let folder = try TemporaryDirectory()
    try await TestService.fed {
      $0.pagesFolder = folder.path(of: "")
    } _: { service in
      var methods = Dictionary(grouping: Routes.all, by: \.path).mapValues {
        Set($0.map(\.method.rawValue))
      }
      methods["/pages"] = ["GET"]
      methods["/pages/a.html"] = ["GET"]
      #expect(methods.count > 30)
      for (path, own) in methods {
        let names = ["dataset": "feed", "layout": "phone", "key": "i0", "name": "a", "id": "1"]
        let target = names.reduce(path) { $0.replacing("{\($1.key)}", with: $1.value) }
        let all = own.union(own.contains("GET") ? ["OPTIONS", "HEAD"] : ["OPTIONS"])
        let allowed = all.sorted().joined(separator: ", ")
        let connection = try await service.connect()
        let options = try await connection.send("OPTIONS", target)
        #expect(options.status == 204 && options.headers["allow"] == allowed, "\(path)")
        for method in ServiceResponder.methods.map(\.rawValue) where !all.contains(method) {
          // The target of CONNECT is not a path.
          if method == "CONNECT" { continue }
          let sent = method == "MSEARCH" ? "M-SEARCH" : method
          let answer = try await connection.send(sent, target)
          #expect(answer.status == 405, "\(method) \(path)")
          #expect(answer.headers["allow"] == allowed, "\(method) \(path)")
        }
        // A stream of events does not end.
        guard own.contains("GET"), !path.hasSuffix("/events") else { continue }
        let get = try await service.send("GET", target)
        let head = try await service.send("HEAD", target)
        #expect(head.status == get.status && head.body.isEmpty, "\(path)")
        // The length of a streamed answer is unknown.
        let hasLength = get.headers["content-length"] != nil && path != "/metrics"
        for name in ["content-type", "etag"] + (hasLength ? ["content-length"] : []) {
          #expect(head.headers[name] == get.headers[name], "\(name) of \(path)")
        }
      }
      for method in ["FROB", "get"] {
        #expect(try await service.send(method, "/v1/datasets").status == 400)
      }
    }
  }

  /// A client that removes the layout `..` must not remove its dataset.
  @Test func changesAtPathsThatEndWithASlashHaveNoRoute() async throws {
    try await TestService.fed { service in
      for (method, path) in [
        ("DELETE", "/v1/datasets/feed/"), ("PUT", "/v1/datasets/feed/"),
        ("DELETE", "/v1/datasets/feed/layouts/phone/"),
      ] {
        let answer = try await service.send(method, path)
        #expect(answer.status == 404, "\(method) \(path)")
      }
      #expect(try await service.send("GET", "/v1/datasets/feed/layouts/phone").status == 200)
    }
  }

  @Test func renameThatAnotherFollowsIsNotMissing() async throws {
    try await TestService.run { service in
      for round in 0..<200 {
        let (first, second, third) = ("a\(round)", "b\(round)", "c\(round)")
        try service.cache.createDataset(first)
        let cache = service.cache
        // Renames the dataset as soon as it has its second name; until then that fails.
        let other = Thread {
          while !Thread.current.isCancelled, (try? cache.renameDataset(second, to: third)) == nil {}
        }
        other.start()
        let answer = try await service.send("POST", "/v1/datasets/\(first)/rename?to=\(second)")
        // 404 would mean that the dataset was not renamed.
        #expect([200, 503].contains(answer.status))
        other.cancel()
        while !other.isFinished { try await Task.sleep(for: .milliseconds(1)) }
      }
    }
  }
}
