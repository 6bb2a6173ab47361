public import Logging

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

extension LayoutCache {
  /// Makes an empty database that goes with the cache: for tests of programs that use
  /// the library.
  ///
  ///     let cache = try LayoutCache.temporary()
  ///
  /// It is a file like any other, in its own folder among the system's temporary
  /// ones.
  ///
  /// - Throws: ``LayoutCacheError`` with `database`.
  public static func temporary(
    options: LayoutCacheOptions = LayoutCacheOptions(),
    sectionLayouts: [any SectionLayout.Type] = [],
    waterfallLayouts: [any WaterfallSectionLayout.Type] = [],
    logger: Logger = Logger(label: "layoutcache"), executor: (any TaskExecutor)? = nil
  ) throws -> LayoutCache {
    let folder = try makeFolder()
    return try LayoutCache(
      path: "\(folder.path)/feeds.sqlite", options,
      CustomKinds(sectionLayouts, waterfalls: waterfallLayouts), logger, executor, .system,
      folder: folder)
  }

  /// An empty cache in a temporary file, that is otherwise as this one.
  package func temporaryTwin() throws -> LayoutCache {
    let folder = try Self.makeFolder()
    return try LayoutCache(
      path: "\(folder.path)/feeds.sqlite", options, customKinds, logger, nil, clock,
      folder: folder)
  }

  private static func makeFolder() throws -> TemporaryFolder {
    do {
      return try TemporaryFolder()
    } catch {
      throw LayoutCacheError(
        .database(.inputOutput, message: "no temporary folder can be made: \(error)"))
    }
  }
}

/// A folder in the system's temporary one, removed together with this object.
final class TemporaryFolder: Sendable {
  let path: String

  /// Makes the folder.
  ///
  /// - Throws: Foundation's error where it can't be made.
  init() throws {
    let url = FileManager.default.temporaryDirectory.appending(
      path: "layoutcache-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    path = url.path
  }

  // Nothing needs what is left where it can't be removed; the system clears it away.
  deinit { try? FileManager.default.removeItem(atPath: path) }
}
