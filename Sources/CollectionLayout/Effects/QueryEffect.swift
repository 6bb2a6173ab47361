public import LayoutGeometry

/// An effect of the visible rectangle on cells, provided by a user of the library.
///
///     struct Tilt: QueryEffect {
///       static let kind = "tilt"
///       let reach: Length = 20
///       init(options: [String: ConfigurationValue]) {}
///       func attributes(
///         of cell: LayoutAttributes, in context: QueryEffectContext
///       ) -> LayoutAttributes {
///         var cell = cell
///         let isLeftToRight = context.direction == .leftToRight
///         if cell.frame.minY > context.visible.minY {
///           cell.untransformedFrame.origin.x += isLeftToRight ? 20 : -20
///         }
///         return cell
///       }
///     }
///
/// Register it when opening a database. A configuration then names it as the `effect` of the
/// layout, or of a section or style: `{"kind": "tilt", "options": {}}`.
///
/// Source: overriding layoutAttributesForElements(in:) of UICollectionViewLayout.
///
/// Law: the results are functions of the arguments and of `self`, and `init` of its argument.
public protocol QueryEffect: Sendable {
  /// The effect's name in configurations; not that of a built-in one.
  static var kind: String { get }

  /// The greatest distance by which a changed frame extends beyond the frame of the cell as laid
  /// out, on any side; at most `Limits.sideMax`. Queries search for cells that much further.
  var reach: Length { get }

  /// Creates an effect.
  ///
  /// - Parameter options: The `options` of the configuration's effect; empty by default.
  /// - Throws: Any error; the configuration is then rejected with its description.
  init(options: [String: ConfigurationValue]) throws

  /// Returns a cell's attributes with the effect.
  ///
  /// - Parameters:
  ///   - cell: The cell as laid out, in the content's axes, with the transform of a custom kind.
  ///   - context: The read that the cell is an answer to.
  /// - Returns: The same cell with another position or appearance. Its category, index path and
  ///   column can't be changed; its z-index is clamped to 0...2147483629.
  func attributes(of cell: LayoutAttributes, in context: QueryEffectContext) -> LayoutAttributes
}

/// The read of a layout that a ``QueryEffect`` changes cells for.
public struct QueryEffectContext: Hashable, Sendable {
  /// The visible rectangle in the content.
  public var visible: Rect
  /// The direction of the content: that of the read, which may differ from the configuration's.
  public var direction: LayoutConfiguration.LayoutDirection
  /// The number of items in the dataset.
  public var itemCount: Int

  /// Creates a context, for example to test an effect.
  public init(
    visible: Rect, direction: LayoutConfiguration.LayoutDirection = .leftToRight,
    itemCount: Int = 0
  ) {
    (self.visible, self.direction, self.itemCount) = (visible, direction, itemCount)
  }
}

/// An effect after validation; the rule is that of a custom one.
package struct EffectPlan: Sendable, Equatable {
  package let effect: Effect
  let rule: (any QueryEffect)?

  /// - Parameters:
  ///   - isOfLayout: Whether the effect is that of all sections.
  ///   - path: The path of the effect, for errors.
  package init(
    _ effect: Effect, _ custom: CustomKinds, isOfLayout: Bool, at path: [String]
  ) throws(ConfigurationError) {
    try effect.check(at: path)
    if effect == .pageTurn && !isOfLayout {
      throw ConfigurationError(
        .malformed(detail: "'pageTurn' is an effect of the whole layout"), at: path)
    }
    self.effect = effect
    guard case .custom(let kind, let options) = effect else {
      rule = nil
      return
    }
    let rule = try custom.effect(kind, options, at: path)
    try ConfigurationError.limit(
      at: path,
      Limits.check(
        rule.reach, in: .zero...Limits.sideMax, as: LimitError.Subject("reach of '\(kind)'")))
    self.rule = rule
  }

  package static func == (lhs: EffectPlan, rhs: EffectPlan) -> Bool { lhs.effect == rhs.effect }
}

extension LayoutPlan {
  /// Returns the effect on a section's cells: its own, else the layout's; `nil` for none.
  @inlinable
  package func effect(of section: SectionPlan) -> EffectPlan? {
    guard let own = section.effect else { return effect }
    return own.effect == .off ? nil : own
  }
}
