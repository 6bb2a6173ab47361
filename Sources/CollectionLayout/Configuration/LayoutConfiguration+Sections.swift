import LayoutGeometry

extension LayoutConfiguration {
  /// The options of the section with a key, taken from those that it shares where it
  /// states none of its own.
  package func options(ofSection key: String) -> SectionOptions {
    // Keys are compared byte for byte, and a dictionary finds canonical equivalents.
    guard let place = sections.index(forKey: key),
      ExactKey(sections[place].key) == ExactKey(key)
    else { return section }
    return sections[place].value.filled(from: section)
  }
}

extension SectionOptions {
  /// Whether a length that was measured for an item has an effect: where each item's
  /// length counts.
  package var takesPreferredLengths: Bool {
    switch kind ?? Self.kindDefault {
    case .waterfall, .custom: return true
    case .flow:
      if case .fixed = itemSize { return false }
      return true
    case .grid, .justified, .circle: return false
    }
  }

  /// Whether a length across that was measured for an item has an effect: where items
  /// have widths of their own.
  package var takesPreferredCrossLengths: Bool {
    kind ?? Self.kindDefault != .waterfall && takesPreferredLengths
  }

  /// Whether there is a header, or a footer, of which a length can be measured.
  package func has(_ kind: LayoutAttributes.SupplementaryKind) -> Bool {
    (kind == .header ? header : footer) ?? .zero > .zero
  }
}
