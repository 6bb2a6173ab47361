import CollectionLayout
import LayoutStore
import SumTree

extension LayoutCache {
  /// Calls `body` with each measured length of a dataset's layouts, as the operation that sets
  /// it: section by section, those of the header and footer, then of the items; all of one
  /// revision.
  ///
  /// Applied to a dataset with the same keys and layouts, the operations set the same lengths.
  /// Lengths that no longer have an effect, for example in a section that has become a grid,
  /// are omitted, because they would be rejected.
  ///
  /// - Parameters:
  ///   - dataset: The dataset's name.
  ///   - body: Called with `prefer` and `preferSupplementary` operations.
  /// - Throws: ``LayoutCacheError``: `noSuchDataset`, `database`; errors of `body`.
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

  /// Returns the numbers of measured lengths, by layout name.
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
          try measured.forEachOperation(of: $0, in: entry, body)
        }
        next = range.upperBound
      }
    }
  }
}

/// A layout with measured lengths.
private struct MeasuringLayout {
  let name: String
  private let configuration: LayoutConfiguration

  init(_ name: String, _ configuration: LayoutConfiguration) {
    self.name = name
    self.configuration = configuration
  }

  func options(of section: SectionLeaf.Entry) -> SectionOptions {
    configuration.options(ofSection: section.key, style: section.style)
  }
}

/// A converter from the measured lengths in a dataset's leaves to batch operations.
private struct MeasuredLengths {
  /// The layouts by identifier. Lengths of deleted layouts are ignored.
  private let layouts: [Int64: MeasuringLayout]

  init(_ layouts: [Int64: MeasuringLayout]) { self.layouts = layouts }

  func forEachOperation(
    of section: SectionLeaf.Entry, _ body: (BatchOperation) throws -> Void
  ) rethrows {
    for (id, lengths) in section.supplementaryLengths.sorted(by: { $0.key < $1.key }) {
      guard let layout = layouts[id] else { continue }
      for kind in [LayoutAttributes.SupplementaryKind.header, .footer] {
        guard let length = lengths[kind], layout.options(of: section).has(kind) else {
          continue
        }
        try body(
          .preferSupplementary(
            layout: layout.name, kind: kind, section: section.key, length: length))
      }
    }
  }

  func forEachOperation(
    of run: ItemLeaf, in section: SectionLeaf.Entry, _ body: (BatchOperation) throws -> Void
  ) rethrows {
    for preferred in run.preferredLengths {
      guard let layout = layouts[preferred.layout] else { continue }
      let options = layout.options(of: section)
      guard options.takesPreferredLengths else { continue }
      try body(
        .prefer(
          layout: layout.name, key: run.key(at: preferred.item), length: preferred.length,
          crossLength: options.takesPreferredCrossLengths ? preferred.crossLength : nil))
    }
  }
}

extension LayoutConfiguration {
  /// Whether lengths measured for one of two configurations are valid for the other: they have
  /// the same cross axis and the same container length along it.
  func isMeasuredAlike(_ other: LayoutConfiguration) -> Bool {
    guard scrollDirection == other.scrollDirection else { return false }
    return scrollDirection == .vertical
      ? container.width == other.container.width : container.height == other.container.height
  }
}
