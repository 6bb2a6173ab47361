package import LayoutGeometry

/// An effect together with its visible rectangle: it changes cells, and computes where to
/// search for cells that it can move into a rectangle.
///
/// A query for a rectangle with an effect searches the stored frames for the
/// ``candidates(for:)`` of the rectangle, applies the effect to each cell found, and keeps
/// those whose changed frames intersect the rectangle. That finds exactly the cells whose
/// changed frames intersect it, with one documented exception, `rotary`.
///
/// The formulas are documented on ``Effect``.
package struct VisibleEffect: Sendable {
  /// The kind of effect.
  package var effect: Effect { plan.effect }
  private let plan: EffectPlan
  private let space: LayoutSpace
  private let mainLength: Length
  /// The visible rectangle in canonical space; longer than 0.
  private let visible: Rect
  private let context: QueryEffectContext

  /// Creates an effect for a visible rectangle.
  ///
  /// - Parameters:
  ///   - mainLength: The content's length along the main axis.
  ///   - itemCount: The number of items in the feed.
  ///   - visible: The visible rectangle in the layout's content.
  /// - Returns: `nil` if the visible rectangle has no length along the main axis: there is then
  ///   no effect.
  package init?(
    _ effect: EffectPlan, in space: LayoutSpace, mainLength: Length, itemCount: Int, visible: Rect
  ) {
    let canonical = space.canonical(visible, mainLength: mainLength)
    guard canonical.size.height > .zero else { return nil }
    plan = effect
    context = QueryEffectContext(
      visible: visible, direction: space.isMirrored ? .rightToLeft : .leftToRight,
      itemCount: itemCount)
    self.space = space
    self.mainLength = mainLength
    self.visible = canonical
  }

  /// Applies the effect to the attributes of a cell; other elements are unchanged.
  ///
  /// - Parameters:
  ///   - attributes: A cell's attributes before the effect, in the layout's content.
  ///   - number: The cell's number in the feed, counted from 0.
  package func apply(to attributes: inout LayoutAttributes, number: Int) {
    guard case .cell = attributes.category, let item = attributes.indexPath.item else { return }
    let frame = space.canonical(attributes.untransformedFrame, mainLength: mainLength)
    switch effect {
    case .scale(let maximumScale):
      guard frame.intersects(visible) else { return }
      let nearness = 1 - abs(distance(of: frame))
      attributes.apply(scale: max(0, 1 + (maximumScale - 1) * nearness))
    case .coverStack:
      attributes.zIndex = min(item, Limits.customZIndexMax)
      guard frame.minY < visible.minY, !isPast(frame) else { return }
      let passed =
        Double((visible.minY - frame.minY).units) / Double(frame.size.height.units)
      moveToVisibleStart(&attributes, from: frame)
      attributes.apply(scale: 1 - 0.05 * min(1, passed))
    case .rotary(let maximumAngle):
      let distance = distance(of: frame)
      attributes.apply(rotation(atDistance: distance, maximumAngle: maximumAngle))
      // Distances beyond 1 all result in 0.
      attributes.zIndex = 1000 - Int(min(abs(distance), 1) * 1000 + 0.5)
    case .pageTurn:
      attributes.zIndex = min(context.itemCount - number, Limits.customZIndexMax)
      if frame.minY > visible.minY && number > 0 {
        moveToVisibleStart(&attributes, from: frame)
      }
    case .off: break
    case .custom:
      guard var changed = plan.rule?.attributes(of: attributes, in: context) else { return }
      (changed.category, changed.column) = (attributes.category, attributes.column)
      (changed.indexPath, changed.sectionKey) = (attributes.indexPath, attributes.sectionKey)
      changed.zIndex = max(0, min(changed.zIndex, Limits.customZIndexMax))
      changed.untransformedFrame = changed.untransformedFrame.bounded
      attributes = changed
    }
  }

  /// Returns whether a cell is one of those searched for a rectangle: with `rotary` and `coverStack`
  /// the search is bounded, also for cells that transforms of a custom kind bring in.
  ///
  /// - Parameter frame: The cell's frame before any transform, in the layout's content.
  package func searches(_ frame: Rect, for rect: Rect) -> Bool {
    let frame = space.canonical(frame, mainLength: mainLength)
    switch effect {
    case .rotary:
      let range = candidates(for: rect)
      return frame.minY < range.maxY && frame.maxY > range.minY
    case .coverStack: return !isPast(frame)
    default: return true
    }
  }

  /// Returns whether a cell ends a visible length or more before the visible start, where
  /// `coverStack` leaves it out.
  private func isPast(_ frame: Rect) -> Bool {
    frame.maxY <= visible.minY - visible.size.height
  }

  /// Returns the distance of a cell's centre from that of the visible rectangle: d in the formulas.
  private func distance(of frame: Rect) -> Double {
    let half = Double(visible.size.height.units) / 2
    let middle = Double(frame.minY.units) + Double(frame.size.height.units) / 2
    return (middle - (Double(visible.minY.units) + half)) / half
  }

  private func rotation(atDistance distance: Double, maximumAngle: Double) -> Transform3D {
    let isReversed = space.isMirrored && space.scrollAxis == .horizontal
    let held = max(-1, min(1, isReversed ? -distance : distance))
    let isVertical = space.scrollAxis == .vertical
    let turn = Transform3D(
      rotationBy: -held * maximumAngle * .pi / 180, aboutX: isVertical ? 1 : 0,
      y: isVertical ? 0 : 1, z: 0)
    var perspective = Transform3D.identity
    perspective.m34 = -1.0 / 500
    return turn.concatenating(perspective)
  }

  private func moveToVisibleStart(_ attributes: inout LayoutAttributes, from frame: Rect) {
    var frame = frame
    frame.origin.y = visible.minY
    attributes.untransformedFrame = space.content(frame, mainLength: mainLength)
  }
}

