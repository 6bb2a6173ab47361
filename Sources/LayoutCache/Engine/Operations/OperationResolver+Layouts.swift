import CollectionLayout
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
    if everything { return try take(.note(.everything, layout: layout)) }
    for place in places {
      try take(
        .note(
          .invalidate(place.index..<(place.index + 1), section: place.section), layout: layout))
    }
    for section in references {
      try take(.note(.rebalance(from: 0, section: section), layout: layout))
    }
  }

  /// Reports elements of the layout, or of each of some sections, as changed.
  mutating func invalidateElements(
    of kinds: [String], layout name: String, sections keys: [String]
  ) throws {
    for layout in try layouts(name) {
      let plan = try layout.plan()
      for key in keys {
        let section = try section(key)
        let own = plan.section(key, style: plan.hasStyles ? try entry(of: section).style : nil)
        try invalidate(kinds, of: own.elementKinds, section, layout.id, named: name)
      }
      if keys.isEmpty {
        try invalidate(kinds, of: plan.frame.elementKinds, nil, layout.id, named: name)
      }
    }
  }

  private mutating func invalidate(
    _ kinds: [String], of present: [CustomElement.Kind], _ section: SectionReference?,
    _ layout: Int64, named name: String
  ) throws {
    let named = Set(kinds.map { ExactKey($0) })
    for kind in kinds where !present.contains(where: { $0.name.isExactly(kind) }) {
      throw BatchError.noElement(
        kind: kind, section: section?.key, layout: name, present: present.map(\.name).sorted())
    }
    if kinds.isEmpty { return }
    // In an order that does not depend on the process.
    let elements = present.filter { named.contains(ExactKey($0.name)) }
      .sorted { ($0.name, $0.isDecoration ? 1 : 0) < ($1.name, $1.isDecoration ? 1 : 0) }
    try take(.note(.invalidateElements(elements, section: section), layout: layout))
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
        throw BatchError.notInSection(item, section: key)
      }
      return try take(.note(.rebalance(from: place.index, section: place.section), layout: layout))
    }
    if let key {
      return try take(.note(.rebalance(from: 0, section: try section(key)), layout: layout))
    }
    // Even if no section has items.
    makesRevision = true
    var references: [SectionReference] = []
    try trees.sections.forEachLeaf(in: session) { leaf, start in
      for (index, entry) in leaf.entries.enumerated() where entry.itemCount > 0 {
        references.append(SectionReference(index: start + index, key: entry.key))
      }
    }
    for section in references {
      try take(.note(.rebalance(from: 0, section: section), layout: layout))
    }
  }
}

// Lengths measured by a client.

extension OperationResolver {
  /// Sets measured lengths of items; if entries have the same key, the last one is used.
  ///
  /// - Complexity: O(entries), plus a lookup for each that is not a neighbour of the previous one.
  mutating func prefer(
    _ lengths: [MeasuredLength], layout: String, missing: MissingKeys
  ) throws {
    let named = try self.layout(layout)
    var last: [ExactKey: Int] = [:]
    for (index, entry) in lengths.enumerated() { last[ExactKey(entry.key)] = index }
    for (index, entry) in lengths.enumerated() where last[ExactKey(entry.key)] == index {
      if missing == .ignore, try finder.place(ofKey: entry.key, in: trees, session) == nil {
        continue
      }
      try prefer(entry, of: named, named: layout)
    }
  }

  /// Removes the measured lengths of items and sections for a layout.
  ///
  /// If there are many, the layout is laid out from scratch instead of following each item.
  ///
  /// - Complexity: O(items) to find them, plus O(log items) nodes for each.
  mutating func resetLengths(layout: String) throws {
    let id = try self.layout(layout).id
    if let lengths = trees.layoutLengths[id] {
      try take(.note(.measure(from: lengths, to: .none), layout: id))
    }
    let measured = try trees.measured(in: id, session)
    for section in measured.sections {
      let entry = try entry(of: section)
      var lengths = entry.supplementaryLengths
      lengths[id] = nil
      try remeasure(section, entry, to: lengths)
    }
    for number in measured.items {
      guard let place = try trees.place(ofItem: number, in: session) else { continue }
      let item = ItemPosition(section: place.section, index: place.item, number: number)
      var run = try finder.run(at: item, in: trees, session)
      let previous = run
      run.prefer(nil, at: 0, layout: id)
      try take(.change(previous, to: run, at: item.index, of: item.section, layout: id))
    }
    if measured.items.count > Budgets.followedLengths { try take(.note(.everything, layout: id)) }
  }

