import LayoutCache
import LayoutReplication
import TestSupport

/// The expected answers of nodes, computed from the log's entries alone, as by a node that has
/// applied each of them in order.
package final class ClusterReplay {
  private struct Place: Hashable {
    var dataset: Int64
    var chain: [UInt8]
    var question: String
  }

  /// The replay state of a dataset.
  private struct Progress {
    var position: SharedPosition
    var name: String
    let cache: LayoutCache
  }

  private let folder: TemporaryDirectory
  private var progress: [Int64: Progress] = [:]
  private var digests: [Place: String] = [:]
  private var cacheCount = 0

  private let imports: SimulatedImports

  /// - Parameter imports: The requested imports, which are checked against their results.
  package init(_ imports: SimulatedImports) throws {
    folder = try TemporaryDirectory()
    self.imports = imports
  }

  /// Returns the digest of the answer to a question at a sequence of a dataset.
  package func digest(
    of dataset: LogState.Dataset, at sequence: Int, _ question: String
  ) throws -> String? {
    guard let chain = dataset.chain(at: sequence) else { return nil }
    let place = Place(dataset: dataset.id, chain: chain, question: question)
    if let known = digests[place] { return known }
    try replay(dataset)
    return digests[place]
  }

  private func replay(_ dataset: LogState.Dataset) throws {
    var here = try progress[dataset.id] ?? begin(dataset)
    // The log has been restored in the meantime.
    if dataset.chain(at: here.position.sequence) != here.position.chain {
      here = try begin(dataset)
    }
    for entry in dataset.entries[here.position.sequence...] {
      let imported = imports.asked(by: entry)
      let before = try imported.map { _ in try FeedSection.all(of: here.name, in: here.cache) }
      try accept(entry, of: dataset, here)
      if let imported, let before {
        try imported.check(before, try FeedSection.all(of: here.name, in: here.cache))
      }
      here.position.sequence = entry.sequence
      here.position.chain = entry.chain
      note(here)
    }
    progress[dataset.id] = here
  }

  private func accept(
    _ entry: SharedEntry, of dataset: LogState.Dataset, _ here: Progress
  ) throws {
    if entry.kind == .archive {
      _ = try here.cache.acceptArchive(
        entry, after: here.position, in: dataset.log, into: here.name,
        next: try chunks(of: entry, dataset))
      return
    }
    let run = LayoutCache.EntryRun(
      of: here.name, after: here.position, [LayoutCache.PendingEntry(entry)])
    _ = try here.cache.apply([run], in: dataset.log)
    if entry.kind == .pin { try here.cache.layOutPinned(entry, in: here.name) }
  }

  private func chunks(
    of entry: SharedEntry, _ dataset: LogState.Dataset
  ) throws -> () throws -> [UInt8]? {
    let chunks = dataset.archives[try SharedArchive(entry.payload).number] ?? [:]
    var number = 0
    return {
      defer { number += 1 }
      return chunks[number]
    }
  }

  private func begin(_ dataset: LogState.Dataset) throws -> Progress {
    cacheCount += 1
    let cache = try SimulatedClusterNode.cache(at: folder.path(of: "\(cacheCount).sqlite"))
    var position = SharedPosition(dataset: dataset.id, sequence: 0, chain: dataset.begin)
    if let first = dataset.entries.first, first.kind == .archive, first.revision == 1 {
      try cache.adopt(
        "replayed", at: position, in: dataset.log, time: first.time,
        first: (first, chunks(of: first, dataset)))
      try imports.asked(by: first)?.check(nil, FeedSection.all(of: "replayed", in: cache))
      position.sequence = first.sequence
      position.chain = first.chain
    } else {
      try cache.adopt("replayed", at: position, in: dataset.log, time: 0)
    }
    let progress = Progress(position: position, name: "replayed", cache: cache)
    note(progress)
    return progress
  }

  private func note(_ progress: Progress) {
    for question in Feeds.layouts {
      let place = Place(
        dataset: progress.position.dataset, chain: progress.position.chain, question: question)
      // If no entry has pinned the layout, no node answers.
      digests[place] = try? Feeds.digest(of: question, in: progress.name, progress.cache).digest
    }
  }
}
