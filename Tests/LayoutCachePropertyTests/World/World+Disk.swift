import CollectionLayout
import Foundation
import LayoutCacheTestSupport
import LayoutGeometry
import TestSupport
import Testing

// Groups are internal: which requests of concurrent tasks are one is the scheduler's choice.
@testable import LayoutCache

/// A call that changes everything or nothing.
private struct DiskChange {
  var name: String
  /// The model after it.
  var after: [WorldDataset]
  /// Further datasets and layouts in the file before and after it.
  var extra: (before: [String: [String]], after: [String: [String]]) = ([:], [:])
  var isGroup = false
  var call: (LayoutCache) throws -> Void
}

/// A dataset as a reader of the database sees it, without its items.
struct SeenDataset: Equatable, CustomStringConvertible {
  var revision: Int
  var itemCount: Int
  var layouts: [String: LayoutConfiguration]

  var description: String { "\(revision) \(itemCount) \(layouts.keys.sorted())" }
}

// Actions on a disk that fails, or that loses what was not synced.
extension World {
  /// The n-th call of a kind fails, once or from then on, while something is changed: an error
  /// means that nothing was changed, and no failure is taken for damage.
  func failDisk() throws {
    dropReaders()
    let change = try anyChange(preparing: anyLayouts())
    let before = datasets
    let call = FailingDisk.Call.allCases.randomElement(using: &generator)!
    let number = Int.random(in: 1...(generator.oneIn(2) ? 4 : 40), using: &generator)
    // After a failed group each change is committed alone, and those that need no call succeed.
    let times = generator.oneIn(2) || change.isGroup ? 1 : 1_000_000
    let error = call == .write && generator.oneIn(2) ? ENOSPC : EIO
    let cache = anyCache()
    record("\(cache): \(change.name), while \(call) \(number) fails \(times) times with \(error)")
    let repairs = log.messages.count { $0.contains("damaged") }
    disk.fail(call, number: number, count: times, with: error, isShort: generator.oneIn(3))
    let result = Result { try change.call(caches[cache]) }
    let hasFailed = disk.heal()
    #expect(log.messages.count { $0.contains("damaged") } == repairs)
    if generator.oneIn(3) { try reopen() }
    let found = try seen(by: caches[anyCache()])
    let (old, new) = (
      try Self.seen(in: before, change.extra.before),
      try Self.seen(in: change.after, change.extra.after)
    )
    switch result {
    case .success:
      if found != new { throw Difference(description: "done, but found \(found), not \(new)") }
      datasets = change.after
    case .failure(let thrown):
      guard hasFailed, let own = thrown as? LayoutCacheError, own.category == .inputOutput else {
        throw thrown
      }
      if found != old, found != new || own.changedNothing {
        throw Difference(description: "failed with \(own), but found \(found), not \(old)")
      }
      datasets = found == old ? before : change.after
    }
    if hasFailed { count("failed \(call)") }
    try removeExtra(found == new ? change.extra.after : change.extra.before)
    // Which layouts were laid out before the failure is unknown.
    for dataset in datasets.indices { try layOutAgain(dataset) }
  }

  /// A power cut, or the death of the process, at any call of a few changes. With the durability
  /// `power` nothing acknowledged is lost; otherwise the last changes may be.
  func cutPower() async throws {
    let (name, losesPower) = (freshName(), !generator.oneIn(3))
    var states = [datasets]
    try disk.record(
      path, cutAtCall: .random(in: 1...(generator.oneIn(2) ? 8 : 80), using: &generator))
    for _ in 0..<Int.random(in: 1...3, using: &generator) {
      let (change, cache) = (try anyChange(preparing: .none, isAlone: false), anyCache())
      record("\(cache): \(change.name)")
      try change.call(caches[cache])
      datasets = change.after
      states.append(datasets)
      disk.acknowledge(states.count - 1)
    }
    dropReaders()
    let image = try #require(disk.endRecording())
    let copy = directory.path(of: name)
    try image.write(to: copy, losesPower: losesPower, using: &generator)
    let loses = losesPower && settings.options.durability == .process
    record("\(name): \(losesPower ? "a power cut" : "a kill") after \(image.stepCount) changes")
    let possible = states[(loses ? 0 : image.stepCount)...].prefix(loses ? image.stepCount + 2 : 2)
    let cache = try open(copy)
    let found = try seen(by: cache)
    try cache.close()
    guard let state = try possible.first(where: { try Self.seen(in: $0) == found }) else {
      throw Difference(description: "\(name) has \(found), not one of \(possible.count) states")
    }
    if image.stepCount < states.count - 1 { count("power cut") }
    try await inspect(copy, state)
    try FileManager.default.removeItem(atPath: copy)
  }

  // MARK: - Changes

