import CollectionLayout
import Foundation
import LayoutGeometry
import TestSupport
import Testing
import TextFormats

/// The command writes its JSON by hand, programs use `Codable`: both are compared with each
/// other, and decoded values with the encoded ones.
@Suite struct CodingAgreementTests {
  /// Parses a JSON object, ignoring the order of its members.
  private func object(_ data: Data) throws -> [String: ConfigurationValue] {
    try JSONDecoder().decode([String: ConfigurationValue].self, from: data)
  }

  private func transform(_ random: inout SeededGenerator) -> Transform3D {
    func number() -> Double { .random(in: -3...3, using: &random) }
    switch Int.random(in: 0..<4, using: &random) {
    case 0: return Transform3D(affine: Transform(scale: number()))
    case 1: return Transform3D(affine: Transform(rotationBy: number()))
    case 2:
      var perspective = Transform3D(rotationBy: number(), aboutX: 1, y: 0, z: 0)
      perspective.m34 = -1.0 / 500
      return perspective
    default: return .identity
    }
  }

  private func element(_ random: inout SeededGenerator) -> LayoutAttributes {
    func number(_ max: Int = 9) -> Int { .random(in: 0...max, using: &random) }
    func length() -> Length { Length(units: .random(in: -999...9999, using: &random)) }
    let categories: [LayoutAttributes.Category] = [
      .cell(key: "k\(number())"), .cell(key: "\"é\n\\"), .supplementary(kind: .header),
      .supplementary(kind: .footer), .decoration(kind: "card"),
    ]
    let category = categories[number(4)]
    let isCell = if case .cell = category { true } else { false }
    var element = LayoutAttributes(
      category: category,
      indexPath: LayoutAttributes.IndexPath(section: number(), item: isCell ? number() : nil),
      sectionKey: "s\(number())",
      frame: Rect(x: length(), y: length(), width: length(), height: length()),
      zIndex: number(2) - 1, column: isCell && random.oneIn(2) ? number() : nil)
    if random.oneIn(2) { element.transform3D = transform(&random) }
    if random.oneIn(3) { element.alpha = .random(in: 0...1, using: &random) }
    element.isHidden = random.oneIn(4)
    if random.oneIn(3) {
      element.values = ["a": .number(.random(in: -2...2, using: &random)), "\"\u{1}é": .bool(true)]
    }
    return element
  }

  @Test(.property, arguments: PropertyRun.seeds)
  func elementsHaveTheSameMembersInBoth(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    for _ in PropertyRun.each(seed, steps: 200) {
      let element = element(&random)
      var json = JSONWriter()
      json.value(element, LayoutAttributes.fieldsInDetail)
      let encoded = try JSONEncoder().encode(element)
      var members = try object(encoded)
      // For a transformed element, the command prints its bounding box.
      let rectangle = members.removeValue(forKey: "untransformedFrame")
      #expect((rectangle == nil) == element.transform3D.isIdentity)
      #expect(try members == object(Data(json.bytes)))
      let decoded = try JSONDecoder().decode(LayoutAttributes.self, from: encoded)
      #expect(decoded == element)
      if element.transform3D.isIdentity {
        let read = try JSONDecoder().decode(LayoutAttributes.self, from: Data(json.bytes))
        #expect(read == element)
      }
    }
  }

  /// The layouts of `update --json`.
  private struct Update: Codable {
    var layouts: [InvalidationContext]
  }

  @Test(arguments: [
    #"{"op":"invalidate","layout":"phone","items":["a"]}"#,
    #"{"op":"resize","key":"c","width":4,"height":2}"#,
    #"{"op":"insert","items":[{"key":"x","width":1,"height":3}],"section":"one","index":0}"#,
    #"{"op":"insertSection","key":"zero","index":0}"#,
    #"{"op":"deleteSection","key":"one"}"#, #"{"op":"delete","keys":["a","c"]}"#,
  ])
  func contextsHaveTheSameMembersInBoth(operation: String) throws {
    let place = try Workplace.withPreparedFeed()
    let run = try place.run(
      ["update", "-", "--dataset", "feed", "--visible", "0,60,220,100", "--json"], input: operation)
    try #require(run.exitCode == 0, "\(run.errorOutput)")
    try expectAgreement(run.output)
  }

  @Test func everythingHasTheSameMembersInBoth() throws {
    let place = try Workplace.withPreparedFeed()
    let run = try place.expect(0, "prepare", "--invalidate", "--dataset", "feed", "--json")
    try expectAgreement(run.output)
  }

  /// Compares the printed layout, "phone", with its `Codable` form.
  private func expectAgreement(_ output: String) throws {
    let printed = Data(output.utf8)
    let update = try JSONDecoder().decode(Update.self, from: printed)
    guard case .array(let layouts)? = try object(printed)["layouts"],
      case .object(var layout)? = layouts.first, layouts.count == 1
    else {
      Issue.record("\(output)")
      return
    }
    #expect(layout.removeValue(forKey: "layout") == .string("phone"))
    #expect(try object(JSONEncoder().encode(update)) == ["layouts": .array([.object(layout)])])
  }

  @Test func queriedElementsCanBeDecoded() throws {
    struct Answer: Codable { var elements: [LayoutAttributes] }
    let place = try Workplace.withPreparedFeed()
    let run = try place.expect(
      0, "query", "--dataset", "feed", "--layout", "phone", "--rect", "0,0,220,400", "--json")
    let printed = Data(run.output.utf8)
    let answer = try JSONDecoder().decode(Answer.self, from: printed)
    #expect(answer.elements.count == 7)
    let elements = try #require(object(printed)["elements"])
    #expect(try object(JSONEncoder().encode(answer)) == ["elements": elements])
  }
}
