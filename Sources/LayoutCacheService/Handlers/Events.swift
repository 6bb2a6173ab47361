import HTTPTypes
import Hummingbird
import LayoutCache
import LayoutCluster
import ServiceLifecycle
import TextFormats

/// Handlers for the changes of a dataset as they are committed.
enum Events {
  /// The maximum time that a request for changes may wait, in seconds.
  private static let waitMax = 60
  /// The maximum number of events queued for a client. If exceeded, the client gets a reset.
  private static let queueCountMax = 64

  /// Streams commits, from the one after `Last-Event-ID` or `since`. With `wait`, returns the
  /// changes since that revision once there are any, without a stream.
  @Sendable static func follow(_ request: ServiceRequest) async throws -> Response {
    let since = try request.query.revision(.since)
    if let wait = try request.query.int(.wait, in: 0...waitMax) {
      guard let since else { throw Problem(.badRequest, "'wait' requires 'since'") }
      try request.query.refuse([.where, .order, .view], "cannot be combined with 'wait'")
      if request.caller.isScoped { throw Problem(.outOfScope, "the token permits no 'wait'") }
      return try await changes(request, since: since, wait: .seconds(wait))
    }
    _ = try request.preferred(of: [EventStream.type])
    let (layout, isStored) = try await followed(request)
    if request.view != nil || !isStored {
      return try await follow(
        request.view ?? .whole, layout, isStored ? layout : nil, request, since: since)
    }
    let start = start(request, since: since)
    let commits = try await request.cache.commits(
      of: request.dataset, layouts: layout.map { [$0] } ?? [],
      after: start.revision.map { present($0, request) }, incarnation: start.incarnation,
      queueCountMax: queueCountMax, writtenBy: EventText.self)
    var response = try EventStream.response(to: request) { client in
      for try await event in commits {
        if case .event(.layout(let name, _)) = event.content, !request.caller.may(useLayout: name) {
          continue
        }
        await client.send(event)
      }
    }
    response.headers[.revision] = String(commits.revision)
    return response
  }

  /// Streams the commits that may change a view, with their changes if its result is in memory. A
  /// stream that resumes after commits begins with a reset. After a named view has been changed, the
  /// next commit is sent in any case.
  private static func follow(
    _ view: DatasetView, _ layout: String?, _ stored: String?, _ request: ServiceRequest,
    since: Int?
  ) async throws -> Response {
    let start = start(request, since: since)
    let (cache, dataset) = (request.cache, request.dataset)
    let present = try await request.blocking { try cache.dataset(dataset) }
    let missesNothing =
      start.revision == present.revision
      && start.incarnation.map { $0 == present.incarnation } ?? true
    let commits = try await cache.commits(
      of: dataset, layouts: stored.map { [$0] } ?? [],
      after: start.revision.map { missesNothing ? $0 : unknownRevision },
      queueCountMax: queueCountMax)
    var response = try EventStream.response(to: request) { client in
      var (known, told) = (view, commits.revision)
      for try await event in commits {
        guard case .commit(let commit) = event else {
          var event = event
          if case .layout(let name, let incarnation) = event, let layout {
            // One viewer learns nothing of other layouts. A width that is not stored has the
            // definition of its layout.
            guard name.isExactly(layout) || stored == nil && layout.hasPrefix("\(name)@") else {
              continue
            }
            event = .layout(layout, incarnation: incarnation)
          }
          if case .reset(let revision, _) = event { told = revision }
          await client.send(EventText.text(of: event))
          continue
        }
        guard let view = try await presentView(of: request, or: view) else {
          return await client.send(EventText.text(of: .gone))
        }
        let own = try await request.blocking { [known, told] in
          try view == known
            ? text(of: commit, in: view, layout, request, since: told)
            : (EventText.text(of: .commit(commit.everything(in: view))), commit.revision)
        }
        (known, told) = (view, own.revision)
        if let text = own.text { await client.send(text) }
      }
    }
    response.headers[.revision] = String(commits.revision)
    return response
  }

  /// Returns the view of a request as it is defined now; `nil` if its name has none.
  private static func presentView(
    of request: ServiceRequest, or stated: DatasetView
  ) async throws -> DatasetView? {
    do { return try await request.currentView() ?? stated } catch let error as LayoutCacheError {
      guard case .noSuchView = error.code else { throw error }
      return nil
    }
  }

  /// Returns the event for a commit and those after it, and the newest revision that it is about.
  ///
  /// - Returns: No text if the view does not change.
  private static func text(
    of commit: Commit, in view: DatasetView, _ layout: String?, _ request: ServiceRequest,
    since told: Int
  ) throws -> (text: ByteBuffer?, revision: Int) {
    if commit.revision <= told { return (nil, told) }
    let (cache, dataset) = (request.cache, request.dataset)
    // A layout that is laid out again is left to those who read it.
    if let layout = layout.map({ LayoutID($0, of: dataset) }),
      try cache.isTemporary(layout) || cache.readIfWarm(layout, { _ in }) != nil,
      try cache.follow(layout, showing: view)
    {
      let changes = try cache.changes(of: layout, since: told, showing: view)
      let text = changes.layouts.isEmpty ? nil : EventText.text(of: changes)
      return (text, max(changes.revision, commit.revision))
    }
    // Without a change, changes are told since the revision before: its state may be in memory.
    guard let own = try cache.commit(commit, of: dataset, inView: view, layout) else {
      return (nil, told)
    }
    return (EventText.text(of: .commit(own)), commit.revision)
  }

