import CollectionLayout
import Foundation
import LayoutCache
import LayoutCacheService
import LayoutGeometry
import TestSupport
import Testing

/// Requests for scrolling, rotating, animating and dragging: answers match the library's and
/// belong to one state.
@Suite struct InteractionTests {
  private static let path = "/v1/datasets/feed/layouts/phone"
  private static let phone = LayoutID("phone", of: "feed")

  private func frame(_ element: Any?) -> [String: Double] {
    (element as? [String: Any])?["frame"] as? [String: Double] ?? [:]
  }

  private func frame(_ rect: Rect) -> [String: Double] {
    [
      "x": rect.minX.points, "y": rect.minY.points, "width": rect.size.width.points,
      "height": rect.size.height.points,
    ]
  }

  private func offset(_ point: Point?) -> [String: Double]? {
    point.map { ["x": $0.x.points, "y": $0.y.points] }
  }

  private func setWide(_ cache: LayoutCache) throws {
    try cache.setLayout(
      LayoutID("wide", of: "feed"),
      to: ConfigurationText.decode(
        #"{"container":{"width":844,"height":390},"section":{"columns":4}}"#))
  }

  private func holds(
    _ transition: LayoutTransition, _ answer: [String: Any], _ origin: Comment
  ) {
    for (name, elements) in [
      ("appearing", transition.appearing), ("disappearing", transition.disappearing),
      ("moving", transition.moving),
    ] {
      let found = answer[name] as? [[String: Any]] ?? []
      #expect(
        found.map { frame($0["initial"]) } == elements.map { frame($0.initial.frame) }, origin)
      #expect(found.map { frame($0["final"]) } == elements.map { frame($0.final.frame) }, origin)
      #expect(
        found.map { $0["change"] as? String ?? "none" } == elements.map(\.change.rawValue), origin)
    }
  }

