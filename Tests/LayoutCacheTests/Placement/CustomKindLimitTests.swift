import CollectionLayout
import LayoutCache
import LayoutCacheTestSupport
import LayoutGeometry
import TestSupport
import Testing

/// A result of a custom kind's rule beyond a limit makes the layout lag, however it is detected.
@Suite struct CustomKindLimitTests {
  /// A rule that places items of span 7 according to its options, and others in a stack.
  private struct Rogue: SectionLayout {
    static let kind = "rogue"
    private let options: [String: ConfigurationValue]

    init(options: [String: ConfigurationValue], in space: SectionSpace) { self.options = options }

    private func units(_ name: String, _ standard: Int64) -> Length {
      Length(units: options[name]?.number.map { Int64($0) * 64 } ?? standard)
    }

    func place(
      _ item: LayoutItem, in context: ItemContext, state: inout [Int64]
    ) -> ItemPlacement {
      let size = item.size
      guard item.columnSpan == 7 else {
        return ItemPlacement(frame: Rect(origin: .zero, size: size), advance: size.height)
      }
      if let count = options["state"]?.number { state = Array(repeating: 1, count: Int(count)) }
      return ItemPlacement(
        frame: Rect(
          x: units("x", 0), y: units("y", 0), width: units("width", size.width.units),
          height: units("height", size.height.units)),
        advance: units("advance", size.height.units),
        zIndex: options["zIndex"]?.number.map { Int($0) } ?? 0,
        alpha: options["alpha"]?.number ?? 1, transform: transform,
        values: options["values"].map { ["v": $0, "w": $0] } ?? many)
    }

    private var transform: Transform3D {
      var transform = Transform3D.identity
      if let scale = options["scale"]?.number { transform.m11 = scale }
      if options["isNaN"]?.bool == true { transform.m34 = .nan }
      return transform
    }

    private var many: [String: ConfigurationValue] {
      if options["infinite"]?.bool == true {
        return ["a": .object(["b": .array([.number(-.infinity)])])]
      }
      let count = Int(options["count"]?.number ?? 0)
      return Dictionary(uniqueKeysWithValues: (0..<count).map { ("\($0)", .null) })
    }
  }

