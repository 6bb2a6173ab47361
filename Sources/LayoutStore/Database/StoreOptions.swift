/// Options for opening a database file.
package struct StoreOptions: Hashable, Sendable {
  /// Whether a missing file is created.
  package var createsFile: Bool
  /// Whether an acknowledged commit survives a power cut: SQLite's `synchronous=FULL`.
  /// Otherwise, with `NORMAL`, it survives a killed process; a power cut may lose the
  /// last commits, and never damages the file.
  package var survivesPowerCut: Bool
  /// How long to wait for another process's write, in seconds.
  package var busyTimeout: Double

  package init(
    createsFile: Bool = true, survivesPowerCut: Bool = false, busyTimeout: Double = 5
  ) {
    self.createsFile = createsFile
    self.survivesPowerCut = survivesPowerCut
    self.busyTimeout = busyTimeout
  }
}
