import CollectionLayout
import Foundation
import LayoutCacheTestSupport
import LayoutGeometry
import LayoutStore
import TestSupport
import Testing

@testable import LayoutCache

/// Layouts after changes that are not committed.
@Suite struct PreviewTests {
  private static let waterfall = """
    {"container":{"width":300},"section":{"columns":3,"header":20},"sections":{"b":{"header":0}}}
    """
  private static let everything = Rect(
    x: .zero, y: .zero, width: Length(units: 1 << 40), height: Length(units: 1 << 40))

  /// Two sections of items of different lengths, "a-0" to "b-19".
  private func feed(
    _ configuration: String = Self.waterfall, options: LayoutCacheOptions = LayoutCacheOptions()
  ) throws -> TestFeed {
    try TestFeed(
      ["a", "b"].map { OracleSection($0, sizes: (0..<20).map { (10, Double(5 + $0 * 7 % 11)) }) },
      configuration: configuration, options: options)
  }

  private func elements(_ snapshot: LayoutSnapshot) throws -> [LayoutAttributes] {
    try snapshot.elements(in: Self.everything).elements
  }

  private static let batch: [BatchOperation] = [
    .delete(keys: ["a-3", "b-0"]), .move(key: "a-7", to: .index(2, section: "b")),
    .insertSection(key: "c", index: 1),
    .insert([try! Item(key: "new", width: 10, height: 40)], at: .end(section: "c")),
    .resize(key: "a-0", size: Size(width: 10, height: 99)),
    .prefer(layout: "layout", key: "b-5", length: 77), .moveSection(key: "b", index: 0),
    .preferSupplementary(layout: "layout", kind: .header, section: "a", length: 35),
    .data(key: "b-1", try! ItemData(json: "{}")), .mark(source: "s", position: "1"),
  ]

