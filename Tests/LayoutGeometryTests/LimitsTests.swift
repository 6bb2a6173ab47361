import LayoutGeometry
import Testing

@Suite struct LimitsTests {
  static let improperNames: [(String, LimitError.Code)] = [
    ("", LimitError.Code.tooShort), (String(repeating: "k", count: 256), .tooLong),
    (String(repeating: "é", count: 128), .tooLong), ("a\u{0}b", .controlCharacter),
    ("a\nb", .controlCharacter), ("\u{7F}", .controlCharacter), ("\u{85}", .controlCharacter),
  ]

  @Test(arguments: improperNames)
  func improperNamesAreRejected(name: String, code: LimitError.Code) {
    #expect { try Limits.check(name: name, as: "key") } throws: {
      ($0 as? LimitError)?.code == code
    }
  }

  @Test(arguments: [
    "a", String(repeating: "k", count: 255), "é", "\u{A0}", "日本語", "a b", "👩‍👩‍👧",
  ])
  func properNamesPass(name: String) throws {
    try Limits.check(name: name, as: "key")
  }

  static let improperSides: [(Double, LimitError.Code)] = [
    (.nan, .notFinite), (.infinity, .notFinite), (-.infinity, .notFinite),
    (0, .notPositive), (-1, .notPositive), (0.001, .notPositive), (1_000_000.02, .tooLarge),
  ]

  @Test(arguments: improperSides)
  func naturalSidesOutOfBoundsAreRejected(points: Double, code: LimitError.Code) {
    #expect { try Limits.naturalSide(points: points, as: "width") } throws: {
      ($0 as? LimitError)?.code == code
    }
  }

  @Test(arguments: [(1.0 / 64, 1), (1_000_000, 64_000_000)] as [(Double, Int64)])
  func naturalSidesAtTheBoundsPass(points: Double, units: Int64) throws {
    #expect(try Limits.naturalSide(points: points, as: "width").units == units)
  }

  @Test func valuesOfEachTypeAreCheckedAgainstTheirRange() throws {
    let point = Length(units: 64)
    for inside in [2, 5] { try Limits.check(inside, in: 2...5, as: "n") }
    for inside in [2.0, 5.0] { try Limits.check(inside, in: 2...5, as: "n") }
    for inside in [point * 2, point * 5] {
      try Limits.check(inside, in: point * 2...point * 5, as: "n")
    }
    let tooSmall = LimitError(.tooSmall, "n", limit: 2, value: 1)
    #expect(throws: tooSmall) { try Limits.check(1, in: 2...5, as: "n") }
    #expect(throws: tooSmall) { try Limits.check(1.0, in: 2...5, as: "n") }
    #expect(throws: tooSmall) { try Limits.check(point, in: point * 2...point * 5, as: "n") }
    let tooLarge = LimitError(.tooLarge, "n", limit: 5, value: 6)
    #expect(throws: tooLarge) { try Limits.check(6, in: 2...5, as: "n") }
    #expect(throws: tooLarge) { try Limits.check(6.0, in: 2...5, as: "n") }
    #expect(throws: tooLarge) { try Limits.check(point * 6, in: point * 2...point * 5, as: "n") }
    for number in [Double.nan, .infinity, -.infinity] {
      #expect { try Limits.check(number, in: 2...5, as: "n") } throws: {
        ($0 as? LimitError)?.code == .notFinite && ($0 as? LimitError)?.limit == 5
      }
    }
  }

  @Test func sidesCreatedDirectlyAreCheckedAgainstTheSameBounds() throws {
    let unit = Length(units: 1)
    try Limits.check(naturalSize: Size(width: unit, height: Limits.sideMax))
    #expect(throws: LimitError(.notPositive, "height", limit: 1.0 / 64, value: -1.0 / 64)) {
      try Limits.check(naturalSize: Size(width: unit, height: .zero - unit))
    }
    #expect(throws: LimitError(.notPositive, "width", limit: 1.0 / 64, value: 0)) {
      try Limits.check(naturalSize: .zero)
    }
    #expect(throws: LimitError(.tooLarge, "length", limit: 1e6, value: 1e6 + 1.0 / 64)) {
      try Limits.check(naturalSide: Limits.sideMax + unit, as: "length")
    }
  }

  @Test func messagesStateTheLimitAndTheValue() {
    let error = LimitError(.tooLarge, "columns", limit: 256, value: 300)
    #expect(error.description == "columns is 300; the limit is 256")
  }

  @Test func canonicallyEquivalentKeysAreDifferent() {
    #expect("é" == "e\u{301}")
    #expect(ExactKey("é") != ExactKey("e\u{301}"))
    #expect(Set([ExactKey("é"), ExactKey("e\u{301}")]).count == 2)
  }
}