  mutating func prefer(
    _ measured: MeasuredLength, of named: NamedLayout, named layout: String
  ) throws {
    let (key, length, crossLength) = (measured.key, measured.length, measured.crossLength)
    let place = try item(key)
    if let length {
      try within(key) {
        try Limits.check(naturalSide: length, as: "length")
        if let crossLength { try Limits.check(naturalSide: crossLength, as: "crossLength") }
      }
      let options = try options(of: place.section, in: named)
      let kind = options.kind ?? SectionOptions.kindDefault
      guard options.takesPreferredLengths else {
        throw BatchError.takesNoLength(key, kind: kind, layout: layout)
      }
      guard crossLength == nil || options.takesPreferredCrossLengths else {
        throw BatchError.takesNoCrossLength(key, kind: kind, layout: layout)
      }
    }
    var run = try finder.run(at: place, in: trees, session)
    let present = run.preferredLength(at: 0, layout: named.id)
    // Without a length there is no cross length either.
    let cross = length == nil ? nil : crossLength
    if present?.length == length && present?.crossLength == cross { return }
    let previous = run
    try removeGarbage(of: &run)
    run.prefer(length, crossLength: cross, at: 0, layout: named.id)
    try take(.change(previous, to: run, at: place.index, of: place.section, layout: named.id))
  }

  mutating func prefer(
    _ length: Length?, _ kind: LayoutAttributes.SupplementaryKind, section key: String,
    layout: String
  ) throws {
    let named = try self.layout(layout)
    if kind.isOfLayout { return try prefer(length, kind, of: named, named: layout) }
    let section = try section(key)
    if let length {
      try within(nil) { try Limits.check(naturalSide: length, as: "length") }
      guard try options(of: section, in: named).has(kind) else {
        throw BatchError.noSupplementary(kind, section: key, layout: layout)
      }
    }
    let entry = try entry(of: section)
    var lengths = entry.measured(in: named.id)
    if lengths[kind] == length { return }
    lengths[kind] = length
    var measured = try entry.supplementaryLengths.filter { try isLayout($0.key) }
    measured[named.id] = lengths == .none ? nil : lengths
    try remeasure(section, entry, to: measured)
  }

  /// Sets the measured length of a layout's header or footer, and removes the lengths of layouts
  /// that no longer exist.
  private mutating func prefer(
    _ length: Length?, _ kind: LayoutAttributes.SupplementaryKind, of named: NamedLayout,
    named layout: String
  ) throws {
    if let length {
      try within(nil) { try Limits.check(naturalSide: length, as: "length") }
      guard try configuration(of: named).has(kind) else {
        throw BatchError.noSupplementary(kind, section: "", layout: layout)
      }
    }
    let old = trees.layoutLengths[named.id] ?? SupplementaryLengths.none
    var new = old
    new[kind] = length
    if new == old { return }
    for (id, lengths) in trees.layoutLengths.sorted(by: { $0.key < $1.key })
    where try !isLayout(id) {
      try take(.note(.measure(from: lengths, to: .none), layout: id))
    }
    try take(.note(.measure(from: old, to: new), layout: named.id))
  }

  /// - Parameter lengths: The lengths of the section's header and footer, by layout.
  private mutating func remeasure(
    _ section: SectionReference, _ entry: SectionLeaf.Entry,
    to lengths: [Int64: SupplementaryLengths]
  ) throws {
    var remeasured = entry
    remeasured.supplementaryLengths = lengths
    try replace(entry, of: section, by: remeasured)
  }

  /// Removes the lengths that were measured for layouts that no longer exist.
  ///
  /// Removing a layout leaves its lengths: nothing reads them, no other layout gets its ID, and
  /// finding them takes a pass over the items. So each item has at most those of the layouts that
  /// existed when it was last measured. The outcome is part of the resolved operation, and
  /// so the same on every node of a cluster.
  private mutating func removeGarbage(of run: inout ItemLeaf) throws {
    try run.removeLengths { try !isLayout($0) }
  }

  /// Returns a section's options in the stored configuration of a layout.
  private mutating func options(
    of section: SectionReference, in layout: NamedLayout
  ) throws -> SectionOptions {
    let configuration = try configuration(of: layout)
    let style = configuration.styles.isEmpty ? nil : try entry(of: section).style
    return configuration.options(ofSection: section.key, style: style)
  }

  func entry(of section: SectionReference) throws -> SectionLeaf.Entry {
    let place = try trees.sections.place(at: section.index, in: session)
    return place.leaf.entries[place.index]
  }
}
