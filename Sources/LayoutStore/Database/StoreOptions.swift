/// How a database file is opened.
package struct StoreOptions: Hashable, Sendable {
  /// What an acknowledged commit survives.
  package enum Durability: String, Hashable, Sendable {
    /// A killed process. A power cut may lose the last commits, and never damages
    /// the file. SQLite's `synchronous=NORMAL` in WAL mode.
    case process
    /// A power cut too: `synchronous=FULL`.
    case power
  }

  /// Whether a missing file is made.
  package var createsFile: Bool
  package var durability: Durability
  /// How long to wait for another process's write, in seconds.
  package var busyTimeout: Double

  package init(
    createsFile: Bool = true, durability: Durability = .process, busyTimeout: Double = 5
  ) {
    self.createsFile = createsFile
    self.durability = durability
    self.busyTimeout = busyTimeout
  }
}
