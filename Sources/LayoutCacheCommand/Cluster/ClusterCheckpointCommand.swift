import ArgumentParser
import LayoutCache
import LayoutCluster
import PostgresLog
import TextFormats

struct ClusterCheckpointCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "checkpoint", abstract: "Write checkpoints of datasets, from which nodes start",
    discussion: """
      Nodes write checkpoints of datasets that have changed enough; this command does it on \
      demand. It joins the cluster with a temporary database, follows each dataset from its last \
      checkpoint, publishes a new one, and deletes log entries that an earlier one makes \
      unnecessary.

      Example:
        layoutcache cluster checkpoint --dataset art --json
      """)

  @OptionGroup var log: SharedLogOptions
  @OptionGroup var output: FormatOption

  @Option(
    name: .customLong("dataset"), help: "A dataset; repeatable (default: all)",
    transform: datasetName)
  var datasets: [String] = []

  func run() throws {
    let title = "cluster checkpoint"
    let made = try log.withLog(as: title) { log in
      let cache = try LayoutCache.temporary()
      defer { try? cache.close() }
      var options = ClusterOptions()
      options.onlyPollsAsk = false
      return try makeCheckpoints(by: ClusterNode(of: log, on: cache, options: options))
    }
    if output.json {
      try StandardOutput.printJSON { json in
        json.beginObject()
        json.member("checkpoints")
        json.beginArray()
        for (dataset, sequence) in made {
          json.beginObject()
          json.member("dataset", dataset)
          json.member("made", sequence != nil)
          if let sequence { json.member("sequence", sequence) }
          json.endObject()
        }
        json.endArray()
        json.endObject()
      }
    } else {
      for (dataset, sequence) in made {
        try StandardOutput.printLine(
          "\(dataset): \(sequence.map { "checkpoint at \($0)" } ?? "already has a checkpoint")")
      }
    }
  }

  /// Writes the checkpoints one dataset at a time, evicting each from the file afterwards.
  private func makeCheckpoints(
    by node: ClusterNode
  ) throws -> [(dataset: String, sequence: Int?)] {
    var made: [(dataset: String, sequence: Int?)] = []
    func makeCheckpoint(of dataset: String) throws {
      _ = try node.visit(dataset)
      made.append((dataset, try node.checkpoint(dataset)?.sequence))
      try node.cutLog(of: dataset)
      try node.evict(dataset)
    }
    for dataset in datasets { try makeCheckpoint(of: dataset) }
    var last: String?
    while datasets.isEmpty {
      let part = try node.datasets(after: last, countMax: 1_000)
      for dataset in part { try makeCheckpoint(of: dataset.name) }
      guard let end = part.last else { break }
      last = end.name
    }
    return made
  }
}
