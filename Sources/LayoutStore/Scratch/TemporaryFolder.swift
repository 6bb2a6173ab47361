#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// A folder of its own that goes with the value.
package final class TemporaryFolder: Sendable {
  package let path: String

  /// Makes the folder.
  ///
  /// - Throws: Foundation's error where it can't be made.
  package init() throws {
    let url = FileManager.default.temporaryDirectory.appending(
      path: "layoutcache-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    path = url.path
  }

  // Nothing needs what is left where it can't be removed; the system clears it away.
  deinit { try? FileManager.default.removeItem(atPath: path) }
}
