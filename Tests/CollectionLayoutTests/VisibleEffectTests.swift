import CollectionLayout
import LayoutGeometry
import Testing

/// Effects on cells far away, and of numbers beyond the z-indices of cells. `Layouts/effects.txt` of
/// LayoutCacheTests has those computed by hand.
@Suite struct VisibleEffectTests {
  /// A cell in a content of 1000 points and a container of 100 x 400, with an effect applied.
  private func applied(
    _ effect: Effect, visibleLength: Length, item: Int, of itemCount: Int, to frame: Rect
  ) throws -> LayoutAttributes {
    let space = try LayoutPlan(
      LayoutConfiguration(container: .init(width: 100, height: 400), section: SectionOptions())
    ).space
    var element = LayoutAttributes(
      category: .cell(key: "k"), indexPath: IndexPath(section: 0, item: item), sectionKey: "s",
      frame: frame)
    let visible = try #require(
      VisibleEffect(
        EffectPlan(effect, .none, isOfLayout: true, at: []), in: space, mainLength: 1000,
        itemCount: itemCount, visible: Rect(x: 0, y: 0, width: 100, height: visibleLength)))
    visible.apply(to: &element, number: item)
    return element
  }

  @Test func rotaryOfFarCellsAndNarrowVisibleRectanglesStaysInBounds() throws {
    let far = Rect(x: 0, y: Limits.contentLengthMax, width: 1, height: 1)
    let element = try applied(.rotary(), visibleLength: Length(units: 1), item: 3, of: 10, to: far)
    #expect(element.zIndex == 0)
  }

  @Test func cellsStayBelowPinnedElements() throws {
    let frame = Rect(x: 0, y: 0, width: 100, height: 400)
    for effect in [Effect.coverStack, .pageTurn] {
      let element = try applied(effect, visibleLength: 400, item: 1 << 33, of: 1 << 40, to: frame)
      #expect(element.zIndex == Limits.customZIndexMax)
    }
    let last = try applied(
      .pageTurn, visibleLength: 400, item: (1 << 40) - 1, of: 1 << 40, to: frame)
    #expect(last.zIndex == 1)
  }
}
