import CollectionLayout
import LayoutStore
import SumTree

extension LayoutCache {
  /// Calls `body` with each length that was measured for a dataset's layouts, as the operation
  /// that states it: those of a section's header and footer, then of its items, section by
  /// section; all of one revision.
  ///
  /// Carried out on a dataset with these keys and layouts, they give it the same lengths. Those
  /// that have no effect any more, as where a section has become a grid, would be refused, and
  /// are left out.
  ///
  /// - Parameters:
  ///   - dataset: The dataset's name.
  ///   - body: Takes `prefer` and `preferSupplementary`.
  /// - Throws: ``LayoutCacheError``: `noSuchDataset`, `database`; what `body` throws.
  /// - Complexity: O(items) in constant memory.
  public func forEachMeasuredLength(
    of dataset: String, _ body: (BatchOperation) throws -> Void
  ) throws {
    try mappingErrors(path) {
      try store.read { reader in
        try forEachMeasuredLength(in: current(dataset, reader: reader), reader, body)
      }
    }
  }

  /// How many lengths were measured, by the layout's name.
  ///
  /// - Complexity: As ``forEachMeasuredLength(of:_:)``.
  func measuredLengthCounts(
    in state: DatasetState, _ reader: StoreReader
  ) throws -> [ExactKey: MeasuredLengthCounts] {
    var counts: [ExactKey: MeasuredLengthCounts] = [:]
    try forEachMeasuredLength(in: state, reader) { operation in
      switch operation {
      case .prefer(let layout, _, _, _): counts[ExactKey(layout), default: .none].items += 1
      case .preferSupplementary(let layout, .header, _, _):
        counts[ExactKey(layout), default: .none].headers += 1
      case .preferSupplementary(let layout, _, _, _):
        counts[ExactKey(layout), default: .none].footers += 1
      default: assertionFailure("no length is measured by \(operation)")
      }
    }
    return counts
  }

  private func forEachMeasuredLength(
    in state: DatasetState, _ reader: StoreReader, _ body: (BatchOperation) throws -> Void
  ) throws {
    let layouts = try reader.layouts(of: state.row.id).map { row in
      (row.id, MeasuringLayout(row.name, try row.decodedConfiguration(path: path)))
    }
    if layouts.isEmpty { return }
    let measured = MeasuredLengths(Dictionary(uniqueKeysWithValues: layouts))
    let session = TreeSession(reader, keepsNodes: false)
    var next = 0
    try state.trees.sections.forEachLeaf(in: session) { leaf, _ in
      for entry in leaf.entries {
        try measured.forEachOperation(of: entry, body)
        let range = next..<(next + entry.itemCount)
        try state.trees.items.forEachRun(of: range, in: session) {
          try measured.forEachOperation(of: $0, inSection: entry.key, body)
        }
        next = range.upperBound
      }
    }
  }
}

/// A layout that lengths were measured for.
private struct MeasuringLayout {
  let name: String
  private let configuration: LayoutConfiguration

  init(_ name: String, _ configuration: LayoutConfiguration) {
    self.name = name
    self.configuration = configuration
  }

  func options(ofSection key: String) -> SectionOptions { configuration.options(ofSection: key) }
}

/// The lengths that are in a dataset's leaves, in the words of a batch.
private struct MeasuredLengths {
  /// By their ids. Those of a layout that is gone are of no use to anybody.
  private let layouts: [Int64: MeasuringLayout]

  init(_ layouts: [Int64: MeasuringLayout]) { self.layouts = layouts }

  func forEachOperation(
    of section: SectionLeaf.Entry, _ body: (BatchOperation) throws -> Void
  ) rethrows {
    for (id, lengths) in section.supplementaryLengths.sorted(by: { $0.key < $1.key }) {
      guard let layout = layouts[id] else { continue }
      for kind in [LayoutAttributes.SupplementaryKind.header, .footer] {
        guard let length = lengths[kind], layout.options(ofSection: section.key).has(kind) else {
          continue
        }
        try body(
          .preferSupplementary(
            layout: layout.name, kind: kind, section: section.key, length: length))
      }
    }
  }

  func forEachOperation(
    of run: ItemLeaf, inSection key: String, _ body: (BatchOperation) throws -> Void
  ) rethrows {
    for preferred in run.preferredLengths {
      guard let layout = layouts[preferred.layout] else { continue }
      let options = layout.options(ofSection: key)
      guard options.takesPreferredLengths else { continue }
      try body(
        .prefer(
          layout: layout.name, key: run.key(at: preferred.item), length: preferred.length,
          crossLength: options.takesPreferredCrossLengths ? preferred.crossLength : nil))
    }
  }
}
