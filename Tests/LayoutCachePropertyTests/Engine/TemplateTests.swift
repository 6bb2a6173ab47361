import CollectionLayout
import LayoutCache
import LayoutGeometry
import TestSupport
import Testing

/// Templates against a list of them: whichever calls change templates, layouts and datasets, through
/// whichever cache, each dataset has the layouts that the list demands, and lays them out.
@Suite struct TemplateTests {
  private struct Definition: Equatable {
    var template: String?
    /// The length of the layout's header.
    var header: Int
    var isResponsive = false
  }

  private struct Model {
    var templates: [String: (datasets: String, layout: String, definition: Definition)] = [:]
    /// The layouts that datasets have themselves, by dataset.
    var own: [String: [String: Definition]] = [:]

    func winner(_ layout: String, of dataset: String) -> Definition? {
      if let definition = own[dataset]?[layout] { return definition }
      func rank(_ pattern: String) -> Int {
        pattern.hasSuffix("*") ? pattern.count : 1000 + pattern.count
      }
      return templates.values.filter { template in
        template.layout == layout
          && (template.datasets.hasSuffix("*")
            ? dataset.hasPrefix(template.datasets.dropLast()) : dataset == template.datasets)
      }.max { rank($0.datasets) < rank($1.datasets) }?.definition
    }
  }

  private static let layouts = ["phone", "wall", "any"]

  private func configuration(_ definition: Definition) throws -> LayoutConfiguration {
    let container = definition.isResponsive ? #"{"widths":{}}"# : #"{"width":200}"#
    return try ConfigurationText.decode(
      #"{"container":\#(container),"header":{"length":\#(definition.header)},"section":{"columns":1}}"#
    )
  }

  @Test(arguments: PropertyRun.seeds)
  func everyDatasetHasTheLayoutsThatTemplatesDemand(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    let directory = try TemporaryDirectory()
    let caches = try (0..<2).map { _ in try LayoutCache(path: directory.path(of: "feeds.sqlite")) }
    var model = Model()
    let patterns = ["*", "a*", "album-*", "album-1*", "album-1", "album-12", "b"]
    let names = ["a", "album-1", "album-12", "album-2", "b", "c"]
    var header = 0
    for step in 0..<60 {
      let cache = caches.randomElement(using: &generator)!
      let dataset = names.randomElement(using: &generator)!
      let layout = Self.layouts.randomElement(using: &generator)!
      header += 1
      var new = Definition(header: header, isResponsive: layout == "any")
      switch Int.random(in: 0..<9, using: &generator) {
      case 0 where model.own[dataset] == nil:
        _ = try cache.importItems(into: dataset, mode: .create) { importer in
          for number in 0..<3 {
            try importer.add(Item(key: "k\(number)", width: 4, height: 3), section: "s")
          }
        }
        model.own[dataset] = [:]
      case 1 where model.own[dataset] != nil:
        let other = names.randomElement(using: &generator)!
        guard model.own[other] == nil else { continue }
        try cache.renameDataset(dataset, to: other)
        model.own[other] = model.own.removeValue(forKey: dataset)
      case 2 where model.own[dataset] != nil:
        try cache.setLayout(LayoutID(layout, of: dataset), to: configuration(new))
        model.own[dataset]?[layout] = new
      case 3 where model.own[dataset]?[layout] != nil:
        try cache.removeLayout(LayoutID(layout, of: dataset))
        model.own[dataset]?[layout] = nil
      case 4:
        guard let name = model.templates.keys.sorted().randomElement(using: &generator) else {
          break
        }
        try cache.removeTemplate(name)
        model.templates[name] = nil
      case 5, 6:
        let name = "t\(Int.random(in: 0..<6, using: &generator))"
        let pattern = patterns.randomElement(using: &generator)!
        new.template = name
        let template = LayoutTemplate(
          name, datasets: pattern, layout: layout, configuration: try configuration(new))
        let isTaken = model.templates.contains {
          $0.key != name && $0.value.datasets == pattern && $0.value.layout == layout
        }
        if isTaken {
          #expect(throws: LayoutCacheError.self) { try cache.setTemplate(template) }
        } else {
          #expect(try cache.setTemplate(template) == (model.templates[name] == nil))
          model.templates[name] = (pattern, layout, new)
        }
      default: break
      }
      try check(model, dataset, in: caches.randomElement(using: &generator)!, "step \(step)")
    }
    for dataset in names {
      for cache in caches { try check(model, dataset, in: cache, "in the end") }
    }
    #expect(try caches[0].templates().map(\.name) == model.templates.keys.sorted())
    #expect(try caches[0].verify().problems.isEmpty)
  }

  private func check(
    _ model: Model, _ dataset: String, in cache: LayoutCache, _ place: Comment
  ) throws {
    guard model.own[dataset] != nil else { return }
    let present = Self.layouts.filter { model.winner($0, of: dataset) != nil }.sorted()
    #expect(try cache.layouts(of: dataset).map(\.name) == present, place)
    #expect(try cache.dataset(dataset).layouts == present, place)
    for layout in Self.layouts {
      let id = LayoutID(layout, of: dataset)
      guard let expected = model.winner(layout, of: dataset) else {
        let name = layout == "any" ? LayoutID("any@200", of: dataset) : id
        #expect(throws: LayoutCacheError.self, place) { try cache.read(name) { _ in } }
        continue
      }
      let description = try cache.layout(id)
      #expect(description.template == expected.template, place)
      #expect(try description.configuration == configuration(expected), place)
      let read = layout == "any" ? LayoutID("any@200", of: dataset) : id
      #expect(
        try cache.read(read) { $0.contentSize.height.points } == Double(450 + expected.header),
        place)
      #expect(try cache.layoutHistory(of: id).first?.configuration == description.configuration)
    }
  }
}
