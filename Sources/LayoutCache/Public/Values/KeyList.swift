import LayoutGeometry
import LayoutStore

/// The keys of a view that lists its items, in order. Copies share them.
final class KeyList: Sendable {
  let keys: [String]
  private let places: [ExactKey: Int]
  /// A number that other lists have by chance only, equal in all processes.
  let digest: Int64

  /// The maximum number of keys.
  static let countMax = 100_000
  /// The maximum of their bytes and 3 for each: an answer has all of them.
  static let bytesMax = 4_000_000

  /// - Throws: ``BatchError``: `limit`, `duplicateKey`.
  init(_ keys: [String]) throws(BatchError) {
    do {
      try Limits.check(keys.count, in: 0...Self.countMax, as: "number of keys")
      for key in keys { try Limits.check(name: key, as: "key") }
      let bytes = keys.reduce(0) { $0 + $1.utf8.count + 3 }
      try Limits.check(bytes, in: 0...Self.bytesMax, as: "size of the keys in bytes")
    } catch { throw .limit(error, key: nil) }
    var places: [ExactKey: Int] = [:]
    for (place, key) in keys.enumerated()
    where places.updateValue(place, forKey: ExactKey(key)) != nil {
      throw .duplicateKey(key)
    }
    (self.keys, self.places) = (keys, places)
    digest = HistoryNumber(digesting: keys.joined(separator: "\0")).rawValue
  }

  /// Returns the place of a key in the list; `nil` if it is not listed.
  func place(of key: String) -> Int? { places[ExactKey(key)] }
}

extension KeyList: Hashable {
  static func == (left: KeyList, right: KeyList) -> Bool {
    left === right
      || left.digest == right.digest
        && left.keys.map(ExactKey.init) == right.keys.map(ExactKey.init)
  }

  func hash(into hasher: inout Hasher) { hasher.combine(digest) }
}
