import CollectionLayout
import LayoutGeometry
import SumTree

// Lengths measured by a client.

extension OperationResolver {
  /// Sets measured lengths of items; if entries have the same key, the last one is used.
  ///
  /// - Complexity: O(entries), plus a lookup for each that is not a neighbour of the previous
  ///   one.
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
    let measured = try trees.measured(in: id, session)
    for section in measured.sections {
      for kind in [LayoutAttributes.SupplementaryKind.header, .footer] {
        guard let length = try entry(of: section).measured(in: id)[kind] else { continue }
        try take(
          .changeSupplementary(
            kind, section: section, layout: id, length: nil, previous: length))
      }
    }
    for number in measured.items {
      guard let place = try trees.place(ofItem: number, in: session) else { continue }
      let item = ItemPosition(section: place.section, index: place.item, number: number)
      var run = try finder.run(at: item, in: trees, session)
      let previous = run
      run.prefer(nil, at: 0, layout: id)
      try take(
        .changeItem(
          run, index: item.index, section: item.section, layout: id, previous: previous))
    }
    if measured.items.count > Budgets.followedLengths { try take(.everything(layout: id)) }
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
        throw OperationError.Reason.takesNoLength(key, kind: kind, layout: layout)
      }
      guard crossLength == nil || options.takesPreferredCrossLengths else {
        throw OperationError.Reason.takesNoCrossLength(key, kind: kind, layout: layout)
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
    try take(
      .changeItem(
        run, index: place.index, section: place.section, layout: named.id, previous: previous))
  }

  mutating func prefer(
    _ length: Length?, _ kind: LayoutAttributes.SupplementaryKind, section key: String,
    layout: String
  ) throws {
    let named = try self.layout(layout)
    let section = try section(key)
    if let length {
      try within(nil) { try Limits.check(naturalSide: length, as: "length") }
      guard try options(of: section, in: named).has(kind) else {
        throw OperationError.Reason.noSupplementary(kind, section: key, layout: layout)
      }
    }
    let entry = try entry(of: section)
    let previous = entry.measured(in: named.id)[kind]
    if previous == length { return }
    try reset(entry.supplementaryLengths.filter { try !isLayout($0.key) }, of: section)
    try take(
      .changeSupplementary(
        kind, section: section, layout: named.id, length: length, previous: previous))
  }

  /// Removes the measured lengths of a section to be deleted, so that the log contains them.
  mutating func takeBackLengths(of section: SectionReference) throws {
    try reset(entry(of: section).supplementaryLengths, of: section)
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

  /// Removes measured lengths of a section's header and footer.
  private mutating func reset(
    _ measured: [Int64: SupplementaryLengths], of section: SectionReference
  ) throws {
    for (layout, lengths) in measured.sorted(by: { $0.key < $1.key }) {
      for kind in [LayoutAttributes.SupplementaryKind.header, .footer] {
        guard let length = lengths[kind] else { continue }
        try take(
          .changeSupplementary(
            kind, section: section, layout: layout, length: nil, previous: length))
      }
    }
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
