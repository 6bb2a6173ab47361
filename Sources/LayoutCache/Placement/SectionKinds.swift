import CollectionLayout

// The one place that names the kinds. To add a way of keeping sections: a folder next to
// this file with what it keeps and how its plan places items, a case of
// `SectionPlan.Kind`, and a line in each of these.

extension SectionPlan.Kind {
  /// The plan as what places the section's items.
  var placing: any SectionPlacing {
    switch self {
    case .waterfall(let plan): plan
    case .lines(let plan): plan
    case .computed(let plan): plan
    case .custom(let plan): plan
    }
  }
}

extension SectionContent {
  /// The stored results of sections, by the tags in the file.
  static let kinds: [any KeptSection.Type] = [
    KeptWaterfall.self, KeptCount.self, KeptLines.self, KeptCustom.self,
  ]
}
