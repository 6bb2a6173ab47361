import LayoutCache
import LayoutReplication
import TestSupport

/// The expected answers of nodes, computed from the log's entries alone, as by a node that has
/// applied each of them in order.
package final class ClusterReplay {
  private struct Place: Hashable {
    var dataset: Int64
    var sequence: Int
    var chain: [UInt8]
    var question = ""
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
  private var decisions: [Place: Decision] = [:]
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
    let place = Place(dataset: dataset.id, sequence: sequence, chain: chain, question: question)
    if let known = digests[place] { return known }
    try replay(dataset)
    return digests[place]
  }

  /// The outcome of an entry.
  package struct Decision: Hashable {
    /// The dataset's revision after the entry.
    package var revision: Int
    /// Whether the request was neither rejected nor replayed.
    package var isApplied: Bool
  }

  /// Returns the outcomes of a dataset's entries.
  package func decisions(of dataset: LogState.Dataset) throws -> [Decision] {
    try replay(dataset)
    return try dataset.entries.map { entry in
      let place = Place(dataset: dataset.id, sequence: entry.sequence, chain: entry.chain)
      guard let decision = decisions[place] else { throw ReplicationError.diverged }
      return decision
    }
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
      let outcome = try decide(entry, of: dataset, here)
      var isApplied = false
      if case .success(.applied) = outcome { isApplied = true }
      if let imported, let before {
        let found = try FeedSection.all(of: here.name, in: here.cache)
        if isApplied { try imported.check(before, found) }
        if !isApplied, found != before { throw FeedImport.Misfit(expected: before, found: found) }
      }
      here.position.sequence = entry.sequence
      here.position.chain = entry.chain
      try note(here, isApplied: isApplied)
    }
    progress[dataset.id] = here
  }

  private func decide(
    _ entry: SharedEntry, of dataset: LogState.Dataset, _ here: Progress
  ) throws -> DecidedOutcome {
    if entry.kind == .archive {
      return try here.cache.decideArchive(
        entry, after: here.position, in: dataset.log, into: here.name,
        next: try chunks(of: entry, dataset))
    }
    let run = LayoutCache.EntryRun(of: here.name, after: here.position, [entry])
    let outcome = try here.cache.decide([run], in: dataset.log)[0][0]
    if entry.kind == .pin, case .success = outcome {
      try here.cache.layOutPinned(entry, in: here.name)
    }
    return outcome
  }

  private func chunks(
    of entry: SharedEntry, _ dataset: LogState.Dataset
  ) throws -> () throws -> [UInt8]? {
    let chunks = dataset.archives[try entry.archive.archive.number] ?? [:]
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
    if let first = dataset.entries.first, first.request.archive?.beginsDataset ?? false {
      try cache.adopt(
        "replayed", at: position, in: dataset.log, time: first.request.time,
        first: (first, chunks(of: first, dataset)))
      try imports.asked(by: first)?.check(nil, FeedSection.all(of: "replayed", in: cache))
      position.sequence = first.sequence
      position.chain = first.chain
    } else {
      try cache.adopt("replayed", at: position, in: dataset.log, time: 0)
    }
    let progress = Progress(position: position, name: "replayed", cache: cache)
    try note(progress, isApplied: true)
    return progress
  }

  private func note(_ progress: Progress, isApplied: Bool) throws {
    let position = progress.position
    var place = Place(dataset: position.dataset, sequence: position.sequence, chain: position.chain)
    let revision = try progress.cache.revision(of: progress.name)
    decisions[place] = Decision(revision: revision, isApplied: isApplied)
    for question in Feeds.layouts {
      place.question = question
      // If no entry has pinned the layout, no node answers.
      digests[place] = try? Feeds.digest(of: question, in: progress.name, progress.cache).digest
    }
  }
}
