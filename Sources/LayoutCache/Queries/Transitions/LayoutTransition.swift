public import CollectionLayout
public import LayoutGeometry

/// How what is visible in a layout becomes what is visible in another, or in the same one at
/// another revision: each element with the attributes from which it sets out and those to
/// which it comes.
///
/// Each element that either visible rectangle shows is in one of the three groups, once. It
/// is told by its key: a cell by its item's, a header, a footer or a background by its kind and
/// its section's. What a custom kind has of its own is told by its kind too, and for a cell by
/// the item's key, so that it goes where that goes; for a section by the section's key and its
/// number (``OwnElement/index``).
///
/// Source: `prepare(forCollectionViewUpdates:)`, `prepareForTransition(from:)`, the initial and
/// final attributes of UICollectionViewLayout, and UICollectionViewTransitionLayout.
public struct LayoutTransition: Hashable, Sendable {
  /// Whether an element is only on one of the two sides.
  public enum Change: String, Hashable, Sendable, Codable {
    /// It is on both.
    case none
    /// It is only where the transition ends.
    case insert
    /// It is only where the transition begins.
    case delete
  }

  /// An element on its way.
  public struct Element: Hashable, Sendable, Codable {
    /// From what it sets out: its attributes where the transition begins, in sight or not; of
    /// one that was inserted what its section's kind says, by default its final ones with
    /// alpha 0.
    public var initial: LayoutAttributes
    /// To what it comes: its attributes where the transition ends, in sight or not; of one
    /// that was deleted what its section's kind says, by default its initial ones with alpha 0.
    public var final: LayoutAttributes
    /// Whether it is only on one of the two sides.
    public var change: Change

    /// Creates an element on its way.
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
  /// The elements that only the final rectangle shows, in its order: those that were inserted,
  /// and those that came into sight.
  public var appearing: [Element] = []
  /// The elements that only the initial rectangle shows, in its order: those that were
  /// deleted, and those that went out of sight.
  public var disappearing: [Element] = []
  /// The elements that both rectangles show, in the final one's order: those that stay as they
  /// are too.
  public var moving: [Element] = []
  public var work = QueryWork.none

  /// Creates a transition in which nothing is visible.
  public init(from initialRect: Rect, to finalRect: Rect) {
    self.initialRect = initialRect
    self.finalRect = finalRect
  }

  /// Returns the visible rectangle at a part of the way: its origin is the content offset.
  ///
  /// - Parameter progress: As for ``attributes(at:)``.
  public func visibleRect(at progress: Double) -> Rect {
    guard progress > 0 else { return initialRect }
    return initialRect.interpolated(to: finalRect, progress: min(progress, 1))
  }

  /// The attributes of all elements at a part of the way in z order, the lowest first; with the
  /// same z-index first of those that disappear, then of those that move, then of those that
  /// appear.
  ///
  /// - Parameter progress: From 0, where all have their initial attributes, to 1; what lies
  ///   beyond is taken for the end that is nearer, and what is no number for 0.
  /// - Complexity: O(elements · log elements).
  public func attributes(at progress: Double) -> [LayoutAttributes] {
    [disappearing, moving, appearing].joined()
      .map { $0.initial.interpolated(to: $0.final, progress: progress) }
      .enumerated().sorted { ($0.element.zIndex, $0.offset) < ($1.element.zIndex, $1.offset) }
      .map(\.element)
  }

  /// The index paths, where the transition ends, of visible elements of a section that there
  /// were none of where it begins: `indexPathsToInsertForSupplementaryView(ofKind:)`.
  public func indexPathsToInsert(
    forSupplementary kind: LayoutAttributes.SupplementaryKind
  ) -> [LayoutAttributes.IndexPath] {
    inserted { $0 == .supplementary(kind: kind) }
  }

  /// The index paths, where the transition begins, of visible elements of a section that there
  /// are none of where it ends: `indexPathsToDeleteForSupplementaryView(ofKind:)`.
  public func indexPathsToDelete(
    forSupplementary kind: LayoutAttributes.SupplementaryKind
  ) -> [LayoutAttributes.IndexPath] {
    deleted { $0 == .supplementary(kind: kind) }
  }

  /// As ``indexPathsToInsert(forSupplementary:)``, of decorations:
  /// `indexPathsToInsertForDecorationView(ofKind:)`.
  public func indexPathsToInsert(
    forDecoration kind: String
  ) -> [LayoutAttributes.IndexPath] {
    inserted { $0 == .decoration(kind: kind) }
  }

  /// As ``indexPathsToDelete(forSupplementary:)``, of decorations:
  /// `indexPathsToDeleteForDecorationView(ofKind:)`.
  public func indexPathsToDelete(
    forDecoration kind: String
  ) -> [LayoutAttributes.IndexPath] {
    deleted { $0 == .decoration(kind: kind) }
  }

  private func inserted(
    _ isWanted: (LayoutAttributes.Category) -> Bool
  ) -> [LayoutAttributes.IndexPath] {
    appearing.filter { $0.change == .insert && isWanted($0.final.category) }
      .map(\.final.indexPath)
  }

  private func deleted(
    _ isWanted: (LayoutAttributes.Category) -> Bool
  ) -> [LayoutAttributes.IndexPath] {
    disappearing.filter { $0.change == .delete && isWanted($0.initial.category) }
      .map(\.initial.indexPath)
  }
}
