import CollectionLayout
import LayoutGeometry
import LayoutStore

extension DatasetChange {
  /// Attaches, changes or removes a layout, or a named view.
  ///
  /// - Returns: Whether it is new.
  mutating func change(_ change: DefinitionChange) throws -> Bool {
    let dataset = state.row.id
    changesLayouts = true
    switch change {
    case .view(let name, let definition):
      let isNew = try writer.reader.view(named: name, of: dataset) == nil
      if let definition {
        try writer.put(ViewRow(name, of: dataset, DatasetView(encoded: definition)))
      } else {
        try writer.deleteView(named: name, of: dataset)
      }
      return isNew
    case .set(let id, let name, let configuration, let who, let template):
      if let row = try writer.reader.layout(named: name, of: dataset), row.id != id {
        throw ReplicationError.doesNotApply("two layouts have the name '\(excerpt(name))'")
      }
      let present = try writer.reader.layout(id: id)
      var row =
        present
        ?? LayoutRow(
          id: id, dataset: dataset, name: name, configuration: configuration, result: nil)
      guard row.dataset == dataset else {
        throw ReplicationError.doesNotApply("layout \(id) belongs to another dataset")
      }
      let variants = try present.map { try writer.reader.variants(of: $0) } ?? []
      let axis = try present?.responsiveConfiguration(path: writer.reader.path)?.scrollDirection
      row.name = name
      row.configuration = configuration
      row.template = template
      if try row.responsiveConfiguration(path: writer.reader.path) != nil {
        // The result of a layout that fits any width now is one that nothing reads.
        try writer.deletePin(of: id)
        if let result = row.result { try writer.giveBack(.nodes(result.space)) }
        row.result = nil
        state.layouts[id] = nil
      }
      if let present, !hasSameLengths(present, row) { row.lengthsSince = state.revision }
      try put(changed: row)
      try changeVariants(variants, along: axis, of: row)
      if present == nil, try writer.reader.variant(named: name, of: state.row, isFiled: true) != nil
      {
        try writer.put(VariantRow(layout: id, created: now, used: now))
      } else if template == nil,
        present.map({ $0.template != nil || !$0.configuration.isExactly(configuration) }) ?? true
      {
        try writer.append(
          DefinitionRow(layout: id, configuration: configuration, time: now, who: who),
          of: dataset, keeping: Budgets.definitions)
      }
      return present == nil
    case .removed(let id):
      guard let row = try writer.reader.layout(id: id), row.dataset == dataset else {
        throw ReplicationError.doesNotApply("layout \(id) does not exist")
      }
      for row in try writer.reader.variants(of: row) + [row] { try delete(row) }
      return false
    }
  }

  /// Returns whether lengths measured for a layout count for its new configuration too.
  private func hasSameLengths(_ old: LayoutRow, _ new: LayoutRow) -> Bool {
    let path = writer.reader.path
    // The container of a damaged configuration, or one of an unknown kind, is unknown.
    guard let before = try? old.decodedConfiguration(path: path, kinds: kinds),
      let after = try? new.decodedConfiguration(path: path, kinds: kinds)
    else { return true }
    return after.keepsMeasuredLengths || before.isMeasuredAlike(after)
  }

  private mutating func put(changed row: LayoutRow) throws {
    // The active layout retains its result, whichever configuration that was computed with.
    state.layouts[row.id]?.row.name = row.name
    state.layouts[row.id]?.row.configuration = row.configuration
    state.layouts[row.id]?.row.template = row.template
    state.layouts[row.id]?.row.lengthsSince = row.lengthsSince
    try writer.put(row)
  }

  private mutating func delete(_ row: LayoutRow) throws {
    state.layouts[row.id] = nil
    try writer.delete(row)
  }

  /// Gives the variants of a responsive layout its new name and configuration. Those of sizes
  /// that it no longer has, or along another axis than before, are dropped.
  ///
  /// The outcome follows from the rows alone, so it is the same on every node of a cluster.
  private mutating func changeVariants(
    _ variants: [LayoutRow], along axis: Axis?, of layout: LayoutRow
  ) throws {
    let path = writer.reader.path
    let configuration = try layout.responsiveConfiguration(path: path)
    for var row in variants {
      guard let configuration, configuration.scrollDirection == axis,
        let size = row.variantSize(in: configuration)
      else {
        try delete(row)
        continue
      }
      row.name = "\(layout.name)@\(configuration.text(of: size))"
      row.configuration = try ConfigurationText.encode(configuration.configuration(of: size))
      try put(changed: row)
    }
  }

  /// Records that the present result of a layout begins at the present revision.
  ///
  /// The result continues from the previous one if that has columns that do not follow from the
  /// items. All others are the same when laid out from scratch.
  func put(_ pin: SharedPin) throws {
    guard let row = try writer.reader.layout(id: pin.layout), row.dataset == state.row.id else {
      throw ReplicationError.doesNotApply("layout \(pin.layout) does not exist")
    }
    try writer.put(
      PinRow(
        layout: row.id, dataset: row.dataset, revision: state.revision,
        configuration: row.configuration, incarnation: HistoryNumber(rawValue: pin.incarnation),
        earlier: pin.isFromScratch
          ? nil : writer.reader.pinOfHistory(of: row, kinds: kinds)?.incarnation))
  }

  /// Deletes the pins of the layouts whose results a batch discards.
  func deletePins(endedBy batch: LoggedBatch) throws {
    if batch.kind == .build { try writer.deletePins(in: state.row.id) }
    for case .note(.everything, let layout) in batch.operations {
      try writer.deletePin(of: layout)
    }
  }
}

extension StoreReader {
  /// Returns the pin of a layout if its result has columns that do not follow from the items.
  func pinOfHistory(of layout: LayoutRow, kinds: CustomKinds) throws -> PinRow? {
    guard let pin = try pin(of: layout.id) else { return nil }
    return try layout.plan(of: pin.configuration, self, kinds: kinds).hasHistory ? pin : nil
  }
}