  @Test func nothingIsStored() throws {
    let feed = try feed()
    let cache = feed.cache
    _ = try feed.read { try elements($0) }
    try cache.update("feed", with: [.delete(keys: ["a-1"])])
    try cache.checkpoint()
    func tables() throws -> [[String]] {
      try cache.store.read { reader in
        [try reader.layouts(of: reader.requireDataset("feed").id).map { "\($0)" }]
      } + [[try cache.dataset("feed").revision.description]]
    }
    let (before, file) = (try tables(), try Data(contentsOf: URL(filePath: feed.path)))
    let wide = try ConfigurationText.decode(#"{"container":{"width":900},"section":{"columns":9}}"#)
    try feed.read { snapshot in
      _ = try snapshot.preview(Self.batch)
      _ = try snapshot.preview([.invalidate(layout: "layout", everything: true)])
      _ = try snapshot.preview(Self.batch, configuration: wide)
      _ = try snapshot.preview(undoTo: 1)
      #expect(try elements(snapshot).count == 40)
    }
    #expect(try tables() == before)
    #expect(try Data(contentsOf: URL(filePath: feed.path)) == file)
    // A batch whose mark is set is a repeat.
    try cache.update("feed", with: Self.batch)
    try feed.read { snapshot in
      let repeated = try snapshot.preview(Self.batch)
      #expect(repeated.commit.isRepeated && repeated.context.isEmpty)
      #expect(repeated.snapshot.incarnation == snapshot.incarnation)
    }
  }

  @Test func errorsAreThoseOfTheCommit() throws {
    let feed = try feed()
    try feed.cache.update("feed", with: [.delete(keys: ["a-1"])])
    let snapshot = try feed.read { $0 }
    let long = try Item(key: "long", width: 1, height: 1)
    for batch: [BatchOperation] in [
      [.delete(keys: ["a-1"])], [.insert([long], at: .end(section: "none"))],
      [.prefer(layout: "other", key: "a-0", length: 5)],
      [.delete(keys: ["a-0"]), .move(key: "a-0", to: .end(section: "b"))],
      [.mark(source: "s", position: "2", after: .position("1"))],
      [.rebalance(layout: "none")],
    ] {
      func message(_ body: () throws -> Void) -> String? {
        do { try body() } catch { return "\(error)" }
        return nil
      }
      let expected = message { try feed.cache.update("feed", with: batch) }
      let found = message { _ = try snapshot.preview(batch) }
      #expect(found == expected && expected != nil)
    }
    #expect { try snapshot.preview(undoTo: 0) } throws: { error in
      if case .cannotUndo(1, .imported, _)? = (error as? LayoutCacheError)?.code {
        true
      } else {
        false
      }
    }
    #expect { try snapshot.preview(undoTo: 3) } throws: { error in
      if case .noSuchRevision(3, present: 2, _)? = (error as? LayoutCacheError)?.code {
        true
      } else {
        false
      }
    }
    let responsive = #"{"container":{"widths":{}},"section":{"columns":4}}"#
    #expect {
      try snapshot.preview([], configuration: ConfigurationText.decode(responsive))
    } throws: { error in
      guard case .variant(_, let variant)? = (error as? LayoutCacheError)?.code
      else { return false }
      return variant.code == .sizeMissing
    }
    try feed.cache.setLayout(
      LayoutID("fluid", of: "feed"), to: ConfigurationText.decode(responsive))
    try feed.cache.read(LayoutID("fluid@400", of: "feed")) {
      let other = responsive.replacing(":4", with: ":2")
      let variant = try $0.preview([], configuration: ConfigurationText.decode(other)).snapshot
      let columns = try variant.columnEnds(inSection: 0).count
      #expect(columns == 2 && variant.contentSize.width == 400)
    }
    let preview = try snapshot.preview([.delete(keys: ["a-0"])]).snapshot
    #expect(throws: LayoutCacheError.self) { try preview.preview(undoTo: 1) }
    #expect(try preview.preview([.delete(keys: ["a-2"])]).snapshot.itemCount == 37)
    var configuration = try ConfigurationText.decode(Self.waterfall)
    configuration.section.columns = 0
    #expect(throws: LayoutCacheError.self) {
      try snapshot.preview([], configuration: configuration)
    }
  }

  @Test func aContinuationResumesOnlyTheSamePreview() throws {
    let feed = try feed()
    try feed.read { snapshot in
      let preview = try snapshot.preview([.delete(keys: ["a-0"])]).snapshot
      let page = try preview.elements(fromKey: "a-1", count: 3)
      let next = try #require(page.next.flatMap { Continuation(token: $0.token) })
      let same = try snapshot.preview([.delete(keys: ["a-0"])]).snapshot
      let rest = try same.elements(after: next).elements
      let keys = rest.map { OracleElement($0).key }
      #expect(keys == ["a-4", "a-5", "a-6"])
      let other = try snapshot.preview([.delete(keys: ["a-19"])]).snapshot
      for snapshot in [other, snapshot] {
        #expect {
          try snapshot.elements(after: next)
        } throws: { error in
          if case .continuationExpired? = (error as? LayoutCacheError)?.code { true } else { false }
        }
      }
    }
  }

  /// Without permission for a pass there is no preview, unless it is in memory.
  @Test func passesAreCountedAndRetained() throws {
    var options = LayoutCacheOptions()
    options.treeShapes.committedMax = 10
    let feed = try feed(options: options)
    let wide = try ConfigurationText.decode(#"{"container":{"width":900},"section":{"columns":9}}"#)
    let many = (0..<11).map { try! Item(key: "n\($0)", width: 1, height: 1) }
    func preview(_ request: PreviewRequest, _ mayTakePass: Bool) throws -> LayoutPreview? {
      try feed.read {
        try feed.cache.preview(
          request, of: $0, visible: nil, anchor: .cell, mayTakePass: mayTakePass)
      }
    }
    #expect(try preview(PreviewRequest(.batch([.delete(keys: ["a-0"])])), false) != nil)
    for request in [
      PreviewRequest(.batch([]), configuration: wide), PreviewRequest(.undo(to: 1)),
      PreviewRequest(.batch([.resetLengths(layout: "layout")])),
      PreviewRequest(.batch([.invalidate(layout: "layout", everything: true)])),
      PreviewRequest(.batch([.insert(many, at: .end(section: "a"))])),
    ] {
      #expect(try preview(request, false) == nil)
      let made = try preview(request, true)
      let known = try preview(request, false)
      #expect(made != nil && made?.snapshot === known?.snapshot)
    }
    // Another direction, and another result at the same revision, have their own.
    let past = PreviewRequest(.undo(to: 1))
    let mirrored = try feed.read {
      try feed.cache.preview(
        past, of: $0.reading(.rightToLeft), visible: nil, anchor: .cell, mayTakePass: true)
    }
    #expect(mirrored?.snapshot.layoutDirection == .rightToLeft)
    #expect(try preview(past, true)?.snapshot.layoutDirection == .leftToRight)
    try feed.set(#"{"container":{"width":300},"section":{"columns":2}}"#)
    #expect(try preview(past, true)?.snapshot.contentSize == feed.read { $0.contentSize })
    try feed.cache.update("feed", with: [.delete(keys: ["b-0"])])
    #expect(try preview(PreviewRequest(.batch([]), configuration: wide), false) == nil)
    let error = LayoutCacheError(previewOf: 3_000_000)
    #expect(
      "\(error)" == """
        the number of the preview's items is 3000000; the limit is 2097152; store the \
        layout, or apply the batch, and query it
        """)
  }
}