  /// - Parameter isAlone: Whether the change may be one that adds or removes a dataset or a layout
  ///   only for itself.
  private func anyChange(preparing layouts: UpdatedLayouts, isAlone: Bool = true) throws
    -> DiskChange
  {
    let number = anyDataset()
    let (name, place) = (datasets[number].model.name, anyOrdinary())
    var after = datasets
    switch Int.random(in: 0..<(isAlone ? 15 : 11), using: &generator) {
    case 0:
      guard case .state(let former) = datasets[number].previous,
        let back = datasets[number].model.undoing(to: former.model)
      else { return try anyChange(preparing: layouts, isAlone: isAlone) }
      after[number].undo(to: back, former.data)
      return DiskChange(name: "undo", after: after) { _ = try $0.undo(name, preparing: layouts) }
    case 1: return DiskChange(name: "checkpoint", after: after) { try $0.checkpoint() }
    case 2:
      for dataset in after.indices {
        if case .state = after[dataset].previous { after[dataset].previous = .unknown }
      }
      return DiskChange(name: "compact", after: after) { try $0.compact() }
    case 3:
      try after[place.dataset].prepare(place.layout)
      let id = id(place)
      return DiskChange(name: "prepare \(id)", after: after) { _ = try $0.prepare(id) }
    case 4, 5:
      let planned = try plannedImport(to: number)
      after[number] = planned.after
      return DiskChange(name: "\(planned.mode) \(name)", after: after) {
        _ = try $0.importItems(planned, into: name)
      }
    case 6:
      let requests = try (0..<3).map { _ in
        let batch = after[number].batches.next(for: after[number].model, using: &generator)
          .filter { ![$0.operation].isEverything && $0.operation != .resetLengths }
        return ChangeRequest(
          .batch(try after[number].apply(batch, using: &generator)),
          CommitViewport(layouts: layouts))
      }
      let group = "a group in \(name): \(requests.map(\.work))"
      return DiskChange(name: group, after: after, isGroup: true) { cache in
        let failed = cache.commitTogether(requests.map { QueuedChange(dataset: name, request: $0) })
          .compactMap { outcome in
            if case .failure(let error) = outcome { error } else { nil }
          }
        #expect(failed.isEmpty || failed.count == 3, "one transaction stores all or none")
        if let error = failed.first { throw error }
      }
    case 11:
      return DiskChange(name: "create", after: after, extra: ([:], ["extra": []])) {
        try $0.createDataset("extra")
      }
    case 12:
      try caches[0].createDataset("extra")
      try caches[0].setLayout(LayoutID("extra", of: "extra"), to: Self.plain())
      return DiskChange(name: "remove", after: after, extra: (["extra": ["extra"]], [:])) {
        try $0.removeDataset("extra")
      }
    case 13:
      let configuration = try Self.plain()
      return DiskChange(name: "set a layout", after: after, extra: ([:], [name: ["extra"]])) {
        try $0.setLayout(LayoutID("extra", of: name), to: configuration)
      }
    case 14:
      return DiskChange(name: "use another cache", after: after) { [self] _ in try useAnotherCache()
      }
    case 7 where place.dataset == 0:
      let new = freshName()
      after[0].rename(place.layout, to: new)
      let id = id(place)
      return DiskChange(name: "rename \(id) to \(new)", after: after) {
        try $0.renameLayout(id, to: new)
      }
    case 8 where isAlone:
      let new = freshName()
      after[number].model.name = new
      return DiskChange(name: "rename \(name) to \(new)", after: after) {
        try $0.renameDataset(name, to: new)
      }
    default:
      let batch = after[number].batches.next(for: after[number].model, using: &generator)
      let operations = try after[number].apply(batch, using: &generator)
      return DiskChange(name: "commit to \(name): \(operations)", after: after) {
        _ = try $0.update(name, with: operations, preparing: layouts)
      }
    }
  }

  private static func plain() throws -> LayoutConfiguration {
    try ConfigurationText.decode(KindExample.flow.configuration())
  }

  /// Opens the file, and makes every kind of call that only reads, from the file.
  private func useAnotherCache() throws {
    var options = settings.options
    options.nodeCacheBytes = 1
    let cache = try open(path, options)
    for dataset in datasets.indices {
      let place = anyPlace(of: dataset)
      try cache.read(id(place)) { snapshot in
        _ = try snapshot.elements(in: Rect(RandomRects.everything))
        if let key = datasets[dataset].keys.last { _ = try snapshot.attributes(forKey: key) }
      }
      try cache.forEachItem(of: id(place).dataset) { _, _ in }
      _ = try cache.inspect(dataset: id(place).dataset)
    }
    let problems = try cache.verify().problems
    if !problems.isEmpty { throw Difference(description: "\(problems)") }
    try cache.close()
  }

  private func removeExtra(_ extra: [String: [String]]) throws {
    for (dataset, layouts) in extra {
      if dataset == "extra" {
        try caches[0].removeDataset(dataset)
      } else {
        for layout in layouts { try caches[0].removeLayout(LayoutID(layout, of: dataset)) }
      }
    }
  }

  func seen(by cache: LayoutCache) throws -> [String: SeenDataset] {
    var seen: [String: SeenDataset] = [:]
    for dataset in try cache.datasets() {
      let layouts = try cache.layouts(of: dataset.name).map { ($0.name, $0.configuration) }
      seen[dataset.name] = SeenDataset(
        revision: dataset.revision, itemCount: dataset.itemCount,
        layouts: Dictionary(uniqueKeysWithValues: layouts))
    }
    return seen
  }

  static func seen(
    in datasets: [WorldDataset], _ extra: [String: [String]] = [:]
  ) throws -> [String: SeenDataset] {
    var seen: [String: SeenDataset] = [:]
    for dataset in datasets {
      var layouts: [String: LayoutConfiguration] = [:]
      for layout in dataset.ordinaryLayouts.map({ dataset.model.layouts[$0] }) {
        layouts[layout.name] = try ConfigurationText.decode(layout.text)
      }
      if let any = dataset.responsive {
        layouts[any.name] = try ConfigurationText.decode(any.text.text)
      }
      seen[dataset.model.name] = SeenDataset(
        revision: dataset.model.revision, itemCount: dataset.model.itemCount, layouts: layouts)
    }
    for (dataset, names) in extra {
      for name in names {
        seen[dataset, default: SeenDataset(revision: 1, itemCount: 0, layouts: [:])]
          .layouts[name] = try plain()
      }
      if names.isEmpty { seen[dataset] = SeenDataset(revision: 1, itemCount: 0, layouts: [:]) }
    }
    return seen
  }
}
