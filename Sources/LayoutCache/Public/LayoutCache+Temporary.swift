import LayoutStore
public import Logging

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

extension LayoutCache {
  /// Creates an empty database that is deleted with the cache: for tests of programs that use
  /// the library.
  ///
  ///     let cache = try LayoutCache.temporary()
  ///
  /// The database is an ordinary file in a new folder in the system's temporary folder.
  ///
  /// - Throws: ``LayoutCacheError`` with `database`.
  public static func temporary(
    options: LayoutCacheOptions = LayoutCacheOptions(),
    sectionLayouts: [any SectionLayout.Type] = [],
    waterfallLayouts: [any WaterfallSectionLayout.Type] = [],
    snapRules: [any SnapRule.Type] = [], appearanceRules: [any AppearanceRule.Type] = [],
    effects: [any QueryEffect.Type] = [], decorators: [any SectionDecorator.Type] = [],
    logger: Logger = Logger(label: "layoutcache"), executor: (any TaskExecutor)? = nil
  ) throws -> LayoutCache {
    let folder = try makeFolder()
    return try LayoutCache(
      path: "\(folder.path)/feeds.sqlite", options,
      CustomKinds(
        sectionLayouts, waterfalls: waterfallLayouts, snapRules: snapRules,
        appearanceRules: appearanceRules, effects: effects, decorators: decorators), logger,
      executor, .system, .system, folder: folder)
  }

  /// Returns an empty cache with the same options and custom kinds, in a temporary file.
  package func temporaryTwin() throws -> LayoutCache {
    let folder = try Self.makeFolder()
    return try LayoutCache(
      path: "\(folder.path)/feeds.sqlite", options, customKinds, logger, nil, clock,
      store.options.random, folder: folder)
  }

  private static func makeFolder() throws -> TemporaryFolder {
    do {
      return try TemporaryFolder()
    } catch {
      throw LayoutCacheError(
        .database(.inputOutput, message: "cannot create a temporary folder: \(error)"))
    }
  }
}

/// A folder in the system's temporary folder, removed together with this object.
final class TemporaryFolder: Sendable {
  let path: String

  /// Creates the folder.
  ///
  /// - Throws: Foundation's error if the folder can't be created.
  init() throws {
    let url = FileManager.default.temporaryDirectory.appending(
      path: "layoutcache-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    path = url.path
  }

  // The system eventually removes a folder that can't be removed here.
  deinit { try? FileManager.default.removeItem(atPath: path) }
}
