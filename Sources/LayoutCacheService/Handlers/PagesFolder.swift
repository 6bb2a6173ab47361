#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// The folder of the user's pages, and the files that it must not give away.
///
/// Opening a file of a database and closing it would also release the locks of this process on
/// the database (POSIX), so nothing is opened here: paths are resolved and compared only.
struct PagesFolder: Sendable {
  /// The path as configured, and without links.
  let path: String
  private let resolved: String
  private let privateFiles: [String]

  /// - Returns: `nil` if no folder is configured.
  init?(_ configuration: ServiceConfiguration) {
    path = configuration.pagesFolder
    guard !path.isEmpty else { return nil }
    resolved = Self.resolved(path) ?? path
    privateFiles = configuration.privateFiles
  }

  /// A private file in the folder or in a folder below it; `nil` if there is none.
  var privateFile: String? {
    privateFiles.first { file in
      // The log of a database is next to the file to which a link leads.
      let folder = file.lastIndex(of: "/").map { file[...$0] } ?? "."
      return [Self.resolved(String(folder)).map { $0 + "/" }, Self.resolved(file)]
        .contains { $0.map(holds) ?? false }
    }
  }

  /// Whether the file or folder at a path below this one may be read: without links it is below
  /// this folder, and it is no private file under another name.
  func allows(_ path: String) -> Bool {
    guard let target = Self.resolved(self.path + path), holds(target + "/"),
      let file = Self.identity(target)
    else { return false }
    return !privateFiles.contains { name in
      ["", "-wal", "-shm", "-lock", "-node", "-journal"].contains {
        Self.identity(name + $0) == file
      }
    }
  }

  /// Whether a resolved path is that of this folder, with a slash at its end, or below it.
  private func holds(_ path: String) -> Bool {
    path.utf8.starts(with: (resolved == "/" ? "/" : resolved + "/").utf8)
  }

  /// Returns a path without links and `..`; `nil` if there is no such file.
  private static func resolved(_ path: String) -> String? {
    guard let text = realpath(path, nil) else { return nil }
    defer { free(text) }
    return String(cString: text)
  }

  private static func identity(_ path: String) -> [UInt64]? {
    var status = stat()
    guard stat(path, &status) == 0 else { return nil }
    return [UInt64(status.st_dev), UInt64(status.st_ino)]
  }
}
