package import CollectionLayout
package import LayoutCache
package import LayoutGeometry
package import TestSupport

/// A separate database with one dataset, "feed", and one layout, "layout".
package struct TestFeed {
  package let directory: TemporaryDirectory
  package let cache: LayoutCache

  package init(
    _ sections: [OracleSection], configuration: String? = nil,
    options: LayoutCacheOptions = LayoutCacheOptions(),
    kinds: [any SectionLayout.Type] = TestKinds.all
  ) throws {
    directory = try TemporaryDirectory()
    cache = try LayoutCache(
      path: directory.path(of: "feed.sqlite"), options: options, sectionLayouts: kinds)
    try importItems(sections)
    if let configuration { try set(configuration) }
  }

  package var path: String { directory.path(of: "feed.sqlite") }

  @discardableResult
  package func importItems(
    _ sections: [OracleSection], mode: ImportMode = .create
  ) throws -> ImportSummary {
    try cache.importItems(into: "feed", mode: mode) { importer in
      for section in sections { try importer.addSection(section.key, style: section.style) }
      for section in sections {
        for item in section.items { try importer.add(Item(item), section: section.key) }
      }
    }
  }

  package func set(_ configuration: String) throws {
    try cache.setLayout(LayoutID("layout", of: "feed"), to: ConfigurationText.decode(configuration))
  }

  package func read<R>(_ body: (LayoutSnapshot) throws -> R) throws -> R {
    try cache.read(LayoutID("layout", of: "feed"), body)
  }
}

extension LayoutCacheOptions {
  /// The default sizes of nodes, or tiny ones, with which trees of few items are deep.
  package static func randomShapes(using generator: inout SeededGenerator) -> LayoutCacheOptions {
    var options = LayoutCacheOptions()
    if generator.oneIn(2) { options.treeShapes = .tiny }
    return options
  }
}

extension RebalanceRules {
  /// The oracle's sections.
  package init(_ feed: OracleFeed) {
    self.init(instalment: feed.instalment, batchMax: feed.placedAgainMax)
  }
}

extension Item {
  package init(_ item: OracleItem) throws {
    try self.init(
      key: item.key, width: item.width, height: item.height, columnSpan: item.span,
      visibility: ItemVisibility(item.visibility))
  }
}

extension OracleSection {
  /// A section of items with keys `<key>-0`, `<key>-1` … and natural sizes in points.
  package init(_ key: String, sizes: [(Double, Double)], span: Int = 1) {
    self.init(
      key: key,
      items: sizes.enumerated().map {
        OracleItem(key: "\(key)-\($0)", width: $1.0, height: $1.1, span: span)
      })
  }
}

extension OracleElement {
  /// The engine's answer as elements of the oracle.
  package init(_ attributes: LayoutAttributes) {
    let frame = UnitRect(attributes.frame)
    let (category, kind, key): (Category, String?, String?) =
      switch attributes.category {
      case .cell(let key): (.cell, nil, key)
      case .supplementary(let kind): (.supplementary, kind.rawValue, nil)
      case .decoration(let kind): (.decoration, kind, nil)
      }
    self.init(
      category: category, kind: kind, key: key, section: attributes.indexPath.section,
      sectionKey: attributes.sectionKey, item: attributes.indexPath.item, frame: frame,
      zIndex: attributes.zIndex, column: attributes.column)
    alpha = attributes.alpha
    isHidden = attributes.isHidden
    let m = attributes.transform3D
    if !attributes.values.isEmpty { values = ConfigurationValue.object(attributes.values).json }
    if !m.isIdentity {
      untransformed = UnitRect(attributes.untransformedFrame)
      transform3D = [
        m.m11, m.m12, m.m13, m.m14, m.m21, m.m22, m.m23, m.m24, m.m31, m.m32, m.m33, m.m34,
        m.m41, m.m42, m.m43, m.m44,
      ]
    }
  }
}

extension Rect {
  package init(_ rect: UnitRect) {
    self.init(
      x: Length(units: rect.x), y: Length(units: rect.y), width: Length(units: rect.width),
      height: Length(units: rect.height))
  }
}

extension TestFeed {
  /// A section of three items, with lengths 10, 20 and 30, by default in a stack.
  package static func stack(
    _ configuration: String = #"{"container":{"width":300},"section":{"kind":"stack"}}"#
  ) throws -> TestFeed {
    try TestFeed(
      [OracleSection("s", sizes: [(5, 10), (5, 20), (5, 30)])], configuration: configuration)
  }
}

extension LayoutCache {
  /// The frames of all elements of a layout of the dataset "feed".
  package func frames(of layout: String = "layout") throws -> [Rect] {
    try read(LayoutID(layout, of: "feed")) { snapshot in
      try snapshot.elements(in: Rect(origin: .zero, size: snapshot.contentSize)).elements
        .map(\.frame)
    }
  }
}
