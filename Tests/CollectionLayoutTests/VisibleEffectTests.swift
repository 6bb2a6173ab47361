import CollectionLayout
import LayoutGeometry
import TestSupport
import Testing

/// Every effect, with expectations computed by hand, for each axis and direction.
///
/// Cells are given in canonical space (across, along, width, length) in a content of 1000
/// points and a container of 100 points across and 400 along.
extension VisibleEffect {
  /// A built-in effect.
  init?(
    _ effect: Effect, in space: LayoutSpace, mainLength: Length, itemCount: Int, visible: Rect
  ) {
    guard let plan = try? EffectPlan(effect, .none, isOfLayout: true, at: []) else { return nil }
    self.init(plan, in: space, mainLength: mainLength, itemCount: itemCount, visible: visible)
  }
}

@Suite struct VisibleEffectTests {
  /// How a layout scrolls and reads.
  struct Flow: CustomTestStringConvertible, Sendable {
    var axis: Axis
    var isMirrored: Bool

    var testDescription: String { "\(axis)\(isMirrored ? ", mirrored" : "")" }
  }

  static let flows = Axis.allCases.flatMap { axis in
    [false, true].map { Flow(axis: axis, isMirrored: $0) }
  }

  private static let mainLength = Length(units: 1000 * 64)

  private func space(_ flow: Flow) throws -> LayoutSpace {
    let across = flow.axis == .vertical
    return try LayoutPlan(
      LayoutConfiguration(
        container: .init(
          width: Length(points: across ? 100 : 400), height: Length(points: across ? 400 : 100)),
        scrollDirection: flow.axis,
        layoutDirection: flow.isMirrored ? .rightToLeft : .leftToRight,
        section: SectionOptions())
    ).space
  }

  private func rect(_ x: Double, _ y: Double, _ width: Double, _ height: Double) throws -> Rect {
    func length(_ points: Double) throws -> Length { try #require(Length(points: points)) }
    return Rect(
      x: try length(x), y: try length(y), width: try length(width), height: try length(height))
  }

  /// A cell with an effect applied; its frame is given in canonical space.
  private func applied(
    _ effect: Effect, _ flow: Flow, visible: (start: Double, length: Double), item: Int = 3,
    of itemCount: Int = 10, to frame: Rect
  ) throws -> LayoutAttributes {
    let space = try space(flow)
    var element = LayoutAttributes(
      category: .cell(key: "k"), indexPath: IndexPath(section: 0, item: item), sectionKey: "s",
      frame: space.content(frame, mainLength: Self.mainLength))
    let visible = space.content(
      try rect(0, visible.start, 100, visible.length), mainLength: Self.mainLength)
    let effect = try #require(
      VisibleEffect(
        effect, in: space, mainLength: Self.mainLength, itemCount: itemCount, visible: visible))
    effect.apply(to: &element, number: item)
    return element
  }

  /// The frame of a cell in canonical space.
  private func place(_ element: LayoutAttributes, _ flow: Flow) throws -> Rect {
    try space(flow).canonical(element.frame, mainLength: Self.mainLength)
  }

  // MARK: - Scale

