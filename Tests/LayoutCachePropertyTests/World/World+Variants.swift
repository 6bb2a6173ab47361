import LayoutCache
import LayoutCacheTestSupport
import TestSupport
import Testing

/// A responsive layout, whose variants are layouts of the model.
struct WorldResponsive {
  var name: String
  var text: ResponsiveText
  /// The sizes of the variants, by name.
  var sizes: [String: ResponsiveText.Size] = [:]
}

// Actions on the responsive layout of the first dataset.
extension World {
  /// Requests a width or a height in any notation: the answer is that of an ordinary layout of the
  /// rounded size, and as many variants remain as the layout keeps.
  func askForVariant() throws {
    guard let responsive = datasets[0].responsive else { return try configureVariants() }
    // Longer than the period in which uses by another process are protected.
    advance(by: 61_000)
    let definition = responsive.text
    let names = responsive.sizes.keys.sorted()
    var width = Double(Int.random(in: 100 * 64...1500 * 64, using: &generator)) / 64
    var height = generator.oneIn(3) ? Double(Int.random(in: 100...1500, using: &generator)) : nil
    if let known = names.randomElement(using: &generator).flatMap({ responsive.sizes[$0] }),
      generator.oneIn(2)
    {
      width = known.cross + (generator.oneIn(2) ? 0 : definition.step - 1.0 / 64)
      height = known.main ?? (generator.oneIn(4) ? height : nil)
    }
    let size = definition.size(cross: width, main: height)
    let (name, text) = (
      "\(responsive.name)@\(definition.suffix(of: size))", definition.variant(size)
    )
    var asked = "\(responsive.name)@\(definition.suffix(cross: width, main: height))"
    if height == nil, generator.oneIn(3) { asked = "\(responsive.name)@\(width)" }
    let (cache, dataset) = (anyCache(), datasets[0].model.name)
    record("\(cache) requests \(asked) of \(dataset)")
    do {
      let found = try caches[cache].read(LayoutID(asked, of: dataset)) { $0.layout.layout }
      #expect(found == name, "\(asked)")
    } catch let error as LayoutCacheError {
      guard case .variant(_, .configuration) = error.code,
        (try? Oracle(configuration: text, sections: [])) == nil
      else { throw error }
      return
    }
    if !names.contains(name) {
      let remaining = try caches[cache].layout(LayoutID(responsive.name, of: dataset))
        .variants.map(\.name)
      #expect(remaining.contains(name) && Set(remaining).isSubset(of: names + [name]))
      // A variant that a listener follows is not dropped.
      let kept = min(definition.keep, names.count + 1)
      #expect(remaining.count == kept || !listeners.isEmpty && remaining.count > kept)
      let dropped = names.filter { !remaining.contains($0) }
      dropVariants(dropped)
      if !dropped.isEmpty { count("dropped variant") }
      try datasets[0].addVariant(name, size, text: text)
    }
    let layout = datasets[0].model.layouts.firstIndex { $0.name == name }!
    try read(Place(dataset: 0, layout: layout)) { try compareAll($0, $1) }
    count("variant")
  }

  /// Gives the responsive layout another configuration, which is that of its variants, or removes
  /// it.
  func configureVariants() throws {
    let (cache, dataset) = (anyCache(), datasets[0].model.name)
    if let name = datasets[0].responsive?.name, generator.oneIn(6) {
      record("\(cache) removes \(name) of \(dataset)")
      try caches[cache].removeLayout(LayoutID(name, of: dataset))
      dropVariants(datasets[0].responsive?.sizes.keys.sorted() ?? [])
      datasets[0].responsive = nil
      return
    }
    let present = datasets[0].responsive
    let step = present?.text.step ?? [8, 1, 0.5, 100].randomElement(using: &generator)!
    let sizes = present?.sizes ?? [:]
    let name = present?.name ?? freshName()
    while true {
      let text = RandomConfiguration(kinds: configurations.kinds).text(
        sectionKeys: datasets[0].model.sections.map(\.key), using: &generator)
      let isHorizontal = text.contains("horizontal")
      // Lengths measured along one axis do not apply to the other.
      if let present, isHorizontal != present.text.text.contains("horizontal") { continue }
      let mainLength = generator.oneIn(2) ? 700.0 : nil
      let next = ResponsiveText(
        text, step: step, keep: .random(in: 1...4, using: &generator), mainLength: mainLength)
      // Not those whose names have a height that no rule reads, or lack one.
      let remaining = sizes.filter {
        next.size(cross: $0.value.cross, main: $0.value.main) == $0.value
      }
      // The options match the remaining variants.
      let fits = remaining.values.allSatisfy {
        (try? Oracle(configuration: next.variant($0), sections: [])) != nil
      }
      guard fits else { continue }
      record("\(cache) configures \(name) of \(dataset): \(next.text)")
      guard try set(LayoutID(name, of: dataset), to: next.text, by: cache, isNew: present == nil)
      else { continue }
      dropVariants(sizes.keys.filter { remaining[$0] == nil }.sorted())
      datasets[0].responsive = WorldResponsive(name: name, text: next, sizes: remaining)
      for (name, size) in remaining.sorted(by: { $0.key < $1.key }) {
        let layout = datasets[0].model.layouts.firstIndex { $0.name == name }!
        try datasets[0].set(layout, to: next.variant(size))
      }
      return
    }
  }

  private func dropVariants(_ names: [String]) {
    if names.isEmpty { return }
    // Readers refer to layouts by their numbers.
    dropReaders(of: 0)
    for name in names { datasets[0].dropVariant(name) }
  }
}

extension WorldDataset {
  fileprivate mutating func addVariant(
    _ name: String, _ size: ResponsiveText.Size, text: String
  ) throws {
    try model.addLayout(name, text: text)
    notes.append(LayoutNote(tag: 0, text: text))
    retag(notes.count - 1)
    responsive?.sizes[name] = size
    if case .state = previous { previous = .unknown }
  }

  /// Removes a variant with its measured lengths, without a revision.
  fileprivate mutating func dropVariant(_ name: String) {
    guard let layout = model.layouts.firstIndex(where: { $0.name == name }) else { return }
    model.layouts.remove(at: layout)
    notes.remove(at: layout)
    responsive?.sizes[name] = nil
    if case .state = previous { previous = .unknown }
  }

  var ordinaryLayouts: [Int] {
    model.layouts.indices.filter { responsive?.sizes[model.layouts[$0].name] == nil }
  }

  /// Renames the responsive layout, with its variants.
  mutating func renameResponsive(to name: String) {
    guard let old = responsive else { return }
    responsive?.name = name
    responsive?.sizes = [:]
    for (variant, size) in old.sizes {
      let new = name + variant.dropFirst(old.name.count)
      responsive?.sizes[new] = size
      rename(model.layouts.firstIndex { $0.name == variant }!, to: new)
    }
  }
}
