import CollectionLayout
import LayoutGeometry
import TestSupport
import Testing

// `look` is internal: the interval after which a cache notices the commits of other processes
// would make the order of events a matter of time.
@testable import LayoutCache

/// A listener of a dataset, and the last revision that it has received.
struct WorldListener {
  var cache: Int
  var dataset: Int
  var layouts: [String]
  var commits: Commits
  var revision: Int
  /// The dataset's revision when the listener started.
  var startRevision: Int
  /// The layouts that were defined, and that no event has named since.
  var untold: Set<String> = []
}

extension World {
  /// Starts a listener, now or after a revision that it knows.
  func listen() async throws {
    if listeners.count > 5 { listeners.removeFirst() }
    let (cache, number) = (anyCache(), anyDataset())
    let model = datasets[number].model
    let known =
      generator.oneIn(2)
      ? nil : datasets[number].past.randomElement(using: &generator)?.model.revision
    let layouts = model.layouts.map(\.name).filter { _ in !generator.oneIn(4) }
    record("\(cache) listens to \(model.name) after \(known ?? model.revision)")
    let commits = try await caches[cache].commits(of: model.name, layouts: layouts, after: known)
    #expect(commits.revision == model.revision)
    listeners.append(
      WorldListener(
        cache: cache, dataset: number, layouts: layouts.sorted(), commits: commits,
        revision: known ?? model.revision, startRevision: model.revision))
  }

  /// Every listener receives every revision after its own, once and in order.
  func observeEvents() async throws {
    for cache in caches { cache.following.look() }
    for number in listeners.indices {
      while !listeners[number].untold.isEmpty
        || listeners[number].revision < datasets[listeners[number].dataset].model.revision
      {
        let listener = listeners[number]
        let event = try await Self.next(
          listener.commits, "after \(listener.revision) of dataset \(listener.dataset)")
        if case .layout(let name, _)? = event {
          #expect(listener.layouts.isEmpty || listener.layouts.contains(name))
          listeners[number].untold.remove(name)
          count("layout event")
          continue
        }
        guard case .commit(let commit)? = event, commit.revision == listener.revision + 1 else {
          throw Difference(
            description: "listener \(number) at \(listener.revision) of cache \(listener.cache) "
              + "received \(String(describing: event))")
        }
        listeners[number].revision = commit.revision
        try compare(event: commit, of: listener)
        count("event")
      }
    }
  }

  /// Expects events of a layout's new configuration, also for the widths of a responsive one.
  /// Several configurations may become one event.
  func noteDefinition(of name: String, in dataset: Int) {
    for number in listeners.indices where listeners[number].dataset == dataset {
      let layouts = listeners[number].layouts.filter { $0 == name || $0.hasPrefix("\(name)@") }
      listeners[number].untold.formUnion(listeners[number].layouts.isEmpty ? [name] : layouts)
    }
  }

  /// The next event; an error if it does not arrive.
  private static func next(_ commits: Commits, _ place: String) async throws -> CommitEvent? {
    try await withThrowingTaskGroup(of: CommitEvent?.self) { group in
      group.addTask {
        var iterator = commits.makeAsyncIterator()
        return try await iterator.next()
      }
      group.addTask {
        try await Task.sleep(for: .seconds(20))
        throw Difference(description: "an event is missing \(place)")
      }
      defer { group.cancelAll() }
      return try await group.next() ?? nil
    }
  }

  private func compare(event: Commit, of listener: WorldListener) throws {
    let layouts = (event.layouts.map(\.layout) + event.behind.map(\.layout)).sorted()
    #expect(layouts == listener.layouts && event.dataset == datasets[listener.dataset].model.name)
    guard let commit = datasets[listener.dataset].returned[event.revision] else { return }
    #expect(event.incarnation == commit.incarnation && event.updates == commit.updates)
    for received in event.layouts where !received.context.invalidateEverything {
      // A listener that begins later gets another layout that has taken the name.
      guard let change = commit.layouts[received.layout],
        change.incarnation == received.incarnation
      else { continue }
      var (left, right) = (received, change)
      left.context.work = LayoutWork()
      right.context.work = LayoutWork()
      left.context.contentOffsetAdjustment = .zero
      right.context.contentOffsetAdjustment = .zero
      if left != right {
        throw Difference(description: "an event has \(left), the commit returned \(right)")
      }
      count("exact event")
    }
  }

  /// Ends the listeners and the walks of a dataset, or of all.
  func dropReaders(of dataset: Int? = nil) {
    listeners.removeAll { dataset == nil || $0.dataset == dataset }
    walks.removeAll { dataset == nil || $0.place.dataset == dataset }
  }
}
