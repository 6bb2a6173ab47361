import ArgumentParser
import LayoutCache
import LayoutGeometry

/// A part of one layout, or of all layouts of a dataset.
struct LayoutPartOptions: ParsableArguments {
  @OptionGroup var datasetOption: DatasetOption

  @Option(
    help: "The layout (default: all of the dataset)", completion: .layouts, transform: layoutName)
  var layout: String?

  @Option(parsing: .unconditional, help: "The section's key (default: all sections)")
  var section: String?

  /// Applies one operation to each selected layout, in one batch, and completes the work that
  /// the batch leaves to later commits.
  ///
  /// - Parameter key: The first item to place again; `nil` for the selected sections' first.
  /// - Throws: `LayoutCacheError`, ``Failure``; nothing is changed then.
  func change(
    in cache: LayoutCache, from key: String? = nil,
    by operation: (_ layout: String) -> BatchOperation
  ) throws -> Commit {
    let dataset = try datasetOption.name(in: cache)
    let layouts = try layout.map { [$0] } ?? cache.layoutNames(of: dataset)
    if layouts.isEmpty { return try unchanged(dataset, in: cache) }
    do {
      var commit = try cache.update(dataset, with: layouts.map(operation), preparing: .upToDate)
      let section =
        try section ?? key.flatMap { try cache.item(forKey: $0, of: dataset)?.sectionKey }
      commit.append(
        try cache.finishRebalancing(
          dataset, layouts: layouts, section: section, preparing: .upToDate))
      return commit
    } catch let error as LayoutCacheError {
      guard case .refused(_, let reason) = error.code else { throw error }
      // The user has given options, not numbered operations.
      switch reason {
      case .noSuchLayout(let name):
        throw LayoutCacheError(.noSuchLayout(LayoutID(name, of: dataset)))
      case .noSuchKey(let key):
        throw LayoutCacheError(.noSuchKey(key, dataset: dataset))
      case .noSuchSection(let key):
        throw Failure(
          .notFound, "dataset '\(excerpt(dataset))' has no section '\(excerpt(key))'",
          code: "noSuchSection", hint: NearNames(cache).section(key, of: dataset))
      default:
        throw Failure(
          ExitStatus(error.category),
          "cannot change the layouts of dataset '\(excerpt(dataset))': \(reason)")
      }
    }
  }

  private func unchanged(_ dataset: String, in cache: LayoutCache) throws -> Commit {
    let description = try cache.dataset(dataset)
    return Commit(
      dataset: dataset, revision: description.revision, incarnation: description.incarnation)
  }
}
