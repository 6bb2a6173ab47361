import LayoutCache
import LayoutGeometry

extension Failure {
  /// Creates the failure for an error of the library, with a similar name as a hint if a name
  /// is unknown.
  ///
  /// - Parameter cache: The cache whose call has failed, still open.
  init(_ error: LayoutCacheError, in cache: LayoutCache) {
    self.init(
      ExitStatus(error.category), error.description, code: error.code.name,
      hint: Self.nearName(for: error.code, in: cache) ?? Self.advice(error.code))
  }

  private static func nearName(for code: LayoutCacheError.Code, in cache: LayoutCache) -> String? {
    switch code {
    case .noSuchDataset(let name): NearNames(cache).dataset(name)
    case .noSuchLayout(let id): NearNames(cache).layout(id.layout, of: id.dataset)
    case .noSuchKey(let key, let dataset): NearNames(cache).item(key, of: dataset)
    default: nil
    }
  }
}

/// Similar names in a database, for a name that it does not have.
///
/// Errors while reading names are ignored: the user should see the original failure.
struct NearNames {
  /// The maximum number of items or sections searched, from the first on.
  private static let namesMax = 4096

  private let cache: LayoutCache

  init(_ cache: LayoutCache) { self.cache = cache }

  func dataset(_ name: String) -> String? {
    guard let names = try? cache.datasetNames() else { return nil }
    if names.isEmpty { return "the database is empty; 'layoutcache import' creates a dataset" }
    return didYouMean(name, among: names) ?? "the datasets are \(listing(names))"
  }

  func layout(_ name: String, of dataset: String) -> String? {
    guard let names = try? cache.layoutNames(of: dataset) else { return nil }
    if names.isEmpty { return "it has no layouts; 'layoutcache layout set' creates one" }
    return didYouMean(name, among: names) ?? "its layouts are \(listing(names))"
  }

  func section(_ key: String, of dataset: String) -> String? {
    let keys = first { take in
      try cache.forEachSection(of: dataset) { try take($0.key) }
    }
    return didYouMean(key, among: keys)
      ?? "'layoutcache inspect --sections --dataset \(excerpt(dataset))' lists its sections"
  }

  func item(_ key: String, of dataset: String) -> String? {
    let keys = first { take in
      try cache.forEachItem(of: dataset, withData: false) { _, item in try take(item.key) }
    }
    // A view may lack an item of the dataset.
    return keys.contains { $0.isExactly(key) } ? nil : didYouMean(key, among: keys)
  }

  /// Returns a similar name for an unknown one in an operation.
  func hint(for reason: BatchError, of dataset: String) -> String? {
    switch reason {
    case .noSuchKey(let key): item(key, of: dataset)
    case .noSuchSection(let key): section(key, of: dataset)
    case .noSuchLayout(let name): layout(name, of: dataset)
    default: nil
    }
  }

  /// Returns the first names of a walk.
  private func first(_ walk: (_ take: (String) throws -> Void) throws -> Void) -> [String] {
    struct Enough: Error {}
    var names: [String] = []
    try? walk { name in
      names.append(name)
      if names.count == Self.namesMax { throw Enough() }
    }
    return names
  }
}
