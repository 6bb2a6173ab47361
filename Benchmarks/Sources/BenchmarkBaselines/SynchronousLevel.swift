/// The failures that a commit survives in WAL mode.
package enum SynchronousLevel: String, Sendable {
  /// Killed processes; a power cut may lose the last commits.
  case normal = "NORMAL"
  /// Killed processes and power cuts.
  case full = "FULL"
}
