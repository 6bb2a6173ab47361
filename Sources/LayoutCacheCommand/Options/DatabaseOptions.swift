import ArgumentParser
import LayoutCache

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// The database file that a command works on.
struct DatabaseOptions: ParsableArguments {
  static let variable = "LAYOUTCACHE_DATABASE"
  static let pathDefault = "layoutcache.sqlite"

  @Option(
    help: ArgumentHelp(
      "The database file (default: $\(variable), or \(pathDefault))", valueName: "path"),
    completion: .file())
  var database: String?

  func validate() throws {
    if database == "" { throw ValidationError("--database is empty; name a file") }
  }

  /// The path of the file: from the option, the environment, or the default.
  var path: String { Self.path(stated: database) }

  /// Whether the file exists.
  var exists: Bool { access(path, F_OK) == 0 }

  static func path(stated database: String?) -> String {
    if let database { return database }
    let variable = environmentVariable(Self.variable) ?? ""
    return variable.isEmpty ? Self.pathDefault : variable
  }

  /// Runs `body` on the database and closes it.
  ///
  /// - Parameter createsFile: Whether to create a missing file; only for commands that import data.
  func withCache<R>(createsFile: Bool = false, _ body: (LayoutCache) throws -> R) throws -> R {
    try DatabaseOptions.withCache(at: path, createsFile: createsFile, body)
  }

  /// Runs `body` on the dataset of an option, whose name is returned with the result.
  func withDataset<R>(
    _ option: DatasetOption, _ body: (LayoutCache, _ dataset: String) throws -> R
  ) throws -> (dataset: String, result: R) {
    try withCache {
      let dataset = try option.name(in: $0)
      return (dataset, try body($0, dataset))
    }
  }

  /// Runs `body` on the database at a path and closes it.
  static func withCache<R>(
    at path: String, createsFile: Bool, _ body: (LayoutCache) throws -> R
  ) throws -> R {
    var options = LayoutCacheOptions()
    options.createsFile = createsFile
    let cache = try LayoutCache(path: path, options: options)
    let result = Result {
      do { return try body(cache) } catch let error as LayoutCacheError {
        throw Failure(error, in: cache)
      }
    }
    let closed = Result { try cache.close() }
    // The first error is the one to report.
    let value = try result.get()
    try closed.get()
    return value
  }
}
