import LayoutGeometry

extension LayoutConfiguration {
  /// Returns the options of the section with a key, or the shared ones if it has no override.
  package func options(ofSection key: String) -> SectionOptions {
    // Keys are compared byte for byte; a dictionary lookup also matches canonical equivalents.
    guard let place = sections.index(forKey: key),
      ExactKey(sections[place].key) == ExactKey(key)
    else { return section }
    return sections[place].value.filled(from: section)
  }
}

extension SectionOptions {
  /// Whether measured lengths of items have an effect, as in kinds where each item has a
  /// length.
  package var takesPreferredLengths: Bool {
    switch kind ?? Self.kindDefault {
    case .waterfall, .carousel, .custom: return true
    case .flow:
      if case .fixed = itemSize { return false }
      return true
    case .grid, .justified, .circle: return false
    }
  }

  /// Whether measured cross lengths of items have an effect, as in kinds where each item has a
  /// width.
  package var takesPreferredCrossLengths: Bool {
    switch kind ?? Self.kindDefault {
    case .waterfall: return false
    case .carousel:
      switch itemWidth ?? .natural {
      case .natural, .aspect: return true
      case .fixed, .fraction: return false
      }
    default: return takesPreferredLengths
    }
  }

  /// Whether there is a header or footer whose length can be measured.
  package func has(_ kind: LayoutAttributes.SupplementaryKind) -> Bool {
    (kind == .header ? header : footer) ?? .zero > .zero
  }
}
