import LayoutCluster
import TextFormats

// The status of a node, for operators.

extension NodeStatus {
  /// The replication that commits wait for: `strict` if a standby must have the commit too,
  /// `reduced` if none does.
  private var replication: String? { isReplicated.map { $0 ? "strict" : "reduced" } }

  func write(to json: inout JSONWriter) {
    json.beginObject()
    json.member("role", "node")
    json.member("node", title)
    json.member("incarnation", hexadecimal(log))
    json.member("log", awayReason == nil ? "reachable" : "away")
    if let replication { json.member("replication", replication) }
    if let lookAge { json.member("age", lookAge.seconds) }
    if let rules { json.member("rules", rules) }
    json.member("lag", lag)
    json.member("residents", residentCount)
    for (name, datasets) in [("quarantined", quarantined), ("forked", forked)] {
      json.member(name)
      json.beginArray()
      for dataset in datasets { json.value(dataset) }
      json.endArray()
    }
    json.endObject()
  }

  func write(to text: inout PrometheusText) {
    func add(
      _ name: String, _ kind: PrometheusText.Kind, _ value: (some CustomStringConvertible)?,
      _ help: String
    ) { text.add("layoutcache_cluster_\(name)", kind, value, help) }
    add("log_reachable", .gauge, awayReason == nil ? 1 : 0, "Whether the shared log answers.")
    add(
      "log_replicated", .gauge, isReplicated.map { $0 ? 1 : 0 },
      "Whether commits wait for a standby of the shared log.")
    add("log_look_age_seconds", .gauge, lookAge?.seconds, "Time since the last poll of the log.")
    add("lag_entries", .gauge, lag, "Entries of the log that this node has not applied.")
    add("resident_datasets", .gauge, residentCount, "Datasets with a replica on this node.")
    add(
      "quarantined_datasets", .gauge, quarantined.count,
      "Datasets whose entries this node cannot apply.")
    add(
      "forked_datasets", .gauge, forked.count,
      "Datasets of which the log has lost entries that this node had applied.")
    for counter in counters {
      add("\(counter.name)_total", .counter, counter.value, counter.help)
    }
  }
}

extension Duration {
  fileprivate var seconds: Double {
    Double(components.seconds) + Double(components.attoseconds) / 1e18
  }
}
