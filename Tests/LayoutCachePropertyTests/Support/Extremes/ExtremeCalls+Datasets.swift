import CollectionLayout
import LayoutCache
import LayoutGeometry

extension ExtremeCall {
  static let datasets = [
    ExtremeCall("LayoutCache.changes(of:since:layout:in:direction:)") {
      let revision = $1.whole(1)
      _ = try $0.cache.changes(of: $0.layout.dataset, since: revision)
      _ = try $0.cache.changes(
        of: $0.layout.dataset, since: revision, layout: $0.layout.layout, in: $1.rect())
    },
    ExtremeCall("LayoutCache.commits(of:layouts:after:incarnation:queueCountMax:)") {
      let commits = try await $0.cache.commits(
        of: $0.layout.dataset, layouts: [$0.layout.layout], after: $1.whole(1),
        queueCountMax: $1.whole(256))
      _ = commits.revision
    },
    ExtremeCall("LayoutCache.inspect(dataset:sectionLimit:countingMeasured:)") {
      _ = try $0.cache.inspect(dataset: $0.layout.dataset, sectionLimit: $1.whole(20))
    },
    ExtremeCall("LayoutCache.datasets(prefix:after:limit:)") {
      _ = try $0.cache.datasets(limit: $1.whole(1))
    },
    ExtremeCall("LayoutCache.templates(after:limit:)") {
      _ = try $0.cache.templates(limit: $1.whole(1))
    },
    ExtremeCall("LayoutCache.layouts(of:after:limit:)") {
      _ = try $0.cache.layouts(of: $0.layout.dataset, limit: $1.whole(1))
    },
    ExtremeCall("LayoutCache.log(of:limit:before:)") {
      let limit = $1.whole(20)
      _ = try $0.cache.log(of: $0.layout.dataset, limit: limit)
      _ = try $0.cache.log(of: $0.layout.dataset, limit: limit, before: $1.whole(2))
    },
    ExtremeCall("LayoutCache.item(at:of:)") {
      _ = try $0.cache.item(at: $1.indexPath(), of: $0.layout.dataset)
    },
    ExtremeCall("LayoutCache.keys(in:of:)") {
      let (one, other) = ($1.indexPath(), $1.indexPath())
      _ = try $0.cache.keys(in: min(one, other)..<max(one, other), of: $0.layout.dataset)
    },
    ExtremeCall("LayoutCache.forEachPage(of:in:showing:withData:scrolledTo:direction:freshness:_:)")
    {
      let queries: [ElementsQuery] = [
        .rect($1.rect(), visible: $1.rect(), limit: $1.whole(5)),
        .items(from: .indexPath($1.indexPath()), count: $1.whole(3)),
      ]
      let views: [DatasetView?] = [nil, try DatasetView(where: "width > \($1.whole(3))")]
      for (query, view) in zip(queries + queries, views + views.reversed()) {
        try $0.cache.forEachPage(of: query, in: $0.layout, showing: view) { _, _, _ in }
      }
    },
    ExtremeCall("LayoutCache.read(_:since:_:)", "LayoutCache.read(from:since:to:_:)") {
      let (revision, rect) = ($1.whole(1), $1.rect())
      try $0.cache.read($0.layout, since: revision) { before, present in
        _ = try before?.transition(to: present, in: rect)
      }
      try $0.cache.read(from: $0.layout, since: revision, to: "wide") { first, last in
        _ = try first.map { try last.contentOffset(keeping: rect, of: $0) }
      }
    },
    ExtremeCall(
      """
      LayoutCache.init(path:options:sectionLayouts:waterfallLayouts:snapRules:appearanceRules:\
      effects:decorators:logger:executor:)
      """,
      """
      LayoutCache.temporary(options:sectionLayouts:waterfallLayouts:snapRules:appearanceRules:\
      effects:decorators:logger:executor:)
      """,
      "LayoutCacheOptions.busyTimeout", "LayoutCacheOptions.nodeCacheBytes",
      "LayoutCacheOptions.importBytes", "LayoutCacheOptions.threadCountMax",
      "Importer.add(_:section:style:line:)"
    ) { _, numbers in
      var options = LayoutCacheOptions()
      options.busyTimeout = numbers.double(5)
      options.nodeCacheBytes = numbers.whole(1 << 20)
      options.importBytes = numbers.whole(1 << 20)
      options.threadCountMax = numbers.whole(2)
      let line = numbers.whole(3)
      let cache = try LayoutCache.temporary(options: options)
      for rule in [DuplicateRows.update, .skip, .fail] {
        let dataset = rule == .fail ? "b" : "a\(rule)"
        do {
          _ = try cache.importItems(into: dataset, mode: .create, onDuplicate: rule) { importer in
            for key in ["x", "y", "x"] {
              try importer.add(Item(key: key, width: 1, height: 1), line: line)
              try importer.add(UpsertedItem(key: key + "2", width: 1, height: 1), line: line)
            }
          }
        } catch let error as LayoutCacheError {
          guard rule == .fail, case .duplicateKey = error.code else { throw error }
        }
      }
      _ = try await cache.perform { try $0.datasets() }
    },
  ]

