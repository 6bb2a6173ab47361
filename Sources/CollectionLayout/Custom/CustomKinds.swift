import LayoutGeometry

/// The kinds registered by a user of the library.
package struct CustomKinds: Sendable {
  /// A kind, by the protocol that it conforms to.
  private enum Kind {
    case section(any SectionLayout.Type)
    case waterfall(any WaterfallSectionLayout.Type)

    var name: String {
      switch self {
      case .section(let type): type.kind
      case .waterfall(let type): type.kind
      }
    }
  }

  private var kinds: [String: Kind] = [:]
  /// Plans that were created with these kinds.
  private let known = KnownPlans()

  /// Without registered kinds.
  package static let none = CustomKinds([])

  /// Registers kinds.
  ///
  /// - Precondition: The kinds' names are distinct, and different from those of built-in kinds.
  package init(
    _ types: [any SectionLayout.Type], waterfalls: [any WaterfallSectionLayout.Type] = []
  ) {
    for kind in types.map(Kind.section) + waterfalls.map(Kind.waterfall) {
      guard case .custom = SectionKind(name: kind.name) else {
        preconditionFailure("The kind name '\(kind.name)' is built in.")
      }
      let earlier = kinds.updateValue(kind, forKey: kind.name)
      precondition(earlier == nil, "Two kinds have the name '\(kind.name)'.")
    }
  }

  /// Returns the plan of a configuration's text, which is created unless it is known.
  ///
  /// - Parameter decode: Decodes the text.
  /// - Throws: The errors of `decode`; ``ConfigurationError``.
  package func plan(
    ofText text: String, decode: () throws -> LayoutConfiguration
  ) throws -> LayoutPlan {
    if let plan = known.plan(of: text) { return plan }
    let plan = try LayoutPlan(decode(), custom: self)
    known.insert(plan, of: text)
    return plan
  }

  /// Returns the configuration of a text, if its plan is known.
  package func configuration(ofText text: String) -> LayoutConfiguration? {
    known.plan(of: text)?.configuration
  }

  func plan(
    _ name: String, _ options: SectionOptions, inset: EdgeInsets, _ checks: OptionChecks
  ) throws(ConfigurationError) -> SectionPlan.Kind {
    guard let kind = kinds[name] else {
      let known = SectionKind.builtIn.map(\.name) + kinds.keys.sorted()
      throw ConfigurationError(.unknownChoice(name, known: known), at: checks.path + ["kind"])
    }
    let own = options.options ?? [:]
    switch kind {
    case .section(let type):
      let space = SectionSpace(
        container: checks.space.container, line: try checks.line(inset: inset))
      return .custom(
        try checks.asking {
          try CustomPlan(
            kind: name, layout: try type.init(options: own, in: space),
            from: CustomPlan.Origin(options: own, space: space))
        })
    case .waterfall(let type):
      let rule = try checks.asking { try WaterfallRule(type, options: own) }
      return .waterfall(try WaterfallPlan(options, rule: rule, inset: inset, checks))
    }
  }
}

extension OptionChecks {
  /// Creates a rule from a section's options.
  ///
  /// - Throws: The error of the kind's initializer, as a configuration error.
  fileprivate func asking<Rule>(
    _ make: () throws -> Rule
  ) throws(ConfigurationError) -> Rule {
    do {
      return try make()
    } catch {
      throw ConfigurationError(.malformed(detail: "\(error)"), at: path + ["options"])
    }
  }
}
