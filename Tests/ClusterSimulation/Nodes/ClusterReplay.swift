import LayoutCache
import TestSupport

/// What nodes must answer, from the log's entries alone: one that has always been there, and has
/// carried out one after the other.
package final class ClusterReplay {
  private struct Place: Hashable {
    var dataset: Int64
    var chain: [UInt8]
    var question: String
  }

  /// A dataset as far as it has been replayed.
  private struct Progress {
    var position: SharedPosition
    var name: String
    let cache: LayoutCache
  }

  private let folder: TemporaryDirectory
  private var progress: [Int64: Progress] = [:]
  private var digests: [Place: String] = [:]
  private var cacheCount = 0

  package init() throws { folder = try TemporaryDirectory() }

  /// The answer to a question at a sequence of a dataset.
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
    // The log has been restored since.
    if dataset.chain(at: here.position.sequence) != here.position.chain {
      here = try begin(dataset)
    }
    for entry in dataset.entries[here.position.sequence...] {
      _ = try here.cache.accept(
        entry, behind: here.position, in: dataset.log, into: here.name)
      if entry.kind == .pin { try here.cache.layOutPinned(entry, in: here.name) }
      here.position.sequence = entry.sequence
      here.position.chain = entry.chain
      note(here)
    }
    progress[dataset.id] = here
  }

  private func begin(_ dataset: LogState.Dataset) throws -> Progress {
    cacheCount += 1
    let cache = try SimulatedClusterNode.cache(at: folder.path(of: "\(cacheCount).sqlite"))
    let position = SharedPosition(dataset: dataset.id, sequence: 0, chain: dataset.begin)
    try cache.adopt("replayed", at: position, in: dataset.log, time: 0)
    let progress = Progress(position: position, name: "replayed", cache: cache)
    note(progress)
    return progress
  }

  private func note(_ progress: Progress) {
    for question in Feeds.layouts {
      let place = Place(
        dataset: progress.position.dataset, chain: progress.position.chain, question: question)
      // Where the layout is pinned nowhere nobody answers.
      digests[place] = try? Feeds.digest(of: question, in: progress.name, progress.cache).digest
    }
  }
}
