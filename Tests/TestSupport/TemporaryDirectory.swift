import Foundation

/// A fresh, empty folder that is removed with its contents when the value is released.
public final class TemporaryDirectory: Sendable {
  /// Absolute, without a trailing slash.
  public let path: String

  /// - Throws: Foundation's error if the folder cannot be created.
  public init() throws {
    let folder = FileManager.default.temporaryDirectory
      .appendingPathComponent("layoutcache-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
    path = folder.path
  }

  deinit {
    // A leftover folder fails no test, and a deinitialiser cannot throw.
    try? FileManager.default.removeItem(atPath: path)
  }

  /// Absolute path of a file in the folder; does not create it.
  public func path(of name: String) -> String { "\(path)/\(name)" }
}