  private static let breaches = [
    (#"{"width":1000001}"#, "width of an item of kind 'rogue' is 1000001; the limit is 1000000"),
    (#"{"width":-1}"#, "width of an item of kind 'rogue' is -1; the minimum is 0"),
    (#"{"height":1000001}"#, "height of an item of kind 'rogue' is 1000001; the limit is 1000000"),
    (#"{"height":-1}"#, "height of an item of kind 'rogue' is -1; the minimum is 0"),
    (#"{"advance":-1}"#, "advance of an item of kind 'rogue' is -1; the minimum is 0"),
    (
      #"{"advance":16000001}"#,
      "advance of an item of kind 'rogue' is 16000001; the limit is 16000000"
    ),
    (#"{"x":-16000001}"#, "x of an item of kind 'rogue' is -16000001; the minimum is -16000000"),
    (#"{"y":16000001}"#, "y of an item of kind 'rogue' is 16000001; the limit is 16000000"),
    (
      #"{"zIndex":2147483630}"#,
      "z-index of an item of kind 'rogue' is 2147483630; the limit is 2147483629"
    ),
    (#"{"alpha":-0.5}"#, "alpha of an item of kind 'rogue' is -0.5; the minimum is 0"),
    (#"{"state":65}"#, "state count of an item of kind 'rogue' is 65; the limit is 64"),
    (#"{"scale":1e30}"#, "transform of an item of kind 'rogue' is 1e+30; the limit is 1000000000"),
    (#"{"isNaN":true}"#, "transform of an item of kind 'rogue' is nan, not a finite number"),
    (
      #"{"scale":100000000}"#,
      "extent of the transform of an item of kind 'rogue' is 249999997.515625; the limit is 16000000"
    ),
    (#"{"count":17}"#, "number of values of an item of kind 'rogue' is 17; the limit is 16"),
    (#"{"infinite":true}"#, "value of an item of kind 'rogue' is -inf, not a finite number"),
    (
      #"{"values":"\#(String(repeating: "\u{e9}", count: 300))"}"#,
      "number of bytes of values of an item of kind 'rogue' is 1215; the limit is 1024"
    ),
    (#"{"y":-31}"#, "start in the content of an item of kind 'rogue' is -1; the minimum is 0"),
  ]

  private func rogueFeed(_ options: String) throws -> TestFeed {
    try TestFeed(
      [OracleSection("s", sizes: [(5, 10), (5, 20)])],
      configuration:
        #"{"container":{"width":300},"section":{"kind":"rogue","options":\#(options)}}"#,
      kinds: [Rogue.self])
  }

  private func isRefusal(_ error: any Error, _ message: String) -> Bool {
    guard case .cannotLayOut(LayoutID("layout", of: "feed"), _) = (error as? LayoutCacheError)?.code
    else {
      return false
    }
    return "\(error)"
      == "layout 'layout' of dataset 'feed' cannot be laid out: item 'rogue': \(message)"
  }

  /// When a commit is followed, when the layout is laid out from scratch, and when it catches up.
  @Test(arguments: breaches)
  func aPlacementBeyondALimitLeavesTheLayoutBehind(options: String, message: String) throws {
    let rogue = try Item(key: "rogue", width: 5, height: 5, columnSpan: 7)
    let insertion = BatchOperation.insert([rogue], at: .end(section: "s"))
    let feed = try rogueFeed(options)
    let before = try feed.cache.frames()
    let commit = try feed.cache.update("feed", with: [insertion])
    #expect(commit.layouts.isEmpty)
    #expect(commit.behind.map(\.layout) == ["layout"])
    #expect(commit.behind.map(\.code) == ["cannotLayOut"])
    #expect(commit.behind.first?.reason.hasSuffix("item 'rogue': \(message)") == true)
    let fromScratch = try rogueFeed(options)
    try fromScratch.cache.update("feed", with: [insertion], preparing: .none)
    let lagging = try rogueFeed(options)
    _ = try lagging.cache.frames()
    // A process that knows no custom kinds.
    try LayoutCache(path: lagging.path).update("feed", with: [insertion], preparing: .none)
    for feed in [feed, fromScratch, lagging] {
      let cache = feed.cache
      #expect { try cache.frames() } throws: { isRefusal($0, message) }
      #expect {
        try cache.prepare(LayoutID("layout", of: "feed"))
      } throws: { isRefusal($0, message) }
      let report = try cache.verify()
      #expect(report.problems.isEmpty && report.itemCount == 3)
      // The offending item can be deleted.
      try cache.update("feed", with: [.delete(keys: ["rogue"])])
      #expect(try cache.frames() == before)
    }
  }

  @Test func aDeletionThatMovesAnItemAboveTheContentFailsTheLayout() throws {
    let feed = try rogueFeed(#"{"y":-15}"#)
    let cache = feed.cache
    let rogue = try Item(key: "rogue", width: 5, height: 5, columnSpan: 7)
    try cache.update("feed", with: [.insert([rogue], at: .end(section: "s"))])
    #expect(try cache.frames().map(\.minY.points) == [0, 10, 15])
    let commit = try cache.update("feed", with: [.delete(keys: ["s-1"])])
    #expect(commit.behind.map(\.layout) == ["layout"])
    #expect { try cache.frames() } throws: {
      isRefusal($0, "start in the content of an item of kind 'rogue' is -5; the minimum is 0")
    }
    // Making room for it brings the layout up to date again.
    try cache.update(
      "feed", with: [.insert([Item(key: "room", width: 5, height: 5)], at: .before("s-0"))])
    #expect(try cache.frames().map(\.minY.points) == [0, 5, 0])
    #expect(try cache.verify().problems.isEmpty)
  }
}
