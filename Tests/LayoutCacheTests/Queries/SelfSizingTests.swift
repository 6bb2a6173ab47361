import CollectionLayout
import LayoutCache
import LayoutCacheTestSupport
import LayoutGeometry
import TestSupport
import Testing

/// Whether measurements need a commit, and its result.
@Suite struct SelfSizingTests {
  /// Every cell, header and footer with its measured size.
  private func preferences(
    _ example: KindExample, larger: Size
  ) throws -> (feed: TestFeed, elements: [LayoutAttributes], operations: [BatchOperation?]) {
    let feed = try TestFeed(
      [.mixed("a", count: 7), .mixed("b", count: 3)],
      configuration: example.configuration(
        extra: #","header":20,"footer":10,"background":{"kind":"card"}"#))
    return try feed.read { snapshot in
      let all = Rect(origin: .zero, size: snapshot.contentSize)
      let elements = try snapshot.elements(in: all).elements
      let operations = elements.map { element in
        var preferred = element
        preferred.untransformedFrame.size = element.untransformedFrame.size + larger
        let operation = snapshot.preference(preferred, original: element)
        #expect(
          snapshot.shouldInvalidate(preferred: preferred, original: element)
            == (operation != nil))
        return operation
      }
      return (feed, elements, operations)
    }
  }

  @Test(arguments: KindExample.all)
  func onlyMeasurementsThatChangeTheLayoutNeedACommit(_ example: KindExample) throws {
    let isMeasured = KindExample.measured.contains { $0.name == example.name }
    let isFlow = isMeasured && example.name.contains("flow")
    let none = try preferences(example, larger: .zero)
    #expect(none.operations.allSatisfy { $0 == nil })
    let across = try preferences(example, larger: Size(width: 3, height: 0))
    for (element, operation) in zip(across.elements, across.operations) {
      if case .cell = element.category {
        #expect((operation != nil) == isFlow)
      } else {
        #expect(operation == nil)
      }
    }
    let longer = try preferences(example, larger: Size(width: 0, height: 7))
    for (element, operation) in zip(longer.elements, longer.operations) {
      switch element.category {
      case .cell: #expect((operation != nil) == isMeasured)
      case .supplementary: #expect(operation != nil)
      default: #expect(operation == nil)
      }
    }
    let measured = longer.elements.map { element in
      var preferred = element
      preferred.untransformedFrame.size.height += 7
      return preferred
    }
    let foreseen = try longer.feed.read { snapshot in
      // All cells are one operation; of several entries for one element the last counts.
      #expect(try snapshot.preferences(from: measured + longer.elements).isEmpty)
      let operations = try snapshot.preferences(from: longer.elements + measured)
      #expect(operations.count == (isMeasured ? 5 : 4))
      // The context is known before the commit.
      #expect(try snapshot.invalidationContext(forPreferred: longer.elements).isEmpty)
      return (operations, try snapshot.invalidationContext(forPreferred: measured))
    }
    // After one commit for the whole screen, they have the measured lengths.
    let commit = try longer.feed.cache.update("feed", with: foreseen.0)
    #expect(commit.layouts["layout"]?.context == foreseen.1)
    try longer.feed.read { snapshot in
      #expect(try snapshot.preferences(from: measured).isEmpty)
      let all = Rect(origin: .zero, size: snapshot.contentSize)
      let found = try snapshot.elements(in: all).elements
      for (element, operation) in zip(longer.elements, longer.operations) where operation != nil {
        let same = found.first {
          $0.category == element.category && $0.indexPath == element.indexPath
        }
        #expect(same?.untransformedFrame.size.height == element.untransformedFrame.size.height + 7)
      }
    }
    #expect(try longer.feed.cache.verify().problems.isEmpty)
  }
}
