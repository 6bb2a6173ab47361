import CollectionLayout
package import TestSupport
import Testing

@testable package import LayoutCache

extension DatasetUpdates {
  /// Checks that a client's lists become the present ones, with items of inserted sections read
  /// again; that every remaining item with a different size, span or visibility is reloaded; and that no key is
  /// named twice.
  package func expectToLead(
    from old: [OracleSection], to new: [OracleSection], _ origin: String
  ) {
    let comment = Comment(rawValue: origin)
    #expect(!everything, comment)
    let replayed = replayed(on: old, asking: new)
    #expect(replayed.map(\.key) == new.map(\.key), comment)
    #expect(replayed.map(\.items) == new.map { $0.items.map(\.key) }, comment)
    // Keys are compared byte for byte.
    var places: [ExactKey: OracleItem] = [:]
    for section in old { for item in section.items { places[ExactKey(item.key)] = item } }
    let reloaded = Set(items.filter { $0.operation == .reload }.map { ExactKey($0.key) })
    for section in new {
      for item in section.items {
        guard let before = places[ExactKey(item.key)] else { continue }
        let isSame =
          before.width == item.width && before.height == item.height && before.span == item.span
          && before.visibility == item.visibility
        if !isSame { #expect(reloaded.contains(ExactKey(item.key)), comment) }
      }
    }
    expectReloads(from: old, to: new, comment)
    for kind in [Operation.insert, .delete, .move, .reload] {
      let keys = items.filter { $0.operation == kind }.map { ExactKey($0.key) }
      #expect(Set(keys).count == keys.count, comment)
    }
  }

  /// Checks that existing sections with a different style are reloaded.
  private func expectReloads(
    from old: [OracleSection], to new: [OracleSection], _ comment: Comment
  ) {
    var styles: [ExactKey: String] = [:]
    for section in old { styles[ExactKey(section.key)] = section.style ?? "" }
    let inserted = Set(sections.filter { $0.operation == .insert }.map { ExactKey($0.key) })
    let reloaded = sections.filter { $0.operation == .reload }
    #expect(reloaded.map(\.after) == reloaded.map(\.after).sorted { $0! < $1! }, comment)
    for (index, section) in new.enumerated() {
      let entry = reloaded.first { $0.after == index }
      #expect(entry.map { ExactKey($0.key) == ExactKey(section.key) } ?? true, comment)
      let isExpected =
        !inserted.contains(ExactKey(section.key))
        && styles[ExactKey(section.key)].map(ExactKey.init) != ExactKey(section.style ?? "")
      #expect((entry != nil) == isExpected, comment)
    }
  }

  private struct List {
    var key: String
    var items: [String]
  }

  /// Applies updates to a client's lists, in UIKit's order.
  private func replayed(on old: [OracleSection], asking new: [OracleSection]) -> [List] {
    var lists = old.map { List(key: $0.key, items: $0.items.map(\.key)) }
    let gone = items.compactMap { item in item.before.map { (item.key, $0) } }
      .sorted { ($0.1.section, $0.1.item ?? 0) > ($1.1.section, $1.1.item ?? 0) }
    for (key, place) in gone {
      let removed = lists[place.section].items.remove(at: place.item ?? 0)
      #expect(removed == key)
    }
    var taken: [ExactKey: List] = [:]
    for section in sections.sorted(by: { $0.before ?? -1 > $1.before ?? -1 }) {
      guard let before = section.before else { continue }
      let list = lists.remove(at: before)
      #expect(list.key == section.key)
      if section.after != nil { taken[ExactKey(section.key)] = list }
    }
    var met: Set<Int> = []
    for section in sections where section.operation != .reload {
      guard let after = section.after else { continue }
      if let list = taken[ExactKey(section.key)], section.before != nil {
        lists.insert(list, at: after)
      } else {
        met.insert(after)
        lists.insert(List(key: section.key, items: new[after].items.map(\.key)), at: after)
      }
    }
    for item in items where item.operation == .insert || item.operation == .move {
      guard let after = item.after, !met.contains(after.section) else { continue }
      lists[after.section].items.insert(item.key, at: after.item ?? 0)
    }
    return lists
  }
}
