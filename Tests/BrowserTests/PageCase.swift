import CollectionLayout
import LayoutCache
import LayoutGeometry
import TestSupport

/// A layout of one section with a CSS equivalent.
protocol PageCase {
  /// The seed and step of the case.
  var origin: String { get }
  var axes: PageAxes { get }
  /// The container's length across the scroll direction.
  var containerAcross: Length { get }
  var inset: EdgeInsets { get }
  var options: SectionOptions { get }
  var page: BrowserPage { get }

  func makeItems() throws -> [Item]

  /// The browser's frames for items that the engine puts at `frames`: the same except for the
  /// browser's documented rounding.
  ///
  /// - Parameter frames: One per item, from the edge at which the content begins.
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
