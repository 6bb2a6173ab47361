import Foundation

/// A fresh folder for the databases of one run.
struct BenchFolder {
  let path: String

  /// Creates a folder in another one.
  ///
  /// - Throws: ``Failure`` with `inputOutput`.
  init(in directory: String) throws {
    path = "\(directory)/layoutcache-bench-\(UUID().uuidString)"
    if mkdir(path, 0o700) != 0 {
      throw Failure(.inputOutput, "cannot create a folder in \(directory)", errno: errno)
    }
  }

  /// The path of a file in the folder.
  func path(of name: String) -> String { "\(path)/\(name)" }

  /// The length of a file in bytes.
  func bytes(of name: String) throws -> Int {
    var status = stat()
    if stat(path(of: name), &status) != 0 {
      throw Failure(.inputOutput, "cannot read the size of \(path(of: name))", errno: errno)
    }
    return Int(status.st_size)
  }

  /// Copies a file.
  func copy(_ name: String, to copy: String) throws {
    do {
      try FileManager.default.copyItem(atPath: path(of: name), toPath: path(of: copy))
    } catch {
      throw Failure(.inputOutput, "cannot copy \(name): \(error.localizedDescription)")
    }
  }

  /// Removes a database and its companion files.
  func removeDatabase(_ name: String) throws {
    for file in [name, name + "-wal", name + "-shm"] {
      if unlink(path(of: file)) != 0 && errno != ENOENT {
        throw Failure(.inputOutput, "cannot remove \(path(of: file))", errno: errno)
      }
    }
  }

  /// Removes the folder with its contents.
  func remove() {
    // A failure here must not hide the figures or an earlier failure; a remaining folder is
    // harmless.
    try? FileManager.default.removeItem(atPath: path)
  }
}
