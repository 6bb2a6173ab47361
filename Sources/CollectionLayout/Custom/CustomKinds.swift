import LayoutGeometry

/// The kinds that a user of the library has registered.
package struct CustomKinds: Sendable {
  private var types: [String: any SectionLayout.Type] = [:]

  /// No kinds but those built in.
  package static let none = CustomKinds([])

  /// Registers kinds.
  ///
  /// - Precondition: The kinds' names differ, and are none of those built in.
  package init(_ types: [any SectionLayout.Type]) {
    for type in types {
      guard case .custom = SectionKind(name: type.kind) else {
        preconditionFailure("The kind '\(type.kind)' is built in.")
      }
      let earlier = self.types.updateValue(type, forKey: type.kind)
      precondition(earlier == nil, "Two kinds have the name '\(type.kind)'.")
    }
  }

  func plan(
    _ kind: String, _ options: SectionOptions, inset: EdgeInsets, _ checks: OptionChecks
  ) throws(ConfigurationError) -> CustomPlan {
    guard let type = types[kind] else {
      let known = SectionKind.builtIn.map(\.name) + types.keys.sorted()
      throw ConfigurationError(.unknownChoice(kind, known: known), at: checks.path + ["kind"])
    }
    let space = SectionSpace(
      container: checks.space.container, line: try checks.line(inset: inset))
    let own = options.options ?? [:]
    do {
      return try CustomPlan(
        kind: kind, layout: try type.init(options: own, in: space),
        from: CustomPlan.Origin(options: own, space: space))
    } catch {
      throw ConfigurationError(.malformed(detail: "\(error)"), at: checks.path + ["options"])
    }
  }
}
