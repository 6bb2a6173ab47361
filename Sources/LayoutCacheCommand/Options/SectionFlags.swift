import ArgumentParser
import CollectionLayout

/// The members of a configuration's `section` as flags, one for each entry of
/// `SectionMember.all` that is not an object.
///
/// ArgumentParser looks for a type's flags among the children of its mirror, and reads their
/// values from the decoder by the children's labels. Both are generated from that table,
/// instead of declaring a property for each flag.
struct SectionFlags: ParsableArguments {
  private(set) var members: [String: ConfigurationValue] = [:]

  init() {}

  init(from decoder: any Decoder) throws {
    let values = try decoder.container(keyedBy: AnyKey.self)
    for member in SectionMember.all {
      let key = AnyKey(stringValue: member.name)
      switch member.form {
      case .object: continue
      case .truth:
        let isGiven = try values.decode(Flag<Bool>.self, forKey: key).wrappedValue
        if isGiven { members[member.name] = .bool(true) }
      default:
        members[member.name] =
          try values.decode(Option<ConfigurationValue?>.self, forKey: key).wrappedValue
      }
    }
  }

  /// Rejects flags that sections of the kind do not read. Kinds that are not built in are
  /// validated by the configuration.
  func validate() throws {
    let kind = members["kind"]?.string.map(SectionKind.init) ?? SectionOptions.kindDefault
    if case .custom = kind { return }
    for member in SectionMember.all where members[member.name] != nil && !member.isRead(by: kind) {
      let advice = members["kind"] == nil ? ", the default of --kind" : ""
      throw ValidationError(
        "\(member.flagName) is for \(member.readersText), not for \(kind.name)\(advice)")
    }
  }
}

extension SectionFlags: CustomReflectable {
  var customMirror: Mirror { Mirror(self, children: Self.flags) }

  // Created once, because the parser asks for the mirror many times. Nothing changes the values.
  nonisolated(unsafe) private static let flags: [Mirror.Child] = SectionMember.all.compactMap {
    member in member.flag.map { (label: member.name, value: $0) }
  }
}

extension SectionMember {
  /// The member's flag, a `Flag<Bool>` or an `Option<ConfigurationValue?>`; `nil` for an
  /// object, which has separate flags or none.
  fileprivate var flag: Any? {
    let name = NameSpecification.customLong(String(flagName.dropFirst(2)))
    func option(
      _ valueName: String? = nil, parsing: SingleValueParsingStrategy = .unconditional,
      _ read: @escaping @Sendable (String) throws -> ConfigurationValue
    ) -> Option<ConfigurationValue?> {
      Option(
        name: name, parsing: parsing, help: ArgumentHelp(help, valueName: valueName),
        transform: read)
    }
    return switch form {
    case .object: nil
    case .truth: Flag(wrappedValue: false, name: name, help: ArgumentHelp(help))
    case .length: option { .number(try number($0)) }
    case .columns: option("number or weights") { try columns($0) }
    case .name: option(parsing: .next) { .string($0) }
    case .nameOrLength: option { nameOrNumber($0) }
    case .itemSize: option("width x height") { try itemSize($0) }
    case .insets: option("top,left,bottom,right") { try insets($0) }
    }
  }

  /// The flag's help text, with the kinds that read it.
  private var help: String {
    var text = meaning
    if readers != .everyKind { text = "\(readersText): \(text)" }
    if !defaultText.isEmpty { text += " (default: \(defaultText))" }
    return (text.prefix(1).uppercased() + text.dropFirst()).filter { $0 != "`" }
  }

  /// The kinds that read the member, in words.
  fileprivate var readersText: String {
    switch readers {
    case .everyKind: "every kind"
    case .ownKinds: "custom kinds"
    case .kinds(let kinds): kinds.map(\.name).joined(separator: " and ")
    }
  }

  /// The member's flag on the command line: `--line-spacing` for `lineSpacing`.
  fileprivate var flagName: String {
    name.reduce(into: "--") { flag, character in
      flag += character.isUppercase ? "-" + character.lowercased() : String(character)
    }
  }
}
