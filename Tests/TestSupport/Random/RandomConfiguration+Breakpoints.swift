extension RandomConfiguration {
  /// One to three breakpoints, below, at and above a container's cross length.
  func breakpoints(
    around crossLength: Double, of kind: Kind, using generator: inout SeededGenerator
  ) -> JSONValue.Member {
    let places = [
      0, crossLength / 2, crossLength, min(crossLength + 1.0 / 64, 1_000_000),
      min(crossLength * 2, 1_000_000),
    ]
    let units = Set(places.filter { _ in generator.oneIn(2) }.map(Units.floor(points:)))
    let entries = units.sorted().map { from in
      JSONValue.object(
        [member("from", Double(from) / 64)] + override(of: kind, using: &generator))
    }
    return JSONValue.Member(key: "breakpoints", value: .array(entries))
  }
}
