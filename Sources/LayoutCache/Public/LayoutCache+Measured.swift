import CollectionLayout
import LayoutStore

extension LayoutCache {
  /// Calls `body` with each measured length of a dataset's layouts, as the operation that sets
  /// it: those of layouts' headers and footers, then section by section, those of the header and
  /// footer, then of the items; all of one revision.
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
    try call { _ in
      var measured = MeasuredLengths()
      var pass = try DatasetPass(over: dataset, of: self) { measured = try MeasuredLengths($0, $1) }
      try measured.forEachOperation(in: &pass, body)
    }
  }

  /// Returns the numbers of measured lengths, by layout name.
  ///
  /// - Complexity: As ``forEachMeasuredLength(of:_:)``.
  func measuredLengthCounts(
    in state: DatasetState, _ reader: StoreReader
  ) throws -> [ExactKey: MeasuredLengthCounts] {
    var counts: [ExactKey: MeasuredLengthCounts] = [:]
    var pass = DatasetPass(over: state, from: reader, of: self)
    try MeasuredLengths(state, reader).forEachOperation(in: &pass) { operation in
      switch operation {
      case .prefer(let layout, _, _, _): counts[ExactKey(layout), default: .none].items += 1
      case .preferSupplementary(let layout, .header, _, _),
        .preferSupplementary(let layout, .layoutHeader, _, _):
        counts[ExactKey(layout), default: .none].headers += 1
      case .preferSupplementary(let layout, _, _, _):
        counts[ExactKey(layout), default: .none].footers += 1
      default: assertionFailure("no length is measured by \(operation)")
      }
    }
    return counts
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

  func has(_ kind: LayoutAttributes.SupplementaryKind) -> Bool { configuration.has(kind) }

  func options(of section: SectionLeaf.Entry) -> SectionOptions {
    configuration.options(ofSection: section.key, style: section.style)
  }
}

/// A converter from the measured lengths in a dataset's leaves to batch operations.
private struct MeasuredLengths {
  /// The layouts by identifier. Lengths of deleted layouts are ignored.
  private var layouts: [Int64: MeasuringLayout] = [:]
  /// The lengths of the layouts' headers and footers.
  private var ofLayouts: [Int64: SupplementaryLengths] = [:]

  init() {}

  init(_ state: DatasetState, _ reader: StoreReader) throws {
    ofLayouts = state.trees.layoutLengths
    for row in try reader.layouts(of: state.row.id) {
      layouts[row.id] = MeasuringLayout(row.name, try row.decodedConfiguration(path: reader.path))
    }
  }

  func forEachOperation(
    in pass: inout DatasetPass, _ body: (BatchOperation) throws -> Void
  ) throws {
    if layouts.isEmpty { return }
    for (id, lengths) in ofLayouts.sorted(by: { $0.key < $1.key }) {
      guard let layout = layouts[id] else { continue }
      for kind in [LayoutAttributes.SupplementaryKind.layoutHeader, .layoutFooter] {
        guard let length = lengths[kind], layout.has(kind) else { continue }
        try body(.preferSupplementary(layout: layout.name, kind: kind, section: "", length: length))
      }
    }
    try pass.run { part in
      if part.items.count == 0 { return try forEachOperation(of: part.section, body) }
      try forEachOperation(of: part.items, in: part.section, body)
    }
  }

  private func forEachOperation(
    of section: SectionLeaf.Entry, _ body: (BatchOperation) throws -> Void
  ) rethrows {
    for (id, lengths) in section.supplementaryLengths.sorted(by: { $0.key < $1.key }) {
      guard let layout = layouts[id] else { continue }
      for kind in [LayoutAttributes.SupplementaryKind.header, .footer] {
        guard let length = lengths[kind], layout.options(of: section).has(kind) else { continue }
        try body(
          .preferSupplementary(
            layout: layout.name, kind: kind, section: section.key, length: length))
      }
    }
  }

  private func forEachOperation(
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
