import LayoutCache
import LayoutCluster

extension ServiceDependencies {
  /// Returns all metrics: requests by route, then the program, the process, the database, and
  /// the node of a cluster.
  ///
  /// A metric without labels exists from the start; a series with labels from its first use.
  func metricsText() -> String {
    var text = PrometheusText()
    metrics.write(to: &text)
    text.add(
      "layoutcache_build_info", .gauge, 1, labels: [("version", version)],
      "The version of the program; always 1.")
    ProcessMetrics()?.write(to: &text)
    text.add(
      "layoutcache_http_connections", .gauge, connections.count, "Open connections of clients.")
    text.add("layoutcache_event_streams", .gauge, streams.takenCount, "Open event streams.")
    text.add("layoutcache_imports_running", .gauge, importPlaces.takenCount, "Running imports.")
    text.add("layoutcache_exports_running", .gauge, exportPlaces.takenCount, "Running exports.")
    text.add(
      "layoutcache_imports_total", .counter, imports.doneCount, "Imports that were committed.")
    text.add(
      "layoutcache_database_commits_total", .counter, cache.commitCount,
      "Transactions that this process has committed to the database.")
    let sizes = cache.fileSizes
    text.add(
      "layoutcache_database_file_bytes", .gauge, sizes.file, "Size of the database file in bytes.")
    text.add(
      "layoutcache_database_wal_bytes", .gauge, sizes.log,
      "Size of the database's write-ahead log in bytes.")
    node?.status().write(to: &text)
    return text.text
  }
}
