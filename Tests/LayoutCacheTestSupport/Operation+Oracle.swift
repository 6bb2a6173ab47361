package import LayoutCache
import LayoutGeometry
package import TestSupport

extension BatchOperation {
  /// Converts the oracle's operation on a dataset.
  package init(_ operation: OracleDataset.Operation, in dataset: OracleDataset) throws {
    try self.init(operation.operation, layout: dataset.layouts[operation.layout].name)
  }

  /// Converts the oracle's operation, for a layout.
  package init(_ operation: OracleOperation, layout: String = "layout") throws {
    switch operation {
    case .insert(let items, let destination):
      self = .insert(try items.map { try Item($0) }, at: ItemDestination(destination))
    case .delete(let keys, let ignoresMissing):
      self = .delete(keys: keys, missing: ignoresMissing ? .ignore : .fail)
    case .upsert(let items, let section, let moving):
      self = .upsert(
        try items.map {
          try UpsertedItem(
            key: $0.key, width: $0.width, height: $0.height, columnSpan: $0.span,
            visibility: $0.visibility.map { ItemVisibility($0) })
        }, section: section, moving: moving)
    case .move(let key, let destination):
      self = .move(key: key, to: ItemDestination(destination))
    case .resize(let key, let width, let height, let span):
      self = .resize(
        key: key,
        size: Size(width: Length(points: width) ?? .zero, height: Length(points: height) ?? .zero),
        columnSpan: span)
    case .hide(let keys, let visibility):
      self = .hide(keys: keys, ItemVisibility(visibility))
    case .prefer(let key, let length, let crossLength):
      self = .prefer(
        layout: layout, key: key, length: length.map { Length(units: $0) },
        crossLength: crossLength.map { Length(units: $0) })
    case .preferLengths(let lengths, let ignoresMissing):
      self = .preferLengths(
        layout: layout,
        lengths.map {
          MeasuredLength(
            key: $0.key, length: $0.length.map { Length(units: $0) },
            crossLength: $0.crossLength.map { Length(units: $0) })
        }, missing: ignoresMissing ? .ignore : .fail)
    case .resetLengths: self = .resetLengths(layout: layout)
    case .preferSupplementary(let isHeader, let section, let length):
      self = .preferSupplementary(
        layout: layout, kind: isHeader ? .header : .footer, section: section,
        length: length.map { Length(units: $0) })
    case .preferLayout(let isHeader, let length):
      self = .preferSupplementary(
        layout: layout, kind: isHeader ? .layoutHeader : .layoutFooter, section: "",
        length: length.map { Length(units: $0) })
    case .insertSection(let key, let index, let style):
      self = .insertSection(key: key, index: index, style: style)
    case .style(let section, let style):
      self = .style(section: section, style: style)
    case .deleteSection(let key, let ignoresMissing):
      self = .deleteSection(key: key, missing: ignoresMissing ? .ignore : .fail)
    case .moveSection(let key, let index):
      self = .moveSection(key: key, index: index)
    case .invalidate(let items, let sections, let everything):
      self = .invalidate(layout: layout, items: items, sections: sections, everything: everything)
    case .invalidateElements(let kinds, let sections):
      self = .invalidateElements(layout: layout, kinds: kinds, sections: sections)
    case .rebalance(let section, let key):
      self = .rebalance(layout: layout, section: section, from: key)
    case .continueRebalance:
      preconditionFailure("not an operation of a batch: see LayoutCache.finishRebalancing")
    }
  }
}

extension ItemVisibility {
  package init(_ visibility: OracleVisibility) {
    switch visibility {
    case .shown: self = .shown
    case .hidden: self = .hidden
    case .collapsed: self = .collapsed
    }
  }
}

extension ItemDestination {
  package init(_ destination: OracleDestination) {
    switch destination {
    case .end(let section): self = .end(section: section)
    case .index(let index, let section): self = .index(index, section: section)
    case .before(let key): self = .before(key)
    case .after(let key): self = .after(key)
    }
  }
}
