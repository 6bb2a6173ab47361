import Foundation
import HTTPTypes
import Hummingbird
import LayoutCache
import Logging
import NIOCore
import ServiceLifecycle
import TestSupport
import Testing

@testable import LayoutCacheService

// Strategy: an application with other routes and middleware mounts the routes for the cache of
// a service that also listens by itself. Both get the same requests.

/// The service's routes in another application.
@Suite(.timeLimit(.minutes(10))) struct MountedTests {
  struct Context: ConnectionContext {
    var coreContext: CoreRequestContextStorage
    let channel: any Channel

    init(source: ApplicationRequestContextSource) {
      coreContext = CoreRequestContextStorage(source: source)
      channel = source.channel
    }
  }

  /// Rejects requests with a certain header.
  private struct Bouncer: RouterMiddleware {
    func handle(
      _ request: Request, context: Context, next: (Request, Context) async throws -> Response
    ) async throws -> Response {
      guard request.headers[.cookie] == nil else { return Response(status: .unauthorized) }
      var response = try await next(request, context)
      response.headers[.via] = "bouncer"
      return response
    }
  }

  /// Runs an application with the routes at a path, next to a service of the same cache.
  private func mounted(
    at path: [RouterPath] = ["layouts"], hasOwnServer: Bool = true, runsThreads: Bool = true,
    _ configure: (inout ServiceConfiguration) -> Void = { _ in },
    _ body: (_ service: TestService, _ port: Int) async throws -> Void
  ) async throws {
    var configuration = ServiceConfiguration()
    configure(&configuration)
    try await TestService.run(configure) { service in
      try service.makeFeed()
      var logger = Logger(label: "test")
      logger.logLevel = .critical
      let layouts = try LayoutRoutes(
        cache: service.cache, configuration: configuration, logger: logger)
      let router = Router(context: Context.self)
      router.get("own") { _, _ in "own" }
      router.add(middleware: Bouncer())
      if path.count == 1 {
        layouts.addRoutes(to: router, at: path[0])
      } else {
        layouts.addRoutes(to: router.group(path[0]), at: path[1])
      }
      let (ports, ready) = AsyncStream.makeStream(of: Int.self)
      let application = Application(
        router: router, server: hasOwnServer ? layouts.server : .http1(),
        configuration: ApplicationConfiguration(address: .hostname("127.0.0.1", port: 0)),
        services: runsThreads ? [layouts] : [],
        onServerRunning: { ready.yield($0.localAddress?.port ?? 0) },
        logger: logger)
      let group = ServiceGroup(
        configuration: ServiceGroupConfiguration(services: [application], logger: logger))
      try await withThrowingTaskGroup(of: Void.self) { tasks in
        tasks.addTask {
          defer { ready.finish() }
          try await group.run()
        }
        var iterator = ports.makeAsyncIterator()
        let port = try #require(await iterator.next())
        let result: Result<Void, any Error>
        do { result = .success(try await body(service, port)) } catch { result = .failure(error) }
        await group.triggerGracefulShutdown()
        try await tasks.waitForAll()
        try result.get()
      }
    }
  }

  private static func same(_ a: TestAnswer, _ b: TestAnswer) -> Bool {
    func compared(_ headers: [String: String]) -> [String: String] {
      let volatile = ["date", "server", "via", "server-timing", "x-request-id"]
      return headers.filter { !volatile.contains($0.key) }
    }
    return a.status == b.status && a.body == b.body && compared(a.headers) == compared(b.headers)
  }

  @Test(arguments: [["layouts"], ["a/b"], [""], ["app", "layouts"]])
  func mountedRoutesAnswerLikeTheService(path: [String]) async throws {
    try await mounted(at: path.map { RouterPath($0) }) { service, port in
      let prefix = path == [""] ? "" : "/" + path.joined(separator: "/")
      try service.cache.createDataset("a/b ä")
      for (method, target) in [
        ("GET", "/v1/datasets"), ("HEAD", "/v1/datasets"), ("OPTIONS", "/v1/datasets"),
        ("PATCH", "/v1/datasets"), ("TRACE", "/v1/datasets"), ("GET", "/v1/datasets/"),
        ("GET", "/v1/datasets/feed?nonsense=1"), ("GET", "/v1/datasets/none"),
        ("GET", "/v1/datasets/a%2Fb%20%C3%A4"), ("GET", "/v1/datasets/%ff"), ("GET", "/v1/nothing"),
        ("GET", "/v1/datasets/feed/layouts/phone/elements?rect=0,0,390,800&data=true"),
        ("GET", "/v1/datasets/feed/layouts/phone/elements?rect=0%2C0%2C390%2C800"),
        ("GET", "/v1/datasets/feed/export?format=csv"), ("GET", "/v1/datasets/feed/items/i1"),
        ("GET", "/page/inspector.js"), ("GET", "/client.js"), ("GET", "/healthz"),
        ("GET", "/openapi.json"), ("GET", "/"), ("GET", "/?dataset=feed"),
      ] {
        let wanted = try await service.send(method, target)
        let found = try await TestConnection(port: port).send(method, prefix + target)
        #expect(Self.same(found, wanted), "\(method) \(target): \(found.status) \(found.headers)")
        #expect(found.headers["via"] == "bouncer")
      }
      #expect(try await TestConnection(port: port).send("GET", "/own").text == "own")
      let stopped = try await TestConnection(port: port).send(
        "GET", "\(prefix)/v1/datasets", headers: ["Cookie": "a=b"])
      #expect(stopped.status == 401 && stopped.body.isEmpty)
    }
  }

  /// The page's links are relative: its path ends in a slash.
  @Test func rootRedirectsToATrailingSlash() async throws {
    try await mounted { service, port in
      for (target, location) in [
        ("/layouts", "layouts/"), ("/layouts?dataset=feed", "layouts/?dataset=feed"),
      ] {
        let answer = try await TestConnection(port: port).send("GET", target)
        #expect(answer.status == 308 && answer.headers["location"] == location)
      }
      let page = try await TestConnection(port: port).send("GET", "/layouts/").text
      #expect(page.contains("page/inspector.js"))
      for link in ["href=\"/", "src=\"/", "action=\"/"] { #expect(!page.contains(link)) }
    }
  }

  /// The body is larger than the pipe to the threads, which begin to run after the server.
  @Test(.timeLimit(.minutes(2))) func transfersBeforeTheThreadsRunAreRejected() async throws {
    try await mounted(runsThreads: false) { _, port in
      let rows = String(repeating: #"{"key":"a","width":1,"height":1}"# + "\n", count: 60_000)
      for (method, path, body) in [
        ("POST", "new/import?format=ndjson", rows), ("GET", "feed/export", ""),
      ] {
        let answer = try await TestConnection(port: port).send(
          method, "/layouts/v1/datasets/\(path)", body: body)
        #expect(answer.status == 503, "\(path): \(answer.text)")
      }
    }
  }

  /// The configured tokens and hosts apply to mounted routes.
  @Test func configuredTokensAndHostsApply() async throws {
    let hash = "3d0941964aa3ebdcb00ccef58b1bb399f9f898465e9886d5aec7f31090a0fb30"
    let tokens = try AccessTokens(text: "web read * \(hash)\n")
    try await mounted {
      $0.tokens = tokens
      $0.allowedHosts = ["feeds.example.org"]
    } _: { _, port in
      let token = "Authorization: Bearer reader\r\n"
      for (headers, status) in [
        ("Host: localhost\r\n", 401), ("Host: localhost\r\n" + token, 200),
        ("Host: feeds.example.org\r\n" + token, 200), ("Host: evil.example\r\n" + token, 421),
      ] {
        let connection = try await TestConnection(port: port)
        try await connection.write("GET /layouts/v1/datasets HTTP/1.1\r\n\(headers)\r\n")
        let answer = try await connection.read()
        #expect(answer.status == status, "\(headers)")
      }
    }
    var configuration = ServiceConfiguration()
    configuration.host = "0.0.0.0"
    #expect(throws: ServiceConfigurationError.self) {
      try LayoutRoutes(
        cache: LayoutCache.temporary(), configuration: configuration, logger: Logger(label: "test"))
    }
  }

  /// The service's server sends 100 Continue; with other servers the client sends the body
  /// without it.
  @Test(arguments: [true, false]) func bodyIsReadFromAClientExpectingContinue(
    hasOwnServer: Bool
  ) async throws {
    try await mounted(hasOwnServer: hasOwnServer) { service, port in
      let connection = try await TestConnection(port: port)
      let batch = #"{"op":"delete","keys":["i3"]}"#
      try await connection.write(
        "POST /layouts/v1/datasets/feed/batches HTTP/1.1\r\nHost: localhost\r\n"
          + "Content-Length: \(batch.utf8.count)\r\nExpect: 100-continue\r\n\r\n")
      if hasOwnServer { #expect(try await connection.read().status == 100) }
      try await connection.write(batch)
      #expect(try await connection.read().status == 200)
      #expect(try service.cache.dataset("feed").revision == 2)
    }
  }

  /// An application that stops ends its streams without waiting for clients.
  @Test func stoppingTheApplicationEndsStreams() async throws {
    var stream: TestConnection?
    try await mounted { service, port in
      let connection = try await TestConnection(port: port)
      try await connection.write(
        "GET /layouts/v1/datasets/feed/events HTTP/1.1\r\nHost: localhost\r\n"
          + "Accept: text/event-stream\r\n\r\n")
      #expect(try await connection.readSome().hasPrefix("HTTP/1.1 200"))
      try service.cache.update("feed", with: [.delete(keys: ["i3"])])
      var text = ""
      while !text.contains("id: 2") { text += try await connection.readSome() }
      stream = connection
    }
    _ = try await #require(stream).readToEnd()
  }

  /// The documented example program, run as a process and stopped by a signal.
  @Test func exampleProgramAnswersAndStops() async throws {
    let folder = try TemporaryDirectory()
    let process = Process()
    process.executableURL = Bundle.main.bundleURL.appending(path: "MountedExample")
    process.arguments = [folder.path(of: "feeds.sqlite"), "0"]
    let log = Pipe()
    process.standardError = log
    process.standardOutput = log
    try process.run()
    defer { if process.isRunning { process.terminate() } }
    let port = try await onThread {
      var text = ""
      while true {
        let data = log.fileHandleForReading.availableData
        if data.isEmpty { throw TestConnection.Failure.closed }
        text += String(decoding: data, as: UTF8.self)
        let digits = text.components(separatedBy: "listening on 127.0.0.1:").dropFirst().first?
          .prefix { $0.isNumber }
        if let digits, let port = Int(digits), text.hasSuffix("\n") { return port }
      }
    }
    let connection = try await TestConnection(port: port)
    #expect(try await connection.send("GET", "/count").text == "0 datasets\n")
    #expect(try await connection.send("PUT", "/layouts/v1/datasets/feed").status == 201)
    #expect(try await connection.send("GET", "/count").text == "1 datasets\n")
    let stopped = Task { try await onThread { process.waitUntilExit() } }
    process.terminate()
    try await stopped.value
    #expect(process.terminationStatus == 0 && process.terminationReason == .exit)
    let cache = try LayoutCache(path: folder.path(of: "feeds.sqlite"))
    #expect(try cache.datasets().map(\.name) == ["feed"])
  }
}
