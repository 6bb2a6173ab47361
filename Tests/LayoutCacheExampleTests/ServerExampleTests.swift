import Foundation
import LayoutCache
import TestSupport
import Testing

// The program of the article; the last test holds the two together.

struct FeedServer: Sendable {
  let cache: LayoutCache

  func visibleElements(of layout: LayoutID, in rect: Rect) async throws -> [LayoutAttributes] {
    try await cache.performRead(layout) { try $0.elements(in: rect).elements }
  }

  func change(_ dataset: String, by batch: [BatchOperation]) async throws -> Commit {
    try await cache.performUpdate(dataset, with: batch)
  }

  func warmUp(_ layout: LayoutID, report: @escaping @Sendable (Double) -> Void) async throws {
    try await cache.performPrepare(layout) { report($0.fraction) }
  }

  func backUp(to path: String) async throws {
    try await cache.perform { cache in
      _ = try cache.backup(to: path) { _, _ in try Task.checkCancellation() }
    }
  }

  func events(
    of layout: LayoutID, after revision: Int?, send: (CommitEvent) async throws -> Void
  ) async throws {
    let commits = try await cache.commits(
      of: layout.dataset, layouts: [layout.layout], after: revision)
    for try await event in commits { try await send(event) }
  }
}

@Suite(.timeLimit(.minutes(10))) struct ServerExampleTests {
  @Test func theServerAnswersChangesAndTells() async throws {
    let server = FeedServer(cache: try .temporary())
    try await server.cache.perform { cache in
      _ = try cache.importItems(into: "news", mode: .create) { importer in
        for key in ["a", "b"] { try importer.add(Item(key: key, width: 1, height: 1)) }
      }
      try cache.setLayout(
        LayoutID("phone", of: "news"), to: ConfigurationText.decode(#"{"container":{"width":10}}"#))
    }
    let phone = LayoutID("phone", of: "news")
    let (fractions, reported) = AsyncStream.makeStream(of: Double.self)
    try await server.warmUp(phone) { reported.yield($0) }
    reported.finish()
    #expect(await fractions.reduce(into: []) { $0.append($1) } == [1])
    let rect = Rect(x: .zero, y: .zero, width: .points(10), height: .points(100))
    let before = try await server.visibleElements(of: phone, in: rect)
    #expect(before.count == 2)
    let commit = try await server.change("news", by: [.delete(keys: ["a"])])
    #expect(commit.revision == 2)
    let directory = try TemporaryDirectory()
    try await server.backUp(to: directory.path(of: "copy.sqlite"))
    let copy = try LayoutCache(path: directory.path(of: "copy.sqlite"))
    #expect(try copy.datasets().map(\.revision) == [2])
    let cancelled = Task {
      // Before the backup begins: one of a small file takes no time.
      withUnsafeCurrentTask { $0?.cancel() }
      try await server.backUp(to: directory.path(of: "other.sqlite"))
    }
    await #expect(throws: CancellationError.self) { try await cancelled.value }
    try await server.events(of: phone, after: 1) { event in
      guard case .commit(let told) = event else {
        Issue.record("\(event)")
        return
      }
      #expect(told.layouts.map(\.context.sections) == commit.layouts.map(\.context.sections))
      try await server.cache.perform { try $0.removeDataset("news") }
      withUnsafeCurrentTask { $0?.cancel() }
    }
  }

  @Test func theArticleHasTheSameProgram() throws {
    let root = URL(filePath: #filePath).deletingLastPathComponent()
      .deletingLastPathComponent().deletingLastPathComponent()
    let article = try String(
      contentsOf: root.appending(
        path: "Sources/LayoutCache/LayoutCache.docc/UsingLayoutCacheInAServer.md"),
      encoding: .utf8)
    let program = try #require(
      article.components(separatedBy: "```swift\n").dropFirst().first?
        .components(separatedBy: "```").first)
    let here = try String(contentsOfFile: #filePath, encoding: .utf8)
    #expect(program.contains("struct FeedServer"))
    #expect(here.contains(program))
  }
}