  /// Returns the name of the layout whose contexts are requested, and whether it is stored. A variant
  /// is created unless it must be temporary, so that its first answer need not be the client's next
  /// request.
  private static func followed(
    _ request: ServiceRequest
  ) async throws -> (layout: String?, isStored: Bool) {
    guard let name = request.layoutName else { return (nil, true) }
    let (cache, layout) = (request.cache, LayoutID(name, of: request.dataset))
    guard layout.mayBeVariant || !LayoutCache.mayStoreSizes else { return (name, true) }
    return try await request.blocking {
      if try cache.isTemporary(layout) { return (try cache.canonical(layout).layout, false) }
      return (try cache.existing(layout).layout, true)
    }
  }

  /// Returns a revision from which the client resumes; ``unknownRevision`` if the client may have
  /// seen it on a branch that was lost.
  private static func present(_ revision: Int, _ request: ServiceRequest) -> Int {
    let mayBeLost = request.service.node?.mayBeLost(revision, of: request.dataset) ?? false
    return mayBeLost ? unknownRevision : revision
  }

  /// Returns the state after which the stream begins: that of the last event that the client has
  /// received, else of the query.
  private static func start(
    _ request: ServiceRequest, since: Int?
  ) -> (revision: Int?, incarnation: Incarnation?) {
    let stated = request.query[.incarnation].map(Incarnation.init(rawValue:))
    guard let id = request.http.headers[.lastEventID], !id.isEmpty else { return (since, stated) }
    let parts = id.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
    let own = parts.count > 1 ? Incarnation(rawValue: String(parts[1])) : stated
    // A number alone may be of a dataset that had the name before.
    guard let own, let revision = revision(parts[0]) else { return (unknownRevision, nil) }
    return (revision, own)
  }

  /// A revision from which no log leads, so that the stream begins with a reset.
  private static let unknownRevision = -1

  // MARK: - Without a stream

  /// The maximum length of an answer that is copied per connection, in bytes.
  private static let ownBytesMax = 64 << 10

  /// A signal that there are changes, without their content.
  private enum ChangeSignal: CommitWriting {
    static func text(of commit: Commit) -> [UInt8]? { nil }
  }

  private static func changes(
    _ request: ServiceRequest, since: Int, wait: Duration
  ) async throws -> Response {
    let (cache, dataset, layout) = (request.cache, request.dataset, request.query[.layout])
    let known = request.query[.incarnation].map(Incarnation.init(rawValue:))
    let begun = ContinuousClock.now
    @Sendable func answer(
      notBefore instant: ContinuousClock.Instant, revision: Int = 0
    ) async throws -> SharedAnswers.Answer {
      let key = SharedAnswers.Key(
        dataset: dataset, since: since, layout: layout, incarnation: known)
      return try await request.service.changes.answer(
        to: key, notBefore: instant, revision: revision
      ) {
        let begun = ContinuousClock.now
        if let layout { try await request.readyInMemory(LayoutID(layout, of: dataset)) }
        return try await request.blocking {
          let changes = try cache.changes(of: dataset, since: since, layout: layout)
          let isOther = known.map { $0 != changes.incarnation } ?? false
          // Of another history, everything has changed.
          let text = changes.json(bytesMax: isOther ? 0 : EventText.bytesMax)
          return SharedAnswers.Answer(
            begun: begun, revision: changes.revision, isOfOtherHistory: isOther,
            text: cache.share(text, of: changes))
        }
      }
    }
    var found = try await answer(notBefore: begun)
    if found.revision == since, !found.isOfOtherHistory, wait > .zero {
      let commits = try await cache.commits(
        of: dataset, after: since, queueCountMax: 1, writtenBy: ChangeSignal.self)
      let news = try await cancelWhenGracefulShutdown {
        try await withThrowingTaskGroup(of: Int?.self) { group in
          group.addTask {
            for try await event in commits {
              switch event.content {
              case .event(.reset(let revision, _)): return revision
              case .event(.layout): continue
              default: return nil
              }
            }
            return nil
          }
          group.addTask {
            try await Task.sleep(for: wait)
            return nil
          }
          defer { group.cancelAll() }
          return try await group.next() ?? nil
        }
      }
      try request.requireAccess()
      // Without news the dataset may have been deleted.
      found =
        if let news {
          try await answer(notBefore: begun, revision: news)
        } else {
          try await answer(notBefore: .now)
        }
    }
    var response = try response(found.text, to: request)
    response.headers[.cacheControl] = "no-store"
    response.headers[.revision] = String(found.revision)
    return response
  }

  /// Returns an answer of bounded memory: as many clients may wait as there are connections,
  /// and all are answered at the same time.
  private static func response(_ text: SharedEvent, to request: ServiceRequest) throws -> Response {
    guard case .text(let bytes) = text.content else {
      throw Problem(.busy, "too many answers are waiting for slow clients")
    }
    if bytes.count <= ownBytesMax { return request.respond(type: "application/json", bytes) }
    let channel = request.context.channel
    return Response(
      status: .ok, headers: [.contentType: "application/json"],
      body: ResponseBody(contentLength: bytes.count) { writer in
        try await text.write(to: &writer, of: channel) { _ in throw SharedEvent.Dropped() }
        try await writer.finish(nil)
      })
  }
}

extension HTTPField.Name {
  fileprivate static let lastEventID = HTTPField.Name("Last-Event-ID")!
}