  static let changes =
    [
      ExtremeCall(
        "LayoutCache.update(_:toMatch:missing:visible:anchor:direction:preparing:expecting:)",
        "MatchedSection.init(key:style:items:)"
      ) { place, numbers in
        let new = try Item(key: "new", width: 10, height: 10)
        let revision = try place.cache.dataset(place.layout.dataset).revision
        let commit = try place.cache.update(
          place.layout.dataset, toMatch: [MatchedSection(key: "t", items: [new])],
          visible: numbers.rect(), expecting: numbers.whole(revision))
        if commit.revision > revision { try place.cache.undo(place.layout.dataset) }
      },
      ExtremeCall("MeasuredLength.init(key:length:crossLength:)") { place, numbers in
        guard place.hasItems else { return }
        try update(
          place, numbers,
          [
            .preferLengths(
              layout: place.layout.layout,
              [
                MeasuredLength(
                  key: "a-1", length: numbers.length(640), crossLength: numbers.length(640))
              ], missing: .ignore)
          ])
      },
      ExtremeCall("LayoutCache.update(_:with:visible:anchor:direction:preparing:expecting:)") {
        place, numbers in
        let new = try Item(key: "new", width: 10, height: 10)
        try update(
          place, numbers,
          [
            .insertSection(key: "t", index: numbers.whole(0)),
            .insert([new], at: .index(numbers.whole(0), section: "t")),
            .moveSection(key: "t", index: numbers.whole(0)), .deleteSection(key: "t"),
          ])
      },
      ExtremeCall("LayoutCache.performUpdate(_:with:visible:anchor:direction:preparing:expecting:)")
      {
        place, numbers in
        let visible = numbers.rect()
        let revision = try place.cache.dataset(place.layout.dataset).revision
        try await place.cache.performUpdate(
          place.layout.dataset,
          with: [.move(key: "a-1", to: .index(numbers.whole(1), section: "a"))],
          visible: visible, expecting: numbers.whole(revision))
      },
      ExtremeCall { place, numbers in
        try update(place, numbers, [.move(key: "a-1", to: .index(numbers.whole(1), section: "b"))])
        try update(place, numbers, [.move(key: "a-1", to: .index(numbers.whole(1), section: "a"))])
      },
      ExtremeCall { place, numbers in
        let size = Size(width: numbers.length(), height: numbers.length(1280))
        try update(place, numbers, [.resize(key: "a-2", size: size, columnSpan: numbers.whole(1))])
        let item = try UpsertedItem(
          key: "b-3", width: numbers.double(20), height: numbers.double(30),
          columnSpan: numbers.whole(1))
        try update(place, numbers, [.upsert([item], section: "a", moving: true)])
      },
      ExtremeCall { place, numbers in
        let layout = place.layout.layout
        try update(
          place, numbers,
          [
            .preferSupplementary(
              layout: layout, kind: .header, section: "a", length: numbers.length()),
            .preferSupplementary(
              layout: layout, kind: .layoutHeader, section: "", length: numbers.length()),
          ])
        try update(place, numbers, [.prefer(layout: layout, key: "a-3", length: numbers.length())])
        try update(
          place, numbers,
          [
            .prefer(
              layout: layout, key: "a-3", length: numbers.length(), crossLength: numbers.length())
          ])
      },
      ExtremeCall(
        "LayoutSnapshot.preview(_:configuration:visible:anchor:)",
        "LayoutSnapshot.preview(undoTo:configuration:visible:anchor:)"
      ) { place, numbers in
        let size = Size(width: numbers.length(), height: numbers.length(1280))
        let operations: [BatchOperation] =
          place.hasItems ? [.resize(key: "a-2", size: size, columnSpan: numbers.whole(1))] : []
        let (rect, visible) = (numbers.rect(), numbers.rect())
        var preview = try place.snapshot.preview(operations, visible: visible)
        _ = try preview.snapshot.elements(in: rect)
        var configuration = try place.cache.layout(place.layout).configuration
        state(&configuration, numbers)
        preview = try place.snapshot.preview([], configuration: configuration, visible: visible)
        _ = try preview.snapshot.elements(in: rect)
        preview = try place.snapshot.preview(
          undoTo: numbers.whole(place.snapshot.revision), visible: visible)
        _ = try preview.snapshot.elements(in: rect)
      },
      ExtremeCall("LayoutCache.undo(_:to:visible:anchor:direction:preparing:expecting:)") {
        place, numbers in
        let revision = try place.cache.dataset(place.layout.dataset).revision
        try place.cache.undo(
          place.layout.dataset, to: numbers.whole(revision - 1), visible: numbers.rect(),
          expecting: numbers.whole(revision))
      },
      ExtremeCall(
        "LayoutCache.renameDataset(_:to:expecting:)", "LayoutCache.removeDataset(_:expecting:)",
        "LayoutCache.sortDataset(_:by:expecting:)"
      ) { place, numbers in
        try place.cache.createDataset("extreme")
        let order = DatasetOrder([.init(by: "a")])
        _ = try? place.cache.sortDataset("extreme", by: order, expecting: numbers.whole(1))
        defer { for name in ["extreme", "renamed"] { try? place.cache.removeDataset(name) } }
        try place.cache.renameDataset("extreme", to: "renamed", expecting: numbers.whole(1))
        try place.cache.removeDataset("renamed", expecting: numbers.whole(1))
      },
      ExtremeCall(
        "LayoutCache.setLayout(_:to:)", "ConfigurationText.encode(_:)",
        "LayoutTemplate.init(_:datasets:layout:configuration:)"
      ) {
        place, numbers in
        var configuration = try place.cache.layout(place.layout).configuration
        state(&configuration, numbers)
        let layout = LayoutID("extreme", of: place.layout.dataset)
        _ = try? ConfigurationText.encode(configuration)
        _ = try? place.cache.setTemplate(
          LayoutTemplate("t", datasets: "none", layout: "t", configuration: configuration))
        try place.cache.setLayout(layout, to: configuration)
        try query(layout, place)
      },
    ]