  @Test(arguments: [4, 5] as [UInt64])
  func transitionsAndAnchorsMatchTheLibrary(seed: UInt64) async throws {
    var generator = SeededGenerator(seed: seed)
    try await TestService.run { service in
      let cache = service.cache
      try service.makeFeed(items: 150)
      try setWide(cache)
      for step in 0..<12 {
        let known = try cache.read(Self.phone, { $0 })
        let index = Int.random(in: 0..<140, using: &generator)
        let item = try Item(key: "new\(step)", width: 3, height: Double(1 + step))
        try cache.update(
          "feed",
          with: [
            .insert([item], at: .index(index, section: "s")),
            .resize(key: "i\(step)", size: try Item(key: "a", width: 1, height: 2).size),
          ])
        let top = Double(Int.random(in: 0...9000, using: &generator))
        let rect = try #require(Rect(pointsX: 0, y: top, width: 390, height: 700))
        let origin = Comment(rawValue: "seed \(seed), step \(step)")
        // All combinations: from the same layout or another, and from before the change or now.
        for (name, since) in [("phone", true), ("wide", false), ("wide", true), ("phone", false)] {
          let last = try cache.read(LayoutID(name, of: "feed"), { $0 })
          let first = since ? known : try cache.read(Self.phone, { $0 })
          let query =
            "=0,\(top),390,700" + (since ? "&since=\(known.revision)" : "")
            + (name == "phone" ? "" : "&to=\(name)")
          let transition = try await service.send("GET", "\(Self.path)/transition?rect\(query)")
          #expect(transition.object["everything"] as? Bool == false, origin)
          #expect(transition.object["layout"] as? String == name, origin)
          #expect(transition.object["incarnation"] as? String == last.incarnation.rawValue, origin)
          holds(try first.transition(to: last, in: rect), transition.object, origin)
          let place = try await service.send("GET", "\(Self.path)/anchor?visible\(query)").object
          let kept = try last.contentOffset(keeping: rect, of: first)
          #expect(
            place["contentOffset"] as? [String: Double] == offset(kept?.contentOffset), origin)
          #expect(place["key"] as? String == kept?.key, origin)
          #expect(place["exact"] as? Bool ?? true == kept?.isExact ?? true, origin)
        }
      }
    }
  }

  @Test func unknownStartingStatesAreReported() async throws {
    try await TestService.fed { service in
      _ = try service.cache.read(Self.phone, { $0.revision })
      for name in ["transition?rect", "anchor?visible"] {
        let past = "\(Self.path)/\(name)=0,0,390,400&since"
        let gone = try await service.send("GET", "\(past)=0")
        #expect(gone.status == 200 && gone.object["everything"] as? Bool == true)
        #expect(
          gone.object["moving"] == nil && gone.object["contentOffset"] as? NSNull != nil
            || name.hasPrefix("transition"))
        let toCome = try await service.send("GET", "\(past)=99")
        #expect(toCome.status == 400 && toCome.object["revision"] as? Int == 1)
        let nowhere = try await service.send("GET", "\(Self.path)/\(name)=0,0,390,400&to=none")
        #expect(nowhere.status == 404)
      }
    }
  }

  @Test func scrollingAndRotationMatchTheLibrary() async throws {
    try await TestService.fed { service in
      try setWide(service.cache)
      for (offset, velocity, x) in [
        (0.0, 0.0, ""), (333.3, 1, "-1,"), (333.3, -1, "1,"), (99_999, 0, ""), (333.3, 1, ""),
      ] {
        let answer = try await service.send(
          "GET",
          "\(Self.path)/target-offset?offset=0,\(offset)&velocity=\(x)\(velocity)&size=390,500")
        let expected = try service.cache.read(
          Self.phone,
          {
            try $0.targetContentOffset(
              forProposed: Point(x: .zero, y: Length(points: offset)!),
              velocity: ScrollVelocity(x: 0, y: velocity),
              visibleSize: Size(width: .points(390), height: .points(500)))
          })
        #expect(answer.object["contentOffset"] as? [String: Double] == self.offset(expected))
        #expect(answer.headers["etag"] != nil)
      }
      // Paging moves by one page from the start of the drag, whatever the velocity.
      try service.cache.setLayout(
        LayoutID("pages", of: Self.phone.dataset),
        to: LayoutConfiguration(
          container: LayoutConfiguration.Container(width: 390, height: 500),
          section: .waterfall(columns: 1), snap: .page))
      let pages = Self.path.replacing("/phone", with: "/pages")
      for (start, y) in [("&from=0,0", 500.0), ("&from=0,1000", 1500), ("", 2000)] {
        let answer = try await service.send(
          "GET", "\(pages)/target-offset?offset=0,1900&velocity=2&size=390,500\(start)")
        #expect((answer.object["contentOffset"] as? [String: Double])?["y"] == y)
      }
    }
  }

  @Test func movementMatchesTheLibraryAndStoresNothing() async throws {
    try await TestService.fed { service in
      let rect = Rect(x: .zero, y: .zero, width: .points(390), height: .points(2000))
      let answer = try await service.send(
        "GET", "\(Self.path)/movement?key=i7&key=i2&key=i7&point=300,900&rect=0,0,390,2000")
      let (movement, elements) = try service.cache.read(
        Self.phone,
        { snapshot -> (InteractiveMovement, [LayoutAttributes]) in
          var movement = try snapshot.beginMovement(of: ["i7", "i2"])
          try movement.update(to: Point(x: .points(300), y: .points(900)))
          return (movement, try movement.elements(in: rect))
        })
      #expect(
        answer.object["indexPaths"] as? [[Int]]
          == movement.indexPaths.map { [$0.section, $0.item ?? -1] })
      let found = answer.object["elements"] as? [[String: Any]] ?? []
      #expect(found.map { frame($0) } == elements.map { frame($0.frame) })
      let operations = answer.object["operations"] as? [[String: Any]] ?? []
      #expect(operations.map { $0["key"] as? String } == ["i2", "i7"])
      #expect(try service.cache.datasets().map(\.revision) == [1])
      // A client that sends the target of the previous answer gets the same result as a stored
      // movement.
      var kept = try service.cache.read(Self.phone, { try $0.beginMovement(of: ["i3"]) })
      var current = ""
      var targets: Set<[Int]> = []
      for step in 0..<30 {
        let (x, y) = (step * 37 % 390, step / 2 * 90)
        try kept.update(to: Point(x: .points(Double(x)), y: .points(Double(y))))
        let answer = try await service.send(
          "GET", "\(Self.path)/movement?key=i3&point=\(x),\(y)\(current)")
        let target = try #require(answer.object["targetIndexPath"] as? [Int])
        #expect(target == [kept.targetIndexPath.section, kept.targetIndexPath.item ?? -1])
        current = "&current=\(target[0]).\(target[1])"
        targets.insert(target)
      }
      #expect(targets.count > 2)
      for text in [
        "", "0", "x", "0.0.0", "-1.0", "0.-1", "0.1.", "99.0", "0.100000", "1e3.0",
        "9223372036854775807.9223372036854775807", "-9223372036854775808.-9223372036854775808",
        "99999999999999999999.0",
      ] {
        let answer = try await service.send(
          "GET", "\(Self.path)/movement?key=i3&point=0,0&current=\(text)")
        #expect(answer.status == 400, "\(text)")
      }
      let unknown = try await service.send("GET", "\(Self.path)/movement?key=none&point=0,0")
      #expect(unknown.status == 404)
    }
  }
}
