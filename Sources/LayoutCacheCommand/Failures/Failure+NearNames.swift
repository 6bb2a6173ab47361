import LayoutCache
import LayoutGeometry

extension Failure {
  /// What an error of the library's means, and, where it is a name that is wrong, which one was
  /// probably meant.
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

/// The names that a database has, for who has asked for one that it doesn't have.
///
/// What fails while they are read is passed over: what the user should hear of is the failure
/// that they were read for.
struct NearNames {
  /// The most items or sections that are looked at, from the first on.
  private static let namesMax = 4096

  private let cache: LayoutCache

  init(_ cache: LayoutCache) { self.cache = cache }

  func dataset(_ name: String) -> String? {
    guard let names = try? cache.datasetNames() else { return nil }
    if names.isEmpty { return "the database has none; 'layoutcache import' makes one" }
    return didYouMean(name, among: names) ?? "there are \(listing(names))"
  }

  func layout(_ name: String, of dataset: String) -> String? {
    guard let names = try? cache.layoutNames(of: dataset) else { return nil }
    if names.isEmpty { return "it has none; 'layoutcache layout set' makes one" }
    return didYouMean(name, among: names) ?? "it has \(listing(names))"
  }

  func section(_ key: String, of dataset: String) -> String? {
    let keys = first { take in
      try cache.forEachSection(of: dataset) { try take($0.key) }
    }
    return didYouMean(key, among: keys)
  }

  func item(_ key: String, of dataset: String) -> String? {
    let keys = first { take in
      try cache.forEachItem(of: dataset, withData: false) { _, item in try take(item.key) }
    }
    return didYouMean(key, among: keys)
  }

  /// What is probably meant in place of what an operation names.
  func hint(for reason: RefusedOperation.Reason, of dataset: String) -> String? {
    switch reason {
    case .noSuchKey(let key): item(key, of: dataset)
    case .noSuchSection(let key): section(key, of: dataset)
    case .noSuchLayout(let name): layout(name, of: dataset)
    default: nil
    }
  }

  /// The first names that a walk gives.
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
