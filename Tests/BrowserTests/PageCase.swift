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

  /// Where a browser puts items that the engine puts at these frames: there too, but for a
  /// rounding of its own that is stated.
  ///
  /// - Parameter frames: One for each item, from the edge at which the content begins.
  func browserFrames(of frames: [UnitRect]) -> [UnitRect]
}

extension PageCase {
  func browserFrames(of frames: [UnitRect]) -> [UnitRect] { frames }

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