  @Test(arguments: flows)
  func scaleEnlargesTowardTheMiddle(flow: Flow) throws {
    func frame(_ start: Double, _ length: Double) throws -> Rect {
      let element = try applied(
        .scale(maximumScale: 1.5), flow, visible: (100, 400), to: rect(0, start, 100, length))
      #expect(element.zIndex == 0)
      #expect(
        try element.untransformedFrame.size == space(flow).oriented(rect(0, 0, 100, length).size))
      return try place(element, flow)
    }
    // d = 0: 1.5 times; d = -1/2: 1.25 times; d = 3/4: 1.125 times.
    #expect(try frame(260, 80) == rect(-25, 240, 150, 120))
    #expect(try frame(180, 40) == rect(-12.5, 175, 125, 50))
    #expect(try frame(434, 32) == rect(-6.25, 432, 112.5, 36))
  }

  @Test(arguments: flows)
  func scaleIgnoresCellsThatOnlyTouchTheVisibleRectangle(flow: Flow) throws {
    for start in [60.0, 500] {
      let element = try applied(
        .scale(), flow, visible: (100, 400), to: rect(0, start, 100, 40))
      #expect(element.transform3D.isIdentity)
    }
    let element = try applied(.scale(), flow, visible: (100, 400), to: rect(-50, 200, 50, 40))
    #expect(element.transform3D.isIdentity)
  }

  @Test func scaleIsNeverNegative() throws {
    let flow = Flow(axis: .vertical, isMirrored: false)
    // The middle of a cell far longer than the visible rectangle: d = -10.9.
    let element = try applied(
      .scale(maximumScale: 1.5), flow, visible: (1000, 100), to: rect(0, 0, 100, 1010))
    #expect(element.transform == Transform(scale: 0))
    #expect(try element.frame == rect(50, 505, 0, 0))
  }

  @Test func scaleBelowOneShrinksTowardTheMiddle() throws {
    let element = try applied(
      .scale(maximumScale: 0.5), Flow(axis: .vertical, isMirrored: false), visible: (100, 400),
      to: rect(0, 260, 100, 80))
    #expect(try element.frame == rect(25, 280, 50, 40))
  }

  // MARK: - Cover stack

  @Test(arguments: flows)
  func coverStackKeepsCellsAtTheVisibleStart(flow: Flow) throws {
    func frame(_ start: Double) throws -> Rect {
      let element = try applied(
        .coverStack, flow, visible: (100, 400), to: rect(0, start, 100, 80))
      #expect(element.zIndex == 3)
      return try place(element, flow)
    }
    // Half passed: 0.975 times; wholly passed and beyond: 0.95 times.
    #expect(try frame(60) == rect(1.25, 101, 97.5, 78))
    #expect(try frame(20) == rect(2.5, 102, 95, 76))
    #expect(try frame(-900) == rect(2.5, 102, 95, 76))
    #expect(try frame(100) == rect(0, 100, 100, 80))
    #expect(try frame(700) == rect(0, 700, 100, 80))
  }

  // MARK: - Rotary

  @Test(arguments: flows)
  func rotaryTurnsCellsAboutTheCrossAxis(flow: Flow) throws {
    // d = 1/2, so 30 degrees; negative where d is along the content's own axis.
    let element = try applied(.rotary(), flow, visible: (0, 200), to: rect(0, 125, 100, 50))
    #expect(element.zIndex == 500)
    #expect(element.transform == .identity)
    let transform = element.transform3D
    let isReversed = flow.axis == .horizontal && flow.isMirrored
    let sine = isReversed ? 0.5 : -0.5
    let cosine = 0.8660254037844386
    if flow.axis == .vertical {
      #expect(transform.m11 == 1)
      #expect(abs(transform.m22 - cosine) < 1e-12)
      #expect(abs(transform.m23 - sine) < 1e-12)
      #expect(abs(transform.m24 - sine / -500) < 1e-12)
    } else {
      #expect(transform.m22 == 1)
      #expect(abs(transform.m11 - cosine) < 1e-12)
      #expect(abs(transform.m13 + sine) < 1e-12)
      #expect(abs(transform.m14 + sine / -500) < 1e-12)
    }
    #expect(abs(transform.m34 - cosine / -500) < 1e-12)
    #expect(transform.m44 == 1)
    // The signs of both axes are Core Animation's: the middle of the visible
    // rectangle is farther away where y is the axis, nearer where it is x.
    let isFarToward = flow.axis == .horizontal
    let frame = try place(element, flow)
    let (near, far) = (cosine * 25 / 0.975, cosine * 25 / 1.025)
    let across = 50 / 0.975
    let tolerance = 0.51 / 64
    #expect(abs(frame.minX.points - (50 - across)) < tolerance)
    #expect(abs(frame.maxX.points - (50 + across)) < tolerance)
    #expect(abs(frame.minY.points - (150 - (isFarToward ? far : near))) < tolerance)
    #expect(abs(frame.maxY.points - (150 + (isFarToward ? near : far))) < tolerance)
  }

  @Test(arguments: flows)
  func rotaryHoldsItsAngleAndItsOrderBeyondTheEnds(flow: Flow) throws {
    let far = try applied(.rotary(), flow, visible: (0, 200), to: rect(0, 375, 100, 50))
    let end = try applied(.rotary(), flow, visible: (0, 200), to: rect(0, 175, 100, 50))
    #expect(far.transform3D == end.transform3D)
    #expect((far.zIndex, end.zIndex) == (0, 0))
    let middle = try applied(.rotary(), flow, visible: (0, 200), to: rect(0, 75, 100, 50))
    #expect(middle.zIndex == 1000)
    #expect(try place(middle, flow) == rect(0, 75, 100, 50))
    // 0.5 thousandths, at either side, are one.
    for start in [974.5, 975.5] {
      let near = try applied(.rotary(), flow, visible: (0, 2000), to: rect(0, start, 100, 50))
      #expect(near.zIndex == 999)
    }
  }

  @Test func rotaryOfFarCellsAndNarrowVisibleRectanglesStaysInBounds() throws {
    let far = Rect(
      x: .zero, y: Limits.contentLengthMax, width: Length(units: 64), height: Length(units: 64))
    let element = try applied(
      .rotary(), Flow(axis: .vertical, isMirrored: false), visible: (0, 1.0 / 64), to: far)
    #expect(element.zIndex == 0)
  }

  @Test func cellsStayBelowPinnedElements() throws {
    let flow = Flow(axis: .vertical, isMirrored: false)
    let frame = try rect(0, 0, 100, 400)
    for effect in [Effect.coverStack, .pageTurn] {
      let element = try applied(
        effect, flow, visible: (0, 400), item: 1 << 33, of: 1 << 40, to: frame)
      #expect(element.zIndex == Limits.customZIndexMax)
    }
    let last = try applied(
      .pageTurn, flow, visible: (0, 400), item: (1 << 40) - 1, of: 1 << 40, to: frame)
    #expect(last.zIndex == 1)
  }

  // MARK: - Page turn

  @Test(arguments: flows)
  func pageTurnKeepsLaterPagesUnderTheCurrentOne(flow: Flow) throws {
    func frame(_ item: Int, visibleStart: Double) throws -> Rect {
      let element = try applied(
        .pageTurn, flow, visible: (visibleStart, 400), item: item, of: 3,
        to: rect(0, Double(item) * 400, 100, 400))
      #expect(element.zIndex == 3 - item)
      #expect(element.transform3D.isIdentity)
      return try place(element, flow)
    }
    #expect(try frame(0, visibleStart: 150) == rect(0, 0, 100, 400))
    #expect(try frame(1, visibleStart: 150) == rect(0, 150, 100, 400))
    #expect(try frame(2, visibleStart: 150) == rect(0, 150, 100, 400))
    // At its start a page is the current one.
    #expect(try frame(0, visibleStart: 400) == rect(0, 0, 100, 400))
    #expect(try frame(1, visibleStart: 400) == rect(0, 400, 100, 400))
    #expect(try frame(2, visibleStart: 400) == rect(0, 400, 100, 400))
    // Before the first page the first is current.
    #expect(try frame(0, visibleStart: -50) == rect(0, 0, 100, 400))
    #expect(try frame(1, visibleStart: -50) == rect(0, -50, 100, 400))
  }

  // MARK: - No effect

  @Test func aVisibleRectangleWithoutLengthHasNoEffect() throws {
    let space = try space(Flow(axis: .horizontal, isMirrored: false))
    for effect in [Effect.scale(), .coverStack, .rotary(), .pageTurn] {
      #expect(
        VisibleEffect(
          effect, in: space, mainLength: Self.mainLength, itemCount: 1,
          visible: try rect(0, 0, 0, 100)) == nil)
      #expect(
        VisibleEffect(
          effect, in: space, mainLength: Self.mainLength, itemCount: 1,
          visible: try rect(0, 0, 1, 0)) != nil)
    }
  }

  @Test func onlyCellsAreChanged() throws {
    let space = try space(Flow(axis: .vertical, isMirrored: false))
    for effect in [Effect.scale(), .coverStack, .rotary(), .pageTurn] {
      let visible = try #require(
        VisibleEffect(
          effect, in: space, mainLength: Self.mainLength, itemCount: 1,
          visible: rect(0, 30, 100, 400)))
      for category in [
        LayoutAttributes.Category.supplementary(kind: .header), .decoration(kind: "card"),
      ] {
        let before = LayoutAttributes(
          category: category, indexPath: IndexPath(section: 0), sectionKey: "s",
          frame: try rect(0, 0, 100, 50))
        var after = before
        visible.apply(to: &after, number: 1)
        #expect(after == before)
      }
    }
  }
}
