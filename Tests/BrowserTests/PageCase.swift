import CollectionLayout
import LayoutCache
import LayoutGeometry
import TestSupport

/// A layout of one section that can be said in CSS too.
protocol PageCase {
  /// The seed and the step that it was made from.
  var origin: String { get }
  var axes: PageAxes { get }
  /// The container's length across the scroll direction.
  var containerAcross: Length { get }
  var inset: EdgeInsets { get }
  var options: SectionOptions { get }
  var page: BrowserPage { get }

  func makeItems() throws -> [Item]

  /// What to add to the browser's items for a rounding that is stated; empty for nothing.
  ///
  /// - Parameter frames: The engine's.
  func shifts(of frames: [UnitRect]) -> [UnitPoint]
}

extension PageCase {
  func shifts(of frames: [UnitRect]) -> [UnitPoint] { [] }

  /// The container's length across less the insets.
  var available: Length {
    containerAcross
      - (axes.scrollDirection == .vertical
        ? inset.left + inset.right : inset.top + inset.bottom)
  }

  func browserCase() throws -> BrowserCase {
    BrowserCase(
      origin: origin,
      configuration: LayoutConfiguration(
        container: axes.scrollDirection == .vertical
          ? .init(width: containerAcross, height: nil)
          : .init(width: nil, height: containerAcross),
        scrollDirection: axes.scrollDirection,
        layoutDirection: axes.isRightToLeft ? .rightToLeft : .leftToRight, section: options),
      items: try makeItems(), page: page)
  }
}
