package import CollectionLayout
package import LayoutCache
import LayoutGeometry
import LayoutReplication
package import TestSupport

/// Small random feeds shared by the simulated nodes.
package enum Feeds {
  package static let layouts = ["stable", "other"]

  static func layout(of dataset: String, using generator: inout SeededGenerator) -> LayoutID {
    LayoutID(layouts.randomElement(using: &generator)!, of: dataset)
  }

  /// Returns mostly stable waterfalls, whose columns depend on history; some rebalance immediately.
  package static func configuration(
    _ generator: inout SeededGenerator
  ) throws -> LayoutConfiguration {
    let columns = Int.random(in: 1...4, using: &generator)
    let skew = generator.oneIn(2) ? #","maximumSkew":10"# : ""
    let section =
      switch Int.random(in: 0..<6, using: &generator) {
      case 0: #"{"kind":"flow"}"#
      case 1: #"{"columns":\#(columns),"assignment":"exact"}"#
      default: #"{"columns":\#(columns)\#(skew)}"#
      }
    let own = generator.oneIn(3) ? #","sections":{"s1":{"columns":2}}"# : ""
    return try ConfigurationText.decode(
      #"{"container":{"width":\#(100 * columns)},"section":\#(section)\#(own)}"#)
  }

  package static func keys(of dataset: String, in cache: LayoutCache) throws -> [String] {
    var keys: [String] = []
    try cache.forEachItem(of: dataset) { _, item in keys.append(item.key) }
    return keys
  }

  package static func batch(
    on keys: [String], using generator: inout SeededGenerator
  ) throws -> [BatchOperation] {
    try (0..<Int.random(in: 1...3, using: &generator)).map { _ in
      let known = keys.randomElement(using: &generator)
      let width = Double(Int.random(in: 1...9, using: &generator))
      let height = Double(Int.random(in: 1...20, using: &generator))
      switch Int.random(in: 0..<10, using: &generator) {
      case 0:
        if let known { return .delete(keys: [known], missing: .ignore) }
      case 1:
        if let known {
          return .resize(key: known, size: Size(width: .points(width), height: .points(height)))
        }
      case 2:
        if let known { return .move(key: known, to: .end(section: section(&generator))) }
      case 3:
        return .invalidate(
          layout: layouts.randomElement(using: &generator)!, items: [], sections: [],
          everything: true)
      case 4: return .rebalance(layout: layouts[0], section: nil, from: nil)
      default: break
      }
      var items: [UpsertedItem] = []
      for _ in 0..<Int.random(in: 1...6, using: &generator) {
        let key = "k\(generator.next() % 1000)"
        if items.contains(where: { $0.key == key }) { continue }
        items.append(try UpsertedItem(key: key, width: width, height: height))
      }
      return .upsert(items, section: section(&generator))
    }
  }

  /// The beginning of the key by which an entry without a request shows its write.
  private static let writeMark = Array("write:".utf8)

  /// Returns operations that name the write of a batch without an idempotency key, in its entry.
  static func operations(naming write: String) throws -> [BatchOperation] {
    let key = "write:\(write);"
    return [
      .upsert([try UpsertedItem(key: key, width: 1, height: 1)], section: "s0"),
      .delete(keys: [key], missing: .ignore),
    ]
  }

  /// Returns the write named by an entry's operations; `nil` if there is none.
  static func name(ofWriteWithoutKey entry: SharedEntry) -> String? {
    guard let mark = entry.request.payload.firstRange(of: writeMark) else { return nil }
    let name = entry.request.payload[mark.upperBound...].prefix { $0 != UInt8(ascii: ";") }
    return String(decoding: name, as: UTF8.self)
  }

  static func section(_ generator: inout SeededGenerator) -> String {
    "s\(Int.random(in: 0..<3, using: &generator))"
  }

  /// Whether an error is an answer that a client may get from a correct cluster.
  static func isExpected(_ error: LayoutCacheError) -> Bool {
    switch error.code {
    case .sharedLogUnavailable, .outcomeUnknown, .refused, .noSuchLayout, .noSuchDataset,
      .cannotUndo,
      .datasetExists, .duplicateKey, .concurrentModification:
      true
    default: false
    }
  }

  /// Returns a digest of everything that a layout shows, and the dataset's revision.
  static func digest(
    of layout: String, in dataset: String, _ cache: LayoutCache
  ) throws -> (digest: String, revision: Int) {
    do {
      return try cache.read(LayoutID(layout, of: dataset)) { snapshot in
        let page = try snapshot.elements(in: Rect(origin: .zero, size: snapshot.contentSize))
        var hash = Fingerprint()
        for element in page.elements {
          hash.add("\(element.category) \(element.indexPath) \(element.frame)")
        }
        // The part of the dataset depends on the epoch in which the node loaded it.
        let incarnation = snapshot.incarnation.rawValue.split(separator: "-").last ?? ""
        return ("\(incarnation) \(page.elements.count) \(hash)", snapshot.revision)
      }
    } catch let error as LayoutCacheError {
      // If the layout does not exist, the items are the answer.
      guard case .noSuchLayout = error.code else { throw error }
      var hash = Fingerprint()
      try cache.forEachItem(of: dataset) { section, item in
        hash.add("\(section) \(item.key) \(item.size)")
      }
      return ("items \(hash)", try cache.dataset(dataset).revision)
    }
  }
}

/// A hash that is the same in all processes (FNV-1a).
private struct Fingerprint: CustomStringConvertible {
  private var value: UInt64 = 0xcbf2_9ce4_8422_2325

  mutating func add(_ text: String) {
    for byte in text.utf8 { value = (value ^ UInt64(byte)) &* 0x100_0000_01b3 }
  }

  var description: String { String(value, radix: 16) }
}
