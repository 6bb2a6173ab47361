#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

extension Store {
  /// Checks a path before SQLite does, for specific errors: SQLite has one message for all.
  ///
  /// - Throws: ``StoreError`` with `noSuchFile` or `cannotOpen`.
  static func checkPlace(of path: String, _ options: StoreOptions) throws {
    func denied(_ what: String) -> StoreError {
      StoreError(.cannotOpen(detail: "permission denied: \(what)"), path: path)
    }
    let kind = FileKind(at: path)
    switch kind {
    case .danglingLink where !options.createsFile, .missing: break
    case .directory, .special, .danglingLink:
      throw StoreError(.cannotOpen(detail: "it is \(kind.rawValue)"), path: path)
    case .regular:
      if FileAccess.isDenied(path, R_OK) { throw denied("this user may not read the file") }
      return
    case .hidden: throw denied("this user may not search a folder of the path")
    }
    if !options.createsFile { throw StoreError(.noSuchFile, path: path) }
    let end = path.lastIndex(of: "/")
    let folder = end.map { $0 == path.startIndex ? "/" : String(path[..<$0]) } ?? "."
    switch FileKind(at: folder) {
    case .directory:
      if FileAccess.isDenied(folder, W_OK | X_OK) {
        throw denied("this user may not create files in \(folder)")
      }
    case .regular, .special:
      throw StoreError(.cannotOpen(detail: "\(folder) is not a folder"), path: path)
    case .hidden, .missing, .danglingLink:
      throw StoreError(
        .cannotOpen(detail: "the folder \(folder) does not exist; create it first"), path: path)
    }
  }
}

/// The kind of file at a path.
private enum FileKind: String {
  case directory = "a directory"
  case regular
  /// A pipe, socket or device.
  case special = "not a regular file"
  case missing
  case danglingLink = "a symbolic link to a file that does not exist"
  /// Unknown, because this process may not look into a folder of the path.
  case hidden

  init(at path: String) {
    var status = stat()
    guard stat(path, &status) == 0 else {
      self = errno == EACCES ? .hidden : lstat(path, &status) == 0 ? .danglingLink : .missing
      return
    }
    self =
      switch status.st_mode & S_IFMT {
      case S_IFDIR: .directory
      case S_IFREG: .regular
      default: .special
      }
  }
}
