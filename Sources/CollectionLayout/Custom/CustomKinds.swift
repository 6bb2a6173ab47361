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
  private var snapRules: [ExactKey: any SnapRule.Type] = [:]
  private var appearanceRules: [ExactKey: any AppearanceRule.Type] = [:]
  private var effects: [ExactKey: any QueryEffect.Type] = [:]
  private var decorators: [ExactKey: any SectionDecorator.Type] = [:]
  /// Plans that were created with these kinds.
  private let known = KnownPlans()

  /// Without registered kinds.
  package static let none = CustomKinds([])

  /// Registers kinds.
  ///
  /// - Precondition: The kinds' names are distinct, and different from those of built-in kinds.
  package init(
    _ types: [any SectionLayout.Type], waterfalls: [any WaterfallSectionLayout.Type] = [],
    snapRules: [any SnapRule.Type] = [], appearanceRules: [any AppearanceRule.Type] = [],
    effects: [any QueryEffect.Type] = [], decorators: [any SectionDecorator.Type] = []
  ) {
    self.decorators = Self.byName(decorators.map { ($0.kind, $0) })
    self.effects = Self.byName(effects.map { ($0.kind, $0) })
    self.snapRules = Self.byName(snapRules.map { ($0.kind, $0) })
    self.appearanceRules = Self.byName(appearanceRules.map { ($0.kind, $0) })
    for kind in types.map(Kind.section) + waterfalls.map(Kind.waterfall) {
      guard case .custom = SectionKind(name: kind.name) else {
        preconditionFailure("The kind name '\(kind.name)' is built in.")
      }
      let earlier = kinds.updateValue(kind, forKey: kind.name)
      precondition(earlier == nil, "Two kinds have the name '\(kind.name)'.")
    }
  }

  private static func byName<Rule>(_ rules: [(name: String, rule: Rule)]) -> [ExactKey: Rule] {
    Dictionary(rules.map { (ExactKey($0.name), $0.rule) }) { _, _ in
      preconditionFailure("Two rules have the same name.")
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

  /// Returns the rule of a configuration's `snap`.
  func snapRule(
    _ name: String, _ options: [String: ConfigurationValue]
  ) throws(ConfigurationError) -> any SnapRule {
    let type = try Self.type(name, among: snapRules, at: ["snap"])
    return try ConfigurationError.asking(at: ["snap"]) { try type.init(options: options) }
  }

  /// Returns the rule of a section's `appearance`.
  func appearanceRule(
    _ name: String, _ options: [String: ConfigurationValue], at path: [String]
  ) throws(ConfigurationError) -> any AppearanceRule {
    let type = try Self.type(name, among: appearanceRules, at: path)
    return try ConfigurationError.asking(at: path) { try type.init(options: options) }
  }

  /// Returns the rule of an effect.
  func effect(
    _ name: String, _ options: [String: ConfigurationValue], at path: [String]
  ) throws(ConfigurationError) -> any QueryEffect {
    let builtIn = Effect.Kind.allCases.map(\.rawValue)
    let type = try Self.type(name, among: effects, besides: builtIn, at: path)
    return try ConfigurationError.asking(at: path) { try type.init(options: options) }
  }

  /// Returns the rule of an entry of a section's `decorators`.
  func decorator(
    _ decorator: SectionOptions.Decorator, in space: SectionSpace, at path: [String]
  ) throws(ConfigurationError) -> any SectionDecorator {
    let type = try Self.type(decorator.kind, among: decorators, at: path)
    return try ConfigurationError.asking(at: path) {
      try type.init(options: decorator.options, in: space)
    }
  }

  private static func type<Rule>(
    _ name: String, among types: [ExactKey: Rule], besides builtIn: [String] = [],
    at path: [String]
  ) throws(ConfigurationError) -> Rule {
    if let type = types[ExactKey(name)] { return type }
    throw ConfigurationError(
      .unknownChoice(name, known: builtIn + types.keys.map(\.string).sorted()), at: path + ["kind"])
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
        try ConfigurationError.asking(at: checks.path) {
          try CustomPlan(
            kind: name, layout: try type.init(options: own, in: space),
            from: CustomPlan.Origin(options: own, space: space))
        })
    case .waterfall(let type):
      let rule = try ConfigurationError.asking(at: checks.path) {
        try WaterfallRule(type, options: own)
      }
      return .waterfall(try WaterfallPlan(options, rule: rule, inset: inset, checks))
    }
  }
}

extension ConfigurationError {
  /// Creates a rule from its options.
  ///
  /// - Throws: The error of the rule's initializer, as a configuration error.
  fileprivate static func asking<Rule>(
    at path: [String], _ make: () throws -> Rule
  ) throws(ConfigurationError) -> Rule {
    do {
      return try make()
    } catch {
      throw ConfigurationError(.malformed(detail: "\(error)"), at: path + ["options"])
    }
  }
}
