// The columns of a stable waterfall where a batch has edited it.
extension OracleFeed {
  /// Notes where an operation has changed items: all that a waterfall places by.
  ///
  /// - Parameter before: The sections before it.
  mutating func noteEdits(
    _ operation: OracleOperation, since before: [OracleSection]
  ) throws(OracleRefusal) {
    for section in sections.indices {
      let key = sections[section].key
      let bytes = Array(key.utf8)
      guard let old = before.first(where: { $0.key.hasBytes(of: key) }) else { continue }
      guard old.style.map({ Array($0.utf8) }) == sections[section].style.map({ Array($0.utf8) })
      else {
        // Placed as from scratch, unless it has the same columns as before.
        if try !placesAlike(old, sections[section]) { unedited[bytes] = nil }
        continue
      }
      guard stableWaterfall(ofSection: section) != nil else { continue }
      let (was, now) = (try signature(of: old), try signature(of: sections[section]))
      if was == now { continue }
      let rest = zip(was.reversed(), now.reversed()).prefix { $0 == $1 }.count
      unedited[bytes] = min(unedited[bytes] ?? rest, rest)
    }
    if case .deleteSection(let key, _) = operation { unedited[Array(key.utf8)] = nil }
  }

  /// Corrects the columns after a batch's edits, and at one later place, if they differ there by
  /// more than a quarter more than the limit.
  mutating func correctEditedPlaces() throws(OracleRefusal) {
    for section in sections.indices {
      guard let rest = unedited[Array(sections[section].key.utf8)], rest > 0,
        let waterfall = stableWaterfall(ofSection: section),
        sections[section].rebalance == nil,
        try naturalItems(ofSection: section).allSatisfy({ waterfall.clamped(span: $0.span) == 1 })
      else { continue }
      let count = sections[section].placed.count
      let (skews, limit, _) = try skewsAndLimits(ofSection: section)
      let skewMax = limit + limit / 4 + waterfall.tolerance
      let edited = count - rest
      guard skews.last! <= 2 * limit,
        let place = [edited, edited + rest >> Self.halvings(at: edited)].first(where: {
          $0 > 0 && skews[$0 - 1] > skewMax
        })
      else { continue }
      var most = min(instalment, 64)
      for _ in 0..<2 where most > 0 {
        let corrected = try correct(
          section, before: place, to: limit + waterfall.tolerance, atMost: most)
        most -= corrected.range.count
        guard corrected.hasHelped,
          try skewsAndLimits(ofSection: section).skews[place - 1] > skewMax
        else { break }
      }
    }
  }

  /// How often the rest of a section is halved to the later place: by the bits of a number that
  /// is computed from the index.
  private static func halvings(at item: Int) -> Int {
    var number = UInt64(item)
    for (shift, factor) in [(30, 0xBF58_476D_1CE4_E5B9), (27, 0x94D0_49BB_1331_11EB)]
      as [(UInt64, UInt64)]
    {
      number = (number ^ (number >> shift)) &* factor
    }
    return Int((number ^ (number >> 31)) & 15)
  }

  private func placesAlike(
    _ old: OracleSection, _ new: OracleSection
  ) throws(OracleRefusal) -> Bool {
    guard let before = configuration.settings(of: old).content.stableWaterfall,
      let after = configuration.settings(of: new).content.stableWaterfall
    else { return false }
    return before.places(as: after)
  }

  /// For each item its key, its length and its span.
  private func signature(of section: OracleSection) throws(OracleRefusal) -> [EditedItem] {
    guard let waterfall = configuration.settings(of: section).content.stableWaterfall else {
      return []
    }
    var items: [OracleNaturalItem] = []
    let placed = section.placed
    for item in placed { items.append(try natural(item)) }
    let cells = try waterfall.place(items).cells
    return placed.indices.map { index in
      EditedItem(
        key: Array(placed[index].key.utf8), length: cells[index].mainLength,
        span: waterfall.clamped(span: items[index].span))
    }
  }
}

private struct EditedItem: Equatable {
  var key: [UInt8]
  var length: Int64
  var span: Int
}