extension LayoutAttributes {
  /// Applies an effect's transform after the element's own one.
  fileprivate mutating func apply(_ effect: Transform3D) {
    let own = transform3D
    transform3D = own.isIdentity ? effect : own.concatenating(effect)
  }

  fileprivate mutating func apply(scale: Double) {
    apply(Transform3D(affine: Transform(scale: scale)))
  }
}

extension VisibleEffect {
  /// Returns the area of the stored frames that the effect can move into a rectangle. Each such
  /// frame intersects the area, and so does each frame in the rectangle that the effect does
  /// not move.
  ///
  /// For `rotary` the search is bounded: perspective enlarges distant cells without limit, and
  /// only those are searched whose stored frames intersect the rectangle extended by v at both
  /// ends and without bounds across.
  ///
  /// - Parameter rect: The rectangle in canonical space.
  /// - Returns: A rectangle in canonical space. If both the rectangle and the visible one are
  ///   relevant, it includes the area between them. It is empty if no cell can intersect the
  ///   rectangle.
  package func candidates(for rect: Rect) -> Rect {
    if rect.isEmpty { return rect }
    let start = visible.minY
    switch effect {
    case .scale:
      return visible.isEmpty ? rect : rect.hull(with: visible)
    case .coverStack:
      // No cell remains before the visible start. Those moved there end less than a visible length
      // before it; a cell never becomes wider than its stored frame.
      return rect.between(rect.maxY > start ? start - visible.size.height : rect.maxY, rect.maxY)
    case .rotary:
      let length = visible.size.height
      return Rect.unboundedAcross.between(rect.minY - length, rect.maxY + length)
    case .pageTurn:
      // A page is as long as the container, so later pages lie within it.
      let reachesLaterPages =
        rect.minY < start + space.container.height && rect.maxY > start
      return reachesLaterPages
        ? rect.between(min(rect.minY, start), max(rect.maxY, mainLength)) : rect
    case .off: return rect
    case .custom:
      return rect.extended(by: plan.rule?.reach ?? .zero)
    }
  }
}

extension Rect {
  /// A range across that exceeds every frame, but does not overflow lengths.
  fileprivate static let unboundedAcross = Rect(
    x: Length(units: -1 << 53), y: .zero, width: Length(units: 1 << 54), height: .zero)

  /// Returns the rectangle from one position along the canonical main axis to another.
  fileprivate func between(_ start: Length, _ end: Length) -> Rect {
    Rect(x: minX, y: start, width: size.width, height: end - start)
  }

  /// Returns the smallest rectangle that contains both.
  fileprivate func hull(with other: Rect) -> Rect {
    let x = (minX..<maxX).hull(with: other.minX..<other.maxX)
    let y = (minY..<maxY).hull(with: other.minY..<other.maxY)
    return Rect(
      x: x.lowerBound, y: y.lowerBound, width: x.upperBound - x.lowerBound,
      height: y.upperBound - y.lowerBound)
  }
}
