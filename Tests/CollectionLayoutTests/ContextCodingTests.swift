import CollectionLayout
import LayoutGeometry
import TestSupport
import Testing

/// The JSON and the short descriptions of invalidation contexts.
@Suite struct ContextCodingTests {
  private var context: InvalidationContext {
    var context = InvalidationContext()
    context.invalidate(
      SectionInvalidation(
        section: 3, items: RangeSet([4..<10, 12..<13]), columns: RangeSet([0..<1, 2..<3]),
        interval: 20..<360.5))
    context.contentSizeAdjustment = Size(width: 0, height: 12)
    context.contentOffsetAdjustment = Point(x: 0, y: -1.5)
    context.work = LayoutWork(recomputedItems: 1, recomputedColumns: 2, changedNodes: 4)
    return context
  }

  @Test func aContextIsEncodedAsTheCommandPrintsIt() throws {
    #expect(
      try json(context)
        == #"{"changedNodes":4,"contentOffsetAdjustment":{"x":0,"y":-1.5},"#
        + #""contentSizeAdjustment":{"height":12,"width":0},"everything":false,"#
        + #""recomputedColumns":2,"recomputedItems":1,"sections":[{"columns":[0,2],"#
        + #""interval":[20,360.5],"items":[[4,9],[12,12]],"section":3}]}"#)
    #expect(
      try json(InvalidationContext.everything(.relaid))
        == #"{"changedNodes":0,"contentOffsetAdjustment":{"x":0,"y":0},"#
        + #""contentSizeAdjustment":{"height":0,"width":0},"dataSourceCounts":true,"#
        + #""everything":true,"reason":"relaid","recomputedColumns":0,"recomputedItems":0,"#
        + #""sections":[]}"#)
  }

  @Test func anIntervalCountsFromTheContentsLeadingEdge() throws {
    let section = SectionInvalidation(
      section: 0, interval: 20..<30, start: 100, supplementaryElements: [.header, .footer],
      decorationElements: ["shade", "card"])
    #expect(
      try json(section)
        == #"{"columns":[],"decorationElements":["card","shade"],"interval":[120,130],"#
        + #""items":[],"section":0,"start":100,"supplementaryElements":["footer","header"]}"#)
    #expect(try decode(json(section)) == section)
    // The command does not print the start.
    let printed: SectionInvalidation = try decode(
      #"{"section":0,"items":[],"columns":[],"interval":[120,130]}"#)
    #expect(printed.contentInterval == section.contentInterval && printed.start == 0)
  }

  @Test func sectionChangesAreEncodedAsOperations() throws {
    let changes: [SectionChange] = [.insert(0), .delete(3), .move(from: 1, to: 2)]
    #expect(
      try json(changes)
        == #"[{"index":0,"op":"insert"},{"index":3,"op":"delete"},{"from":1,"op":"move","to":2}]"#)
    #expect(throws: DecodingError.self) { try decode(#"{"op":"turn","index":0}"#) as SectionChange }
  }

  @Test(arguments: [
    #"{"section":0,"items":[[2,1]],"columns":[]}"#, #"{"section":0,"items":[[1]],"columns":[]}"#,
    #"{"section":0,"items":[[0,9223372036854775807]],"columns":[]}"#,
    #"{"section":0,"items":[],"columns":[9223372036854775807]}"#,
    #"{"section":0,"items":[],"columns":[],"interval":[2,1]}"#,
    #"{"section":0,"items":[],"columns":[],"interval":[1]}"#,
    #"{"section":0,"items":[],"columns":[],"supplementaryElements":[1]}"#,
    #"{"items":[],"columns":[]}"#,
  ])
  func invalidRangesAreRejected(text: String) {
    #expect(throws: DecodingError.self) { try decode(text) as SectionInvalidation }
  }

  @Test(.property, arguments: PropertyRun.seeds)
  func encodedValuesAreDecodedUnchanged(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    func number(_ max: Int = 9) -> Int { .random(in: 0...max, using: &random) }
    func length() -> Length { Length(units: .random(in: -999...9999, using: &random)) }
    func ranges() -> RangeSet<Int> {
      RangeSet(
        (0..<number(3)).map { _ in
          let first = number(99)
          return first..<(first + number(5))
        })
    }
    func section() -> SectionInvalidation {
      let edges = [length(), length()].sorted()
      return SectionInvalidation(
        section: number(), items: ranges(), columns: ranges(),
        interval: random.oneIn(3) ? nil : edges[0]..<edges[1], start: length(),
        supplementaryElements: [[], [.header], [.footer, .header]][number(2)],
        decorationElements: [[], ["card"], ["card", "b"]][number(2)])
    }
    for _ in PropertyRun.each(seed, steps: 100) {
      var context =
        random.oneIn(9) ? InvalidationContext.everything(.relaid) : InvalidationContext()
      for _ in 0..<number(3) {
        switch number(3) {
        case 0: context.append(.insert(number()))
        case 1: context.append(.delete(number()))
        default: context.append(.move(from: number(), to: number()))
        }
      }
      for _ in 0..<number(4) { context.invalidate(section()) }
      context.supplementaryElements = [[], [.layoutFooter]][number(1)]
      context.decorationElements = [[], ["card"]][number(1)]
      context.invalidateDataSourceCounts = random.oneIn(2)
      context.contentSizeAdjustment = Size(width: length(), height: length())
      context.contentOffsetAdjustment = Point(x: length(), y: length())
      context.work = LayoutWork(
        recomputedItems: number(), recomputedColumns: number(), changedNodes: number())
      #expect(try decode(json(context)) == context)
    }
  }

  @Test func descriptionsListTheInvalidatedParts() {
    #expect("\(InvalidationContext())" == "nothing")
    #expect("\(InvalidationContext.everything(.relaid))" == "everything")
    #expect("\(context)" == "1 section, content size by 0 x 12, content offset by (0, -1.5)")
    var two = context
    two.invalidate(SectionInvalidation(section: 0, supplementaryElements: [.footer]))
    two.append(.insert(9))
    #expect("\(two)".hasPrefix("2 sections, counts, content size by "))
    #expect(
      "\(two.sections[1])"
        == "section 3: items 4..<10, 12..<13; columns 0..<1, 2..<3; interval 20..<360.5")
    #expect("\(two.sections[0])" == "section 0: footer")
    #expect("\(SectionInvalidation(section: 7))" == "section 7: nothing")
  }
}
