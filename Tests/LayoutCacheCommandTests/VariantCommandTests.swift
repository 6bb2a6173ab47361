import Foundation
import Testing

/// Variants of responsive layouts on the command line.
@Suite struct VariantCommandTests {
  private func place(keep: Int = 16) throws -> Workplace {
    let place = try Workplace.withFeed()
    try place.write(
      #"{"container":{"widths":{"keep":\#(keep)}},"section":{"columns":2,"header":20}}"#,
      to: "any.json")
    try place.expect(0, "layout", "set", "any", "--config", "any.json")
    return place
  }

  private func rows(_ run: Invocation) -> [[String]] {
    run.output.split(separator: "\n").map { line in
      line.split(separator: /\ \ +/).map { String($0.trimmingCharacters(in: .whitespaces)) }
    }
  }

  private func object(_ run: Invocation) throws -> [String: Any] {
    #expect(run.exitCode == 0, "\(run.errorOutput)")
    return try #require(
      try JSONSerialization.jsonObject(with: Data(run.output.utf8)) as? [String: Any])
  }

  @Test func queriesNameAVariant() throws {
    let place = try place()
    let first = try object(
      place.expect(0, "query", "--layout", "any@205", "--rect", "0,0,200,99", "--json"))
    #expect(first["layout"] as? String == "any@200")
    try place.expect(
      65, "query", "--layout", "any", "--rect", "0,0,200,99", saying: ["layout 'any'"])
    try place.expect(65, "query", "--layout", "any@0", "--rect", "0,0,200,99", saying: ["any@0"])
    try place.expect(65, "query", "--layout", "any@x", "--rect", "0,0,200,99", saying: ["any@x"])
  }

  @Test func listingsShowAgesAndSizes() throws {
    let place = try place()
    for width in ["205", "303"] { try place.expect(0, "prepare", "--layout", "any@\(width)") }
    let list = try place.expect(0, "layout", "list").output
    #expect(list.contains("created") && list.contains("last used"), "\(list)")
    let table = rows(try place.expect(0, "layout", "list"))
    let variant = try #require(table.first { $0.first == "any@200" })
    #expect(variant.contains("200") && variant.contains("revision 1"), "\(variant)")
    #expect(variant.count(where: { $0.hasSuffix(" s ago") }) == 2, "\(variant)")
    #expect(Int(variant.last ?? "") ?? 0 > 0, "\(variant)")
    let json = try object(place.expect(0, "layout", "list", "--json"))
    let layouts = json["layouts"] as? [[String: Any]] ?? []
    let variants = layouts.first { $0["layout"] as? String == "any" }?["variants"]
    let shown = try #require(variants as? [[String: Any]])
    #expect(shown.map { $0["layout"] as? String } == ["any@200", "any@296"])
    for variant in shown {
      let age = try #require(variant["secondsSinceCreation"] as? Double)
      #expect(age >= variant["secondsSinceUse"] as? Double ?? .infinity)
      #expect(variant["bytes"] as? Int ?? 0 > 0)
    }
  }

  @Test func inspectingALayoutShowsItsVariants() throws {
    let place = try place()
    for width in ["205", "303"] { try place.expect(0, "prepare", "--layout", "any@\(width)") }
    func names(_ layout: String) throws -> [String?] {
      let json = try object(
        place.expect(0, "inspect", "--dataset", "feed", "--layout", layout, "--json"))
      return (json["layouts"] as? [[String: Any]] ?? []).map { $0["layout"] as? String }
    }
    #expect(try names("any") == ["any", "any@200", "any@296"])
    #expect(try names("any@300") == ["any@296"])
    #expect(try names("phone") == ["phone"])
    let table = try place.expect(0, "inspect", "--dataset", "feed", "--layout", "any")
    let variant = try #require(rows(table).first { $0.first == "any@296" })
    #expect(variant.count(where: { $0.hasSuffix(" s ago") }) == 2, "\(table.output)")
    try place.expect(66, "inspect", "--dataset", "feed", "--layout", "any@400", saying: ["any@400"])
    // The table of the first variant's sections follows.
    let one = try place.expect(0, "inspect", "--dataset", "feed", "--layout", "any@300")
    #expect(rows(one).contains { $0.first == "two" }, "\(one.output)")
  }

  @Test func preparingTheNameWithoutAWidthPreparesEveryVariant() throws {
    let place = try place()
    for width in ["205", "303"] { try place.expect(0, "prepare", "--layout", "any@\(width)") }
    try place.write(
      #"{"container":{"widths":{}},"section":{"columns":1}}"#, to: "other.json")
    try place.expect(0, "layout", "set", "any", "--config", "other.json")
    let first = rows(try place.expect(0, "prepare", "--layout", "any"))
    #expect(first.count(where: { $0.first?.hasPrefix("any@") == true }) == 2, "\(first)")
    let json = try object(place.expect(0, "layout", "list", "--json"))
    let any = (json["layouts"] as? [[String: Any]])?.first { $0["layout"] as? String == "any" }
    let variants = any?["variants"] as? [[String: Any]] ?? []
    #expect(variants.map { $0["preparedRevision"] as? Int } == [1, 1])
  }

  @Test func aLengthForTheNameWithoutAWidthIsRejected() throws {
    let place = try place()
    try place.write(#"{"op":"prefer","layout":"any","key":"a","length":30}"#, to: "bare.ndjson")
    try place.expect(65, "update", "bare.ndjson", "--dataset", "feed", saying: ["line 1", "any"])
    try place.write(#"{"op":"prefer","layout":"any@205","key":"a","length":30}"#, to: "one.ndjson")
    try place.expect(0, "update", "one.ndjson", "--dataset", "feed")
    let lengths = try place.expect(0, "export", "--dataset", "feed", "--preferred-lengths")
    #expect(lengths.output.contains(#""layout":"any@200""#))
  }

  @Test func tooManyActiveWidthsAreATemporaryFailure() throws {
    let place = try place(keep: 1)
    let lines = [200, 300, 400].map {
      #"{"op":"prefer","layout":"any@\#($0)","key":"a","length":30}"#
    }
    try place.write(lines.joined(separator: "\n"), to: "widths.ndjson")
    // All are measured at the same time, and at most twice as many as are kept are active.
    try place.expect(75, "update", "widths.ndjson", "--dataset", "feed", saying: ["any@400"])
    #expect(
      try object(place.expect(0, "inspect", "--dataset", "feed", "--json"))["revision"] as? Int == 1
    )
  }
}
