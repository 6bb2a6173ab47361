// Lengths measured by a client.
extension OracleFeed {
  mutating func prefer(
    _ length: Int64?, _ crossLength: Int64?, for key: String
  ) throws(OracleRefusal) -> Bool {
    let position = try knownPosition(ofItem: key)
    var item = sections[position.section].items[position.item]
    let old = (item.preferredLength, item.preferredCrossLength)
    item.preferredLength = length
    item.preferredCrossLength = length == nil ? nil : crossLength
    _ = try natural(item)
    guard length == nil || takesPreferredLengths(section: position.section) else {
      throw OracleRefusal(.takesNoLength, key)
    }
    let content = storedSettings(ofSection: position.section).content
    guard item.preferredCrossLength == nil || content.takesPreferredCrossLengths else {
      throw OracleRefusal(.takesNoCrossLength, key)
    }
    sections[position.section].items[position.item] = item
    return (item.preferredLength, item.preferredCrossLength) != old
  }

  mutating func prefer(
    _ length: Int64?, isHeader: Bool, section key: String
  ) throws(OracleRefusal) -> Bool {
    let section = try knownIndex(ofSection: key)
    if let length {
      guard length > 0, length <= Units.floor(points: OracleLimits.lengthMax) else {
        throw OracleRefusal(.outOfRange, key)
      }
      let settings = storedSettings(ofSection: section)
      guard (isHeader ? settings.header : settings.footer) > 0 else {
        throw OracleRefusal(.noSupplementary, key)
      }
    }
    let old = isHeader ? sections[section].preferredHeader : sections[section].preferredFooter
    if isHeader {
      sections[section].preferredHeader = length
    } else {
      sections[section].preferredFooter = length
    }
    return length != old
  }

  mutating func prefer(
    _ lengths: [OracleLength], ignoresMissing: Bool
  ) throws(OracleRefusal) -> Bool {
    var last: [OracleLength] = []
    for length in lengths.reversed()
    where !last.contains(where: { $0.key.hasBytes(of: length.key) }) {
      last.append(length)
    }
    let before = self
    var hasChanged = false
    for length in last {
      if ignoresMissing, position(ofItem: length.key) == nil { continue }
      do {
        if try prefer(length.length, length.crossLength, for: length.key) { hasChanged = true }
      } catch {
        self = before
        throw error
      }
    }
    return hasChanged
  }

  mutating func prefer(_ length: Int64?, ofLayoutHeader isHeader: Bool) throws(OracleRefusal)
    -> Bool
  {
    if let length {
      guard length > 0, length <= Units.floor(points: OracleLimits.lengthMax) else {
        throw OracleRefusal(.outOfRange, "")
      }
      guard (isHeader ? storedFrame.header : storedFrame.footer).length > 0 else {
        throw OracleRefusal(.noSupplementary, "")
      }
    }
    let before = frameLengths
    if isHeader { frameLengths.header = length } else { frameLengths.footer = length }
    return frameLengths != before
  }

  mutating func resetLengths() -> Bool {
    let before = (sections, frameLengths)
    frameLengths = OracleFrameLengths()
    for section in sections.indices {
      sections[section].preferredHeader = nil
      sections[section].preferredFooter = nil
      for item in sections[section].items.indices {
        sections[section].items[item].preferredLength = nil
        sections[section].items[item].preferredCrossLength = nil
      }
    }
    return sections != before.0 || frameLengths != before.1
  }

  /// Sets the measured lengths of the layout's header and footer.
  public mutating func measureFrame(_ lengths: OracleFrameLengths) throws(OracleRefusal) {
    frameLengths = lengths
    try layOut()
  }

  /// Operations that set the measured lengths, without those that have no effect.
  public var effectiveLengths: [OracleOperation] {
    var operations: [OracleOperation] = []
    if let length = frameLengths.header, storedFrame.header.length > 0 {
      operations.append(.preferLayout(isHeader: true, length: length))
    }
    if let length = frameLengths.footer, storedFrame.footer.length > 0 {
      operations.append(.preferLayout(isHeader: false, length: length))
    }
    for (index, section) in sections.enumerated() {
      let settings = storedSettings(ofSection: index)
      if let length = section.preferredHeader, settings.header > 0 {
        operations.append(
          .preferSupplementary(isHeader: true, section: section.key, length: length))
      }
      if let length = section.preferredFooter, settings.footer > 0 {
        operations.append(
          .preferSupplementary(isHeader: false, section: section.key, length: length))
      }
      guard settings.content.takesPreferredLengths else { continue }
      for item in section.items where item.preferredLength != nil {
        let crossLength =
          settings.content.takesPreferredCrossLengths ? item.preferredCrossLength : nil
        operations.append(
          .prefer(key: item.key, length: item.preferredLength, crossLength: crossLength))
      }
    }
    return operations
  }
}
