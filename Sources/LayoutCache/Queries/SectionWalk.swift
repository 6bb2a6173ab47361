import CollectionLayout
import LayoutGeometry
import SumTree

/// A laid out section with its place in the dataset and in the content.
struct PlacedSection {
  var index: Int
  var key: String
  /// The number of the section's first item, counted from the dataset's.
  var firstItem: Int
  var itemCount: Int
  /// Where the section begins along the main axis.
  var start: Length
  var result: SectionResult
  var plan: SectionPlan

  var frame: SectionFrame {
    SectionFrame(plan: plan, contentLength: result.length - plan.fixedLength)
  }
}

/// Walks forward through the sections of a layout, in the dataset's tree and the
/// layout's at once.
struct SectionWalk {
  private let snapshot: LayoutSnapshot
  private let reader: TreeReader
  private var results: Cursor<SectionResultLeaf, SectionStart>
  private var sections: Cursor<SectionLeaf, SectionPlace>
  /// The sections of the leaf that `results` stands at, less those passed.
  private var next: (index: Int, start: Length)?
  private var item: (section: Int, first: Int)?

  init(_ snapshot: LayoutSnapshot, reader: TreeReader) {
    self.snapshot = snapshot
    self.reader = reader
    results = Cursor(
      snapshot.results, at: SectionStart(spacing: snapshot.plan.sectionSpacing), reader: reader)
    sections = Cursor(snapshot.trees.sections, at: SectionPlace(), reader: reader)
  }

  /// Moves to the first section that ends behind a position and has at least a
  /// number.
  ///
  /// - Complexity: O(log sections) nodes.
  mutating func seek(endingAfter position: Length, atLeast section: Int) throws {
    let spacing = snapshot.plan.sectionSpacing
    let found = try results.seek { place in
      place.section > section && place.start - spacing > position
    }
    guard found else {
      next = nil
      return
    }
    var index = results.before.section
    var start = results.before.start
    for entry in results.leaf.entries {
      if index >= section && start + entry.length > position { break }
      index += 1
      start += entry.length + spacing
    }
    next = (index, start)
  }

  /// Moves to a section.
  ///
  /// - Complexity: O(log sections) nodes.
  mutating func seek(section: Int) throws {
    guard try results.seek(toElement: section) else {
      next = nil
      return
    }
    let passed = section - results.before.section
    let start = results.leaf.entries[..<passed].reduce(results.before.start) {
      $0 + $1.length + snapshot.plan.sectionSpacing
    }
    next = (section, start)
  }

  /// The section that the walk has come to, which it then leaves behind.
  ///
  /// - Returns: `nil` behind the last one.
  mutating func advance() throws -> PlacedSection? {
    guard let (index, start) = next else { return nil }
    var offset = index - results.before.section
    if offset == results.leaf.count {
      guard try results.next() else {
        next = nil
        return nil
      }
      offset = 0
    }
    let result = results.leaf.entries[offset]
    guard try sections.seek(toElement: index) else {
      throw DamagedLayout(detail: "it has more sections than its dataset")
    }
    let leaf = sections.leaf
    let entry = leaf.entries[index - sections.before.section]
    // Neighbours follow from each other; only the first is counted out.
    let firstItem: Int
    if let item, item.section == index {
      firstItem = item.first
    } else {
      firstItem = leaf.entries[..<(index - sections.before.section)].reduce(
        sections.before.item
      ) { $0 + $1.itemCount }
    }
    item = (index + 1, firstItem + entry.itemCount)
    next = (index + 1, start + result.length + snapshot.plan.sectionSpacing)
    let plan = snapshot.plan.section(entry.key)
    guard result.content.itemCount == entry.itemCount, result.length >= plan.fixedLength else {
      throw DamagedLayout(detail: "section \(index) does not fit its dataset")
    }
    return PlacedSection(
      index: index, key: entry.key, firstItem: firstItem, itemCount: entry.itemCount,
      start: start, result: result, plan: plan)
  }
}
