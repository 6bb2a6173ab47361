import LayoutGeometry
import SumTree

// Upserts are resolved into existing operations: the log and its followers do not know upserts.

extension OperationResolver {
  /// - Parameter style: The style of the section if it is created.
  mutating func upsert(
    _ items: [UpsertedItem], section key: String?, style: String? = nil, moving: Bool
  ) throws {
    var seen: Set<ExactKey> = []
    for item in items where !seen.insert(ExactKey(item.key)).inserted {
      throw BatchError.duplicateKey(item.key)
    }
    // Values do not depend on positions: first update the items that exist.
    for item in items where try finder.place(ofKey: item.key, in: trees, session) != nil {
      try resize(item.key, to: item.size, columnSpan: item.columnSpan)
      if let visibility = item.visibility { try show(item.key, visibility) }
      if item.data != .none { try changeData(of: item.key, to: item.data.data) }
    }
    if let order = trees.order {
      return try place(items, inSection: key, style: style, moving: moving, by: order)
    }
    guard let key else { throw BatchError.needsSection }
    let settled = moving ? try settledCount(of: items, inSection: key) : 0
    try append(items[settled...], toSection: key, style: style, moving: moving)
  }

  /// Appends items to a section: new ones, and existing ones if they should move.
  private mutating func append(
    _ items: ArraySlice<UpsertedItem>, toSection key: String, style: String?, moving: Bool
  ) throws {
    var new: [Item] = []
    for item in items {
      if try finder.place(ofKey: item.key, in: trees, session) == nil {
        new.append(item.new)
      } else if moving {
        try insert(new, atEndOf: key, style: style)
        new = []
        try makeSection(key, style: style)
        try move(item.key, to: .end(section: key))
      }
    }
    try insert(new, atEndOf: key, style: style)
  }

  private mutating func insert(
    _ items: [Item], atEndOf key: String, style: String?
  ) throws {
    if items.isEmpty { return }
    try makeSection(key, style: style)
    try insert(items, at: .end(section: key))
  }

  /// Appends a section unless it exists.
  mutating func makeSection(_ key: String, style: String?) throws {
    if try trees.sectionIndex(ofKey: key, in: session) == nil {
      try insertSection(key, index: nil, style: style)
    }
  }

  /// Returns the number of first items that stay in place when all items should be at a section's
  /// end, in order: those at the end in this order, followed only by others of these items.
  ///
  /// - Complexity: O(items · log items), plus their lookups.
  private mutating func settledCount(
    of items: [UpsertedItem], inSection key: String
  ) throws -> Int {
    guard let section = try trees.sectionIndex(ofKey: key, in: session) else { return 0 }
    var indices: [Int?] = []
    for item in items {
      let place = try finder.place(ofKey: item.key, in: trees, session)
      indices.append(place.flatMap { $0.section.index == section ? $0.index : nil })
    }
    var tail = try trees.items(ofSection: section, in: session).count
    for index in indices.compactMap(\.self).sorted(by: >) where index == tail - 1 { tail -= 1 }
    var last = tail - 1
    for (number, index) in indices.enumerated() {
      guard let index, index > last else { return number }
      last = index
    }
    return items.count
  }
}
