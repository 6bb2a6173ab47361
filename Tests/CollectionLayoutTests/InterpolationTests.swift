import CollectionLayout
import LayoutGeometry
import Testing

@Suite struct InterpolationTests {
  private let start = LayoutAttributes(
    category: .cell(key: "a"), indexPath: .init(section: 0, item: 1), sectionKey: "s",
    frame: Rect(x: 0, y: 10, width: 100, height: 50), zIndex: 3)

  private var end: LayoutAttributes {
    var end = start
    end.untransformedFrame = Rect(x: -100, y: 11, width: 300, height: 50.03125)
    end.indexPath = .init(section: 2, item: 7)
    (end.zIndex, end.alpha, end.isHidden) = (9, 0, true)
    end.transform = Transform(scale: 3)
    return end
  }

  @Test(arguments: [-1, 0, -Double.infinity, .nan])
  func progressUpToZeroAndNaNGiveTheStart(progress: Double) {
    #expect(start.interpolated(to: end, progress: progress) == start)
  }

  @Test(arguments: [1, 1.5, Double.infinity])
  func progressOfOneOrMoreGivesTheEnd(progress: Double) {
    #expect(start.interpolated(to: end, progress: progress) == end)
  }

  @Test func quantitiesAreInterpolatedAndTheRestSwitchesHalfway() {
    let early = start.interpolated(to: end, progress: 0.25)
    #expect(early.untransformedFrame == Rect(x: -25, y: 10.25, width: 150, height: 50))
    #expect(early.alpha == 0.75)
    #expect(early.transform == Transform(scale: 1.5))
    #expect(early.indexPath == start.indexPath && early.zIndex == 3 && !early.isHidden)
    let late = start.interpolated(to: end, progress: 0.5)
    #expect(late.indexPath == end.indexPath && late.zIndex == 9 && late.isHidden)
    #expect(late.untransformedFrame == Rect(x: -50, y: 10.5, width: 200, height: 50.015625))
    #expect(late.transform == Transform(scale: 2))
  }

  @Test func edgesAreRoundedDownAndNeverCross() {
    var moved = start
    moved.untransformedFrame = Rect(x: 0.015625, y: 10, width: 0, height: 50)
    for step in 0...100 {
      let frame = start.interpolated(to: moved, progress: Double(step) / 100).frame
      #expect(frame.size.width >= .zero && frame.maxX <= 100)
      #expect(frame.minX == (step == 100 ? 0.015625 : 0))
    }
  }
}
