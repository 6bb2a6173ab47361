import CollectionLayout
import LayoutGeometry
import SumTree

/// A forward walk through the sections of a layout, in the dataset's and the layout's trees in
/// parallel.
struct SectionWalk {
  /// The positions in the two trees.
  private struct Fingers {
    var results: ElementFinger<SectionResultLeaf, SectionStart>
    var sections: ElementFinger<SectionLeaf, SectionPosition>

    init(_ snapshot: LayoutSnapshot, in session: TreeSession) {
      let start = SectionStart(in: snapshot.plan)
      results = ElementFinger(snapshot.results, from: start, in: session)
      sections = ElementFinger(snapshot.trees.sections, from: SectionPosition(), in: session)
    }
  }

  private let snapshot: LayoutSnapshot
  private let session: TreeSession
  /// Created on first use: most queries know their section, and creating fingers takes as long
  /// as finding a few elements.
  private var fingers: Fingers?
  /// The index of the next section.
  private var next = 0

  init(_ snapshot: LayoutSnapshot, in session: TreeSession) {
    self.snapshot = snapshot
    self.session = session
  }

  /// Seeks to the first section that ends after `position`, with an index of at least `section`.
  ///
  /// - Complexity: O(log sections) nodes.
  mutating func seek(endingAfter position: Length, atLeast section: Int) throws {
    let spacing = snapshot.plan.sectionSpacing
    var fingers = self.fingers.take() ?? Fingers(snapshot, in: session)
    let found = try fingers.results.seek { place in
      place.section > section && place.start - spacing > position
    }
    next = found ? fingers.results.offset : snapshot.results.count
    self.fingers = fingers
  }

  mutating func seek(section: Int) { next = section }

  /// Returns the next section, and advances past it.
  ///
  /// - Returns: `nil` after the last one.
  /// - Complexity: O(log sections) nodes for the first one, O(1) amortised for the next.
  mutating func advance() throws -> PlacedSection? {
    guard next < snapshot.results.count else { return nil }
    var fingers = self.fingers.take() ?? Fingers(snapshot, in: session)
    defer { self.fingers = fingers }
    guard try fingers.results.seek(toElement: next) else { return nil }
    guard try fingers.sections.seek(toElement: next) else {
      throw Damage(detail: "it has more sections than its dataset")
    }
    let result = fingers.results.leaf.entries[fingers.results.index]
    let entry = fingers.sections.leaf.entries[fingers.sections.index]
    let plan = snapshot.plan.section(entry.key, style: entry.style).measured(result.measured)
    let first = fingers.sections.before.item
    guard
      try result.content.itemCount == snapshot.trees.placedCount(of: entry, from: first, session),
      result.length >= plan.fixedLength, result.style.isExactly(entry.style)
    else {
      throw Damage(detail: "section \(next) does not match its dataset")
    }
    defer { next += 1 }
    return PlacedSection(
      index: next, key: entry.key, firstItem: first,
      itemCount: entry.itemCount, start: fingers.results.before.start, result: result,
      frame: SectionFrame(plan: plan, contentLength: result.length - plan.fixedLength))
  }
}
