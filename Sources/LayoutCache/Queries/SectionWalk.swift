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

  /// The section's items, counted from the dataset's first.
  var items: Range<Int> { firstItem..<(firstItem + itemCount) }

  var frame: SectionFrame {
    SectionFrame(plan: plan, contentLength: result.length - plan.fixedLength)
  }
}

/// Walks forward through the sections of a layout, in the dataset's tree and the
/// layout's at once.
struct SectionWalk {
  private let plan: LayoutPlan
  private var results: ElementFinger<SectionResultLeaf, SectionStart>
  private var sections: ElementFinger<SectionLeaf, SectionPlace>
  /// The section that the walk has come to.
  private var next = 0

  init(_ snapshot: LayoutSnapshot, in session: TreeSession) {
    plan = snapshot.plan
    let start = SectionStart(spacing: snapshot.plan.sectionSpacing)
    results = ElementFinger(snapshot.results, from: start, in: session)
    sections = ElementFinger(snapshot.trees.sections, from: SectionPlace(), in: session)
  }

  /// Moves to the first section that ends behind a position and has at least a
  /// number.
  ///
  /// - Complexity: O(log sections) nodes.
  mutating func seek(endingAfter position: Length, atLeast section: Int) throws {
    let spacing = plan.sectionSpacing
    let found = try results.seek { place in
      place.section > section && place.start - spacing > position
    }
    next = found ? results.offset : results.tree.count
  }

  /// Moves to a section.
  mutating func seek(section: Int) { next = section }

  /// The section that the walk has come to, which it then leaves behind.
  ///
  /// - Returns: `nil` behind the last one.
  /// - Complexity: O(log sections) nodes for the first one, O(1) amortised for the next.
  mutating func advance() throws -> PlacedSection? {
    guard try results.seek(toElement: next) else { return nil }
    guard try sections.seek(toElement: next) else {
      throw DamagedLayout(detail: "it has more sections than its dataset")
    }
    let result = results.leaf.entries[results.index]
    let entry = sections.leaf.entries[sections.index]
    let plan = plan.section(entry.key)
    guard result.content.itemCount == entry.itemCount, result.length >= plan.fixedLength else {
      throw DamagedLayout(detail: "section \(next) does not fit its dataset")
    }
    defer { next += 1 }
    return PlacedSection(
      index: next, key: entry.key, firstItem: sections.before.item, itemCount: entry.itemCount,
      start: results.before.start, result: result, plan: plan)
  }
}
