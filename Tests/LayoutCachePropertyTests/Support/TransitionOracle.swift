import CollectionLayout
import LayoutCacheTestSupport
import LayoutGeometry
import TestSupport
import Testing

@testable import LayoutCache

/// A transition computed in a simple way: queries all elements of both snapshots, with the
/// rectangles as visible bounds, and matches them by name.
struct TransitionOracle {
  let before: Side
  let after: Side

  /// One of the two snapshots.
  struct Side {
    let snapshot: LayoutSnapshot
    let rect: Rect
    var shown: [[UInt8]: LayoutAttributes] = [:]
    /// The names of the visible elements, in order.
    var names: [[UInt8]] = []
    /// All elements, with the attributes for the visible bounds.
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

    /// Whether a cell ends a visible length before the visible bounds, where stacks omit it.
    func omits(_ element: LayoutAttributes) -> Bool {
      guard snapshot.plan.effects.contains(where: { $0.effect == .coverStack }) else {
        return false
      }
      let (space, length) = (snapshot.plan.space, snapshot.mainLength)
      let cell = space.canonical(element.untransformedFrame, mainLength: length)
      let visible = space.canonical(rect, mainLength: length)
      return cell.maxY <= visible.minY - visible.size.height
    }

    /// The name of an element, which is the same in both snapshots.
    func name(_ element: LayoutAttributes) throws -> [UInt8] {
      let kind = element.representedElementKind ?? ""
      let path = element.indexPath
      let name =
        switch element.category {
        case .cell(let key): "cell \(key)"
        case _ where CuriousKind.isOfCell(kind) || OracleDecor.isOfCell(kind):
          "\(kind) of \(try snapshot.key(at: path))"
        case .supplementary: "\(kind) \(path.item ?? -1) \(element.sectionKey)"
        case .decoration: "decoration \(kind) \(path.item ?? -1) \(element.sectionKey)"
        }
      return Array(name.utf8)
    }
  }

  /// Creates a transition between two snapshots, in random rectangles.
  init(
    from: LayoutSnapshot, to: LayoutSnapshot, using generator: inout SeededGenerator
  ) throws {
    before = try Side(from, using: &generator)
    after = try Side(to, using: &generator)
  }

  /// Compares the engine's transition with this one, and returns it.
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

  /// Sorts elements by z-index, in a stable way.
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
      expect(element.initial, isAppearanceOf: element.final, in: after.snapshot, origin)
    case .delete:
      let name = try before.name(element.initial)
      #expect(try before.name(element.final) == name, origin)
      #expect(after.all[name] == nil, origin)
      #expect(element.initial == before.shown[name], origin)
      expect(element.final, isAppearanceOf: element.initial, in: before.snapshot, origin)
    case .none:
      #expect(try before.name(element.initial) == after.name(element.final), origin)
      try expect(element.initial, isShownBy: before, origin)
      try expect(element.final, isShownBy: after, origin)
    }
  }

  /// Compares the end of an element's transition at which it does not exist with the option of
  /// its section.
  private func expect(
    _ end: LayoutAttributes, isAppearanceOf element: LayoutAttributes,
    in snapshot: LayoutSnapshot, _ origin: Comment
  ) {
    let style = try? snapshot.style(ofSection: element.indexPath.section)
    let configuration = snapshot.plan.configuration
    let option = configuration.options(ofSection: element.sectionKey, style: style).appearance
    guard let option, option != .fade, !element.indexPath.isOfLayout else {
      return #expect(end.alpha == 0, origin)
    }
    var moved = end.untransformedFrame
    if option == .scale {
      #expect(end.frame.isEmpty && end.center == element.center, origin)
    } else if configuration.scrollDirection == .horizontal {
      moved.origin.y += snapshot.contentSize.height
    } else if snapshot.layoutDirection == .rightToLeft {
      moved.origin.x -= snapshot.contentSize.width
    } else {
      moved.origin.x += snapshot.contentSize.width
    }
    #expect(end.alpha == element.alpha && moved == element.untransformedFrame, origin)
  }

  /// Compares an element with the query's answer if it is visible, and otherwise with the answer
  /// to a query for all elements with the same visible bounds.
  private func expect(
    _ element: LayoutAttributes, isShownBy side: Side, _ origin: Comment
  ) throws {
    let name = try side.name(element)
    if let shown = side.shown[name] { return #expect(element == shown, origin) }
    // Elements without extent are never visible; an effect may move a cell as far as the visible
    // bounds.
    if element.untransformedFrame.isEmpty { return }
    if side.snapshot.isOutsideCarousel(element) { return }
    guard element.frame.intersects(Rect(RandomRects.everything)) else { return }
    if side.all[name] == nil, side.omits(element) { return }
    #expect(side.all[name] == element, origin)
  }
}

extension LayoutSnapshot {
  /// Whether an element is a cell of a carousel outside the container, which no query for a
  /// rectangle returns, or an element of one.
  fileprivate func isOutsideCarousel(_ element: LayoutAttributes) -> Bool {
    let style = try? style(ofSection: element.indexPath.section)
    guard case .carousel = plan.section(element.sectionKey, style: style).kind,
      element.indexPath.item != nil,
      let cell = try? attributes(at: element.indexPath)
    else { return false }
    let frame = plan.space.canonical(cell.untransformedFrame, mainLength: mainLength)
    return frame.maxX <= .zero || frame.minX >= plan.space.crossLength
  }

  fileprivate func key(at path: IndexPath) throws -> String {
    let item = try #require(path.item)
    return try #require(try keys(ofItems: item..<(item + 1), inSection: path.section).first)
  }
}
