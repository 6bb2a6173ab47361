public import CollectionLayout
public import LayoutGeometry

/// The transition between the visible elements of two layouts, or of a layout at two revisions:
/// each element with its initial and final attributes.
///
/// Each element visible in either rectangle is in exactly one of the three groups. Elements are
/// identified by key: a cell by its item's key; a header, footer or background by its kind and
/// its section's key, or its kind alone if it is the layout's; a custom element by its kind and,
/// for a cell, the item's key, with which it moves, or, for a section, the section's key and the
/// element's number (``CustomElement/index``).
///
/// Source: `prepare(forCollectionViewUpdates:)`, `prepareForTransition(from:)`, the initial and
/// final attributes of UICollectionViewLayout, and UICollectionViewTransitionLayout.
public struct LayoutTransition: Hashable, Sendable {
  /// Whether an element exists on only one of the two sides.
  public enum Change: String, Hashable, Sendable, Codable {
    /// The element exists on both sides.
    case none
    /// The element exists only at the end of the transition.
    case insert
    /// The element exists only at the start of the transition.
    case delete
  }

  /// An element in transition.
  public struct Element: Hashable, Sendable, Codable {
    /// The attributes at the start of the transition, visible or not. For an inserted element
    /// those of its section's kind, by default the final ones with alpha 0.
    public var initial: LayoutAttributes
    /// The attributes at the end of the transition, visible or not. For a deleted element those
    /// of its section's kind, by default the initial ones with alpha 0.
    public var final: LayoutAttributes
    /// Whether the element exists on only one of the two sides.
    public var change: Change

    /// Creates an element in transition.
    public init(initial: LayoutAttributes, final: LayoutAttributes, change: Change = .none) {
      self.initial = initial
      self.final = final
      self.change = change
    }
  }

  /// The visible rectangle at the start of the transition, in that content.
  public var initialRect: Rect
  /// The visible rectangle at the end of the transition, in that content.
  public var finalRect: Rect
  /// The elements visible only in the final rectangle, in its order: inserted ones, and those
  /// that moved into view.
  public var appearing: [Element] = []
  /// The elements visible only in the initial rectangle, in its order: deleted ones, and those
  /// that moved out of view.
  public var disappearing: [Element] = []
  /// The elements visible in both rectangles, in the final one's order, including unchanged ones.
  public var moving: [Element] = []
  public var work = QueryWork.none

  /// Creates a transition without elements.
  public init(from initialRect: Rect, to finalRect: Rect) {
    self.initialRect = initialRect
    self.finalRect = finalRect
  }

  /// Returns the visible rectangle at a progress: its origin is the content offset.
  ///
  /// - Parameter progress: As for ``attributes(at:)``.
  public func visibleRect(at progress: Double) -> Rect {
    guard progress > 0 else { return initialRect }
    return initialRect.interpolated(to: finalRect, progress: min(progress, 1))
  }

  /// Returns the attributes of all elements at a progress in z order, lowest first; for equal
  /// z-indices first disappearing, then moving, then appearing elements.
  ///
  /// - Parameter progress: The progress from 0, the initial attributes, to 1, the final ones.
  ///   Values outside are clamped; NaN counts as 0.
  /// - Complexity: O(elements · log elements).
  public func attributes(at progress: Double) -> [LayoutAttributes] {
    [disappearing, moving, appearing].joined()
      .map { $0.initial.interpolated(to: $0.final, progress: progress) }
      .enumerated().sorted { ($0.element.zIndex, $0.offset) < ($1.element.zIndex, $1.offset) }
      .map(\.element)
  }
}
