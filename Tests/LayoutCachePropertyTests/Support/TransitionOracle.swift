import CollectionLayout
import LayoutCacheTestSupport
import LayoutGeometry
import TestSupport
import Testing

@testable import LayoutCache

/// A transition as a person would find it out: both snapshots are asked for everything, with
/// the rectangles as visible bounds, and the elements are sorted by what they are called.
struct TransitionOracle {
  let before: Side
  let after: Side

  /// One of the two snapshots.
  struct Side {
    let snapshot: LayoutSnapshot
    let rect: Rect
    var shown: [[UInt8]: LayoutAttributes] = [:]
    /// The names of what is in sight, in order.
    var names: [[UInt8]] = []
    /// All elements that there are, as they are shown with the visible bounds.
    var all: [[UInt8]: LayoutAttributes] = [:]

    init(_ snapshot: LayoutSnapshot, using generator: inout SeededGenerator) throws {
      self.snapshot = snapshot
      rect = Rect(RandomRects(snapshot).next(using: &generator))
      for element in try snapshot.elements(in: rect).elements {
        let name = try name(element)
        names.append(name)
        #expect(shown.updateValue(element, forKey: name) == nil)
      }
      for element in try snapshot.elements(
        in: Rect(RandomRects.everything), visible: rect
      ).elements { all[try name(element)] = element }
    }

    /// Whether the effect leaves out cells that others cover.
    var coversCells: Bool {
      if case .coverStack = snapshot.plan.effect { true } else { false }
    }

    /// What an element of the snapshot is called, whatever the snapshot.
    func name(_ element: LayoutAttributes) throws -> [UInt8] {
      let kind = element.representedElementKind ?? ""
      let path = element.indexPath
      let name =
        switch element.category {
        case .cell(let key): "cell \(key)"
        case _ where CuriousKind.isOfCell(kind):
          "\(kind) of \(try snapshot.key(at: path))"
        case .supplementary: "\(kind) \(path.item ?? -1) \(element.sectionKey)"
        case .decoration: "decoration \(kind) \(path.item ?? -1) \(element.sectionKey)"
        }
      return Array(name.utf8)
    }
  }

  /// Between two snapshots, in random rectangles.
  init(
    from: LayoutSnapshot, to: LayoutSnapshot, using generator: inout SeededGenerator
  ) throws {
    before = try Side(from, using: &generator)
    after = try Side(to, using: &generator)
  }

  /// Compares the transition that the engine makes with this one, and returns it.
  @discardableResult
  func check(_ origin: Comment) throws -> LayoutTransition {
    let transition = try before.snapshot.transition(
      to: after.snapshot, in: before.rect, becoming: after.rect)
    let (old, new) = (Set(before.names), Set(after.names))
    let groups = [
      try transition.appearing.map { try after.name($0.final) },
      try transition.disappearing.map { try before.name($0.initial) },
      try transition.moving.map { try after.name($0.final) },
    ]
    #expect(groups[0] == after.names.filter { !old.contains($0) }, origin)
    #expect(groups[1] == before.names.filter { !new.contains($0) }, origin)
    #expect(groups[2] == after.names.filter { old.contains($0) }, origin)
    #expect(groups.joined().count == old.union(new).count, origin)
    for element in [transition.appearing, transition.disappearing, transition.moving].joined() {
      try check(element, origin)
    }
    let order = transition.disappearing + transition.moving + transition.appearing
    #expect(transition.attributes(at: 0) == inZOrder(order.map(\.initial)), origin)
    #expect(transition.attributes(at: 1) == inZOrder(order.map(\.final)), origin)
    #expect(transition.visibleRect(at: 0) == before.rect, origin)
    #expect(transition.visibleRect(at: 1) == after.rect, origin)
    return transition
  }

  /// Elements by z-index, those with the same one in their order.
  private func inZOrder(_ elements: [LayoutAttributes]) -> [LayoutAttributes] {
    let indexes = Set(elements.map(\.zIndex)).sorted()
    return indexes.flatMap { zIndex in elements.filter { $0.zIndex == zIndex } }
  }

  private func check(_ element: LayoutTransition.Element, _ origin: Comment) throws {
    switch element.change {
    case .insert:
      let name = try after.name(element.final)
      #expect(try after.name(element.initial) == name, origin)
      #expect(before.all[name] == nil, origin)
      #expect(element.final == after.shown[name], origin)
      #expect(element.initial.alpha == 0, origin)
    case .delete:
      let name = try before.name(element.initial)
      #expect(try before.name(element.final) == name, origin)
      #expect(after.all[name] == nil, origin)
      #expect(element.initial == before.shown[name], origin)
      #expect(element.final.alpha == 0, origin)
    case .none:
      #expect(try before.name(element.initial) == after.name(element.final), origin)
      try expect(element.initial, isShownBy: before, origin)
      try expect(element.final, isShownBy: after, origin)
    }
  }

  /// Of what is in sight the answer itself; of what is not, as a query for everything with
  /// the same visible bounds shows it.
  private func expect(
    _ element: LayoutAttributes, isShownBy side: Side, _ origin: Comment
  ) throws {
    let name = try side.name(element)
    if let shown = side.shown[name] { return #expect(element == shown, origin) }
    // What has no extent is never in sight; an effect may take a cell as far as the visible
    // bounds are.
    if element.untransformedFrame.isEmpty { return }
    if side.snapshot.isOutsideCarousel(element) { return }
    guard element.frame.intersects(Rect(RandomRects.everything)) else { return }
    if side.all[name] == nil, side.coversCells {
      // No query answers with a cell that others cover: one of those is in front of it.
      let isCovered = side.all.values.contains { other in
        other.indexPath.section == element.indexPath.section && other.zIndex > element.zIndex
          && other.frame.intersects(element.frame)
      }
      return #expect(isCovered, origin)
    }
    #expect(side.all[name] == element, origin)
  }
}

extension LayoutSnapshot {
  /// Whether an element is a cell of a carousel outside the container, which no query for a
  /// rectangle returns.
  fileprivate func isOutsideCarousel(_ element: LayoutAttributes) -> Bool {
    let style = try? style(ofSection: element.indexPath.section)
    guard case .carousel = plan.section(element.sectionKey, style: style).kind,
      case .cell = element.category
    else { return false }
    let frame = plan.space.canonical(element.untransformedFrame, mainLength: mainLength)
    return frame.maxX <= .zero || frame.minX >= plan.space.crossLength
  }

  fileprivate func key(at path: IndexPath) throws -> String {
    let item = try #require(path.item)
    return try #require(try keys(ofItems: item..<(item + 1), inSection: path.section).first)
  }
}
