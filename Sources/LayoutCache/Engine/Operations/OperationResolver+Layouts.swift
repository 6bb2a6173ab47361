import LayoutGeometry
import SumTree

// Operations on the results of layouts.

extension OperationResolver {
  mutating func invalidate(
    _ name: String, items: [String], sections: [String], everything: Bool
  ) throws {
    for layout in try layouts(name) {
      try invalidate(layout.id, items: items, sections: sections, everything: everything)
    }
  }

  private mutating func invalidate(
    _ layout: Int64, items: [String], sections: [String], everything: Bool
  ) throws {
    var places: [ItemPosition] = []
    for key in items { places.append(try item(key)) }
    let references = try sections.map { try section($0) }
    // Named items and sections must exist, even if everything is invalidated.
    if everything { return try take(.everything(layout: layout)) }
    for place in places {
      try take(
        .invalidateItems(
          place.index..<(place.index + 1), section: place.section, layout: layout))
    }
    for section in references {
      try take(.rebalance(from: 0, section: section, layout: layout))
    }
  }

  mutating func rebalance(_ name: String, section key: String?, from item: String?) throws {
    for layout in try layouts(name) {
      try rebalance(layout.id, section: key, from: item)
    }
  }

  private mutating func rebalance(_ layout: Int64, section key: String?, from item: String?) throws
  {
    if let item {
      let place = try self.item(item)
      if let key, ExactKey(key) != ExactKey(place.section.key) {
        _ = try section(key)
        throw OperationError.Reason.notInSection(item, section: key)
      }
      return try take(.rebalance(from: place.index, section: place.section, layout: layout))
    }
    if let key {
      return try take(.rebalance(from: 0, section: try section(key), layout: layout))
    }
    // Even if no section has items.
    makesRevision = true
    var references: [SectionReference] = []
    try trees.sections.forEachLeaf(in: session) { leaf, start in
      for (index, entry) in leaf.entries.enumerated() where entry.itemCount > 0 {
        references.append(SectionReference(index: start + index, key: entry.key))
      }
    }
    for section in references { try take(.rebalance(from: 0, section: section, layout: layout)) }
  }
}
