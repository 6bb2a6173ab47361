import CollectionLayout

// The registry of section kinds. To add a kind, add a folder next to this file with its stored
// form and its placing, a case of `SectionPlan.Kind`, and a line in each of these extensions.

extension SectionPlan.Kind {
  /// The plan's placing operations.
  var placing: any SectionPlacing {
    switch self {
    case .waterfall(let plan): plan
    case .lines(let plan): plan
    case .computed(let plan): plan
    case .carousel(let plan): plan
    case .custom(let plan): plan
    }
  }
}

extension SectionContent {
  /// The types of stored sections, identified by their tags in the file.
  static let kinds: [any StoredSection.Type] = [
    StoredWaterfall.self, KeptCount.self, KeptLines.self, KeptCustom.self,
    KeptCarousel.self,
  ]
}
