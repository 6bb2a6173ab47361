import LayoutCache
import TestSupport
import Testing
import TextFormats

// Strategy: random changes of a feed with sections of all kinds. A cell that a picture does not
// mark must have the same position in its section as before, and the same length; an item that
// the changes name must be marked as edited. Pictures show the whole content.

@Suite struct PictureMarkTests {
  private static let layout = LayoutID("l", of: "feed")
  private static let configuration = """
    {"container":{"width":300},
     "section":{"kind":"waterfall","columns":3,"columnSpacing":4,"lineSpacing":4,"header":20},
     "sections":{"1":{"assignment":"exact"},"2":{"kind":"flow","minimumLineSpacing":3},
                 "3":{"kind":"justified","targetRowLength":60},"4":{"kind":"grid","columns":4}}}
    """

  private static func item(_ key: String, _ random: inout SeededGenerator) throws -> Item {
    try Item(
      key: key, width: .random(in: 20...200, using: &random),
      height: .random(in: 20...200, using: &random), columnSpan: random.oneIn(8) ? 2 : 1)
  }

  private static func feed(
    in folder: TemporaryDirectory, _ random: inout SeededGenerator
  ) throws -> LayoutCache {
    let cache = try LayoutCache(path: folder.path(of: "feed.sqlite"))
    var generator = random
    _ = try cache.importItems(into: "feed", mode: .create) { importer in
      for number in 0..<150 {
        try importer.add(item("k\(number)", &generator), section: "\(number / 30)")
      }
    }
    random = generator
    try cache.setLayout(layout, to: ConfigurationText.decode(configuration))
    return cache
  }

  private static func operation(
    _ number: Int, keys: [String], _ random: inout SeededGenerator
  ) throws -> BatchOperation {
    let key = keys.randomElement(using: &random) ?? ""
    switch Int.random(in: 0..<4, using: &random) {
    case 0:
      return .insert([try item("n\(number)", &random)], at: .before(key))
    case 1: return .delete(keys: [key])
    case 2:
      return .move(key: key, to: .index(0, section: "\(Int.random(in: 0..<5, using: &random))"))
    default: return .resize(key: key, size: try item("x", &random).size)
    }
  }

  /// The position of each cell in its section.
  private static func places(_ picture: Picture) -> [String: Place] {
    var starts: [String: Length] = [:]
    for element in picture.elements where !element.attributes.isCell {
      starts[element.attributes.sectionKey] = element.attributes.frame.minY
    }
    var places: [String: Place] = [:]
    for element in picture.elements {
      guard case .cell(let key) = element.attributes.category else { continue }
      var frame = element.attributes.frame
      let section = element.attributes.sectionKey
      frame.origin.y = frame.origin.y - (starts[section] ?? .zero)
      places[key] = Place(section: section, frame: frame)
    }
    return places
  }

  private struct Place: Equatable {
    var section: String
    var frame: Rect
  }

  private static func picture(_ cache: LayoutCache) throws -> Picture {
    try cache.read(layout) {
      try Picture(of: Rect(origin: .zero, size: $0.contentSize), in: $0)
    }
  }

  @Test(.property, arguments: PropertyRun.seeds)
  func unmarkedCellsKeepTheirPositionInTheSection(seed: UInt64) throws {
    let folder = try TemporaryDirectory()
    var random = SeededGenerator(seed: seed)
    let cache = try Self.feed(in: folder, &random)
    for step in PropertyRun.each(seed, steps: 12) {
      let before = Self.places(try Self.picture(cache))
      let since = try cache.read(Self.layout) { $0.revision }
      var keys = before.keys.sorted()
      for number in 0..<Int.random(in: 1...3, using: &random) {
        let operation = try Self.operation(step * 10 + number, keys: keys, &random)
        if case .delete(let gone, _) = operation { keys.removeAll { gone.contains($0) } }
        try cache.update("feed", with: [operation])
      }
      let changes = try cache.changes(of: "feed", since: since, layout: "l")
      let picture = try Self.picture(cache).marking(changes)
      #expect(picture.changes?.isEverything == false)
      let after = Self.places(picture)
      let named = Set(changes.updates.items.filter { $0.after != nil }.map(\.key))
      for element in picture.elements {
        guard case .cell(let key) = element.attributes.category else { continue }
        #expect((element.mark == .edited) == named.contains(key))
        if element.mark == nil { #expect(before[key] == after[key], "\(key)") }
      }
    }
  }

  @Test func oneResizeMarksItsItemAndTheRestOfItsColumn() throws {
    let folder = try TemporaryDirectory()
    let cache = try LayoutCache(path: folder.path(of: "feed.sqlite"))
    _ = try cache.importItems(into: "feed", mode: .create) { importer in
      for number in 0..<8 {
        try importer.add(Item(key: "k\(number)", width: 1, height: 1), section: "s")
      }
    }
    try cache.setLayout(
      Self.layout,
      to: ConfigurationText.decode(#"{"container":{"width":200},"section":{"columns":2}}"#))
    let before = try Self.picture(cache)
    #expect(before.changes == nil && before.elements.allSatisfy { $0.mark == nil })
    let commit = try cache.update(
      "feed", with: [.resize(key: "k2", size: Size(width: 1, height: 2))])
    let changes = try cache.changes(of: "feed", since: commit.revision - 1, layout: "l")
    let marked = try Self.picture(cache).marking(changes)
    let marks = marked.elements.map(\.mark)
    #expect(marks == [nil, nil, .edited, nil, .moved, nil, .moved, nil])
    #expect(marked.count(of: .edited) == 1 && marked.count(of: .moved) == 2)
    let same = try cache.changes(of: "feed", since: commit.revision, layout: "l")
    #expect(try Self.picture(cache).marking(same).elements.allSatisfy { $0.mark == nil })
  }

  @Test func afterAnImportEveryCellIsMarked() throws {
    let folder = try TemporaryDirectory()
    var random = SeededGenerator(seed: 1)
    let cache = try Self.feed(in: folder, &random)
    let picture = try Self.picture(cache)
    let changes = try cache.changes(of: "feed", since: 0, layout: "l")
    let marked = picture.marking(changes)
    #expect(marked.changes?.isEverything == true)
    #expect(marked.elements.allSatisfy { $0.mark != nil })
  }
}
