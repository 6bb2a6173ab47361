/// The failures that a commit survives in WAL mode.
package enum SynchronousLevel: String, Sendable {
  /// A killed process; a power cut may lose the last commits.
  case normal = "NORMAL"
  /// A power cut too.
  case full = "FULL"
}