  private static func update(
    _ place: ExtremePlace, _ numbers: ExtremeNumbers, _ operations: [BatchOperation]
  ) throws {
    let revision = try place.cache.dataset(place.layout.dataset).revision
    do {
      try place.cache.update(
        place.layout.dataset, with: operations, visible: numbers.rect(),
        expecting: numbers.whole(revision))
    } catch let error as LayoutCacheError {
      // The call has more numbers to test.
      switch error.code {
      case .refused, .revisionMismatch: break
      default: throw error
      }
    }
  }

  /// Queries a layout whose configuration was accepted.
  static func query(_ layout: LayoutID, _ place: ExtremePlace) throws {
    try place.cache.read(layout) { snapshot in
      let size = snapshot.contentSize
      _ = try snapshot.elements(in: Rect(origin: .zero, size: size))
      _ = try snapshot.targetContentOffset(
        forProposed: Point(x: 1, y: 1), velocity: ScrollVelocity(x: 1, y: 1))
      if place.hasItems { _ = try snapshot.attributes(forKey: "b-3") }
    }
  }

  /// Sets each number of a configuration, including those of other kinds.
  private static func state(_ configuration: inout LayoutConfiguration, _ numbers: ExtremeNumbers) {
    configuration.container.width = numbers.length(12_800)
    configuration.container.height = numbers.length(9600)
    configuration.sectionSpacing = .fixed(numbers.length(64))
    configuration.header = .init(length: .fixed(numbers.length(64)), pins: true)
    for member in [
      \.minimumColumnWidth, \.minimumLength, \.maximumLength, \.tolerance, \.maximumSkew,
      \.lineLength, \.maximumRowLength,
    ] as [WritableKeyPath<SectionOptions, Length?>] {
      // A missing member stays missing, unless the number is an extreme.
      let usual: Int64 = -12_345
      let length = numbers.length(configuration.section[keyPath: member]?.units ?? usual)
      if length.units != usual { configuration.section[keyPath: member] = length }
    }
    for member in [
      \.header, \.columnSpacing, \.lineSpacing, \.minimumInteritemSpacing,
      \.minimumLineSpacing, \.targetRowLength, \.spacing,
    ] as [WritableKeyPath<SectionOptions, ContainerLength?>] {
      let usual: Int64 = -12_345
      var stated = usual
      if case .fixed(let length)? = configuration.section[keyPath: member] { stated = length.units }
      let length = numbers.length(stated)
      if length.units != usual { configuration.section[keyPath: member] = .fixed(length) }
    }
    configuration.section.footer = .fraction(numbers.double(0.1), minus: numbers.length(64))
    if case .equal(let count)? = configuration.section.columns {
      configuration.section.columns = .equal(numbers.whole(count))
    }
    let inset = configuration.section.inset ?? .zero
    func side(_ side: ContainerLength) -> ContainerLength {
      guard case .fixed(let length) = side else { return side }
      return .fixed(numbers.length(length.units))
    }
    configuration.section.inset = ContainerInsets(
      top: side(inset.top), left: side(inset.left), bottom: side(inset.bottom),
      right: side(inset.right))
    let cover = ContainerInsets(top: side(0), left: side(0), bottom: side(0), right: side(0))
    configuration.section.background = SectionOptions.Background(
      kind: "card", inset: cover, zIndex: numbers.whole(-1))
    configuration.section.badges = [
      SectionOptions.Badge(
        kind: "dot", size: Size(width: numbers.length(640), height: numbers.length(640)),
        offset: Point(x: numbers.length(0), y: numbers.length(0)))
    ]
    configuration.section.decorations = [
      SectionOptions.Decoration(
        kind: "rule", place: .separator(length: numbers.length(64)), zIndex: numbers.whole(0))
    ]
    if configuration.section.kind == .grid {
      configuration.section.decorations?.append(
        SectionOptions.Decoration(kind: "row", place: .run(count: numbers.whole(3))))
    }
    configuration.snap = .positions([numbers.length(0), numbers.length(64)])
    switch configuration.section.kind {
    case .waterfall?: configuration.section.itemLength = .fixed(numbers.length())
    case .grid?: configuration.section.rowLength = .fixed(numbers.length(9600))
    case .carousel?:
      configuration.section.itemLength = .fixed(numbers.length())
      configuration.section.itemWidth = .fraction(numbers.double(), peek: numbers.length(0))
      configuration.section.spacing = .fixed(numbers.length(0))
    case .circle?:
      configuration.section.itemSize = .fixed(
        Size(width: numbers.length(640), height: numbers.length(640)))
    case .flow?:
      if case .fixed? = configuration.section.itemSize {
        configuration.section.itemSize = .fixed(
          Size(width: numbers.length(640), height: numbers.length(640)))
      }
    default: break
    }
    if case .custom? = configuration.section.kind, let options = configuration.section.options {
      // An option that no kind reads, because custom kinds may trap on their options.
      configuration.section.options = options.merging(["extra": .number(numbers.double())]) { $1 }
    }
    switch configuration.effect {
    case .scale?: configuration.effect = .scale(maximumScale: numbers.double(1.3))
    case .rotary?: configuration.effect = .rotary(maximumAngle: numbers.double(60))
    default: break
    }
  }
}
