import CollectionLayout
import LayoutGeometry
import SumTree

/// Walks forward through the sections of a layout, in the dataset's tree and the
/// layout's at once.
struct SectionWalk {
  /// The places in the two trees.
  private struct Fingers {
    var results: ElementFinger<SectionResultLeaf, SectionStart>
    var sections: ElementFinger<SectionLeaf, SectionPlace>

    init(_ snapshot: LayoutSnapshot, in session: TreeSession) {
      let start = SectionStart(spacing: snapshot.plan.sectionSpacing)
      results = ElementFinger(snapshot.results, from: start, in: session)
      sections = ElementFinger(snapshot.trees.sections, from: SectionPlace(), in: session)
    }
  }

  private let snapshot: LayoutSnapshot
  private let session: TreeSession
  /// Made when they are first moved: most queries know their section, and to make fingers
  /// takes as long as to find some elements.
  private var fingers: Fingers?
  /// The section that the walk has come to.
  private var next = 0

  init(_ snapshot: LayoutSnapshot, in session: TreeSession) {
    self.snapshot = snapshot
    self.session = session
  }

  /// Moves to the first section that ends after a position and has at least a
  /// number.
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

  /// Moves to a section.
  mutating func seek(section: Int) { next = section }

  /// The section that the walk has come to, which it then leaves behind.
  ///
  /// - Returns: `nil` after the last one.
  /// - Complexity: O(log sections) nodes for the first one, O(1) amortised for the next.
  mutating func advance() throws -> PlacedSection? {
    guard next < snapshot.results.count else { return nil }
    var fingers = self.fingers.take() ?? Fingers(snapshot, in: session)
    defer { self.fingers = fingers }
    guard try fingers.results.seek(toElement: next) else { return nil }
    guard try fingers.sections.seek(toElement: next) else {
      throw DamagedLayout(detail: "it has more sections than its dataset")
    }
    let result = fingers.results.leaf.entries[fingers.results.index]
    let entry = fingers.sections.leaf.entries[fingers.sections.index]
    let plan = snapshot.plan.section(entry.key).measured(result.measured)
    guard result.content.itemCount == entry.itemCount, result.length >= plan.fixedLength else {
      throw DamagedLayout(detail: "section \(next) does not fit its dataset")
    }
    defer { next += 1 }
    return PlacedSection(
      index: next, key: entry.key, firstItem: fingers.sections.before.item,
      itemCount: entry.itemCount, start: fingers.results.before.start, result: result,
      frame: SectionFrame(plan: plan, contentLength: result.length - plan.fixedLength))
  }
}
