import ArgumentParser
import CollectionLayout

/// The members of a configuration's `section` as flags, one for each entry of
/// `SectionMember.all` that is no object.
///
/// ArgumentParser looks for a type's flags among the children of its mirror, and reads
/// their values from the decoder by the children's labels. Both are made from the
/// table here, in place of a property for each flag.
struct SectionFlags: ParsableArguments {
  /// What the flags given state, by member.
  private(set) var members: [String: ConfigurationValue] = [:]

  init() {}

  init(from decoder: any Decoder) throws {
    let values = try decoder.container(keyedBy: FlagKey.self)
    for member in SectionMember.all {
      members[member.name] = try member.flag?.value(FlagKey(member.name), in: values)
    }
  }

  /// Refuses flags that a section of the kind would not look at. A kind that is not
  /// built in is left to the configuration, which knows it or refuses it.
  func validate() throws {
    let kind = members["kind"]?.string.map(SectionKind.init) ?? SectionOptions.kindDefault
    if case .custom = kind { return }
    for member in SectionMember.all where members[member.name] != nil && !member.isRead(by: kind) {
      let advice = members["kind"] == nil ? ", which a section is unless --kind says otherwise" : ""
      throw ValidationError(
        "\(member.flagName) is for \(member.readersText), not for \(kind.name)\(advice)")
    }
  }
}

extension SectionFlags: CustomReflectable {
  var customMirror: Mirror {
    Mirror(
      self,
      children: SectionMember.all.compactMap { member in
        member.flag.map { (label: member.name, value: $0.definition) }
      })
  }
}

/// The name of a member, as ArgumentParser knows its flag.
private struct FlagKey: CodingKey {
  var stringValue: String
  var intValue: Int? { nil }

  init(_ name: String) { stringValue = name }
  init(stringValue: String) { self.stringValue = stringValue }
  init?(intValue: Int) { nil }
}

/// A member's flag: present or not, or with a value.
private enum MemberFlag {
  case truth(Flag<Bool>)
  case option(Option<ConfigurationValue?>)

  var definition: Any {
    switch self {
    case .truth(let flag): flag
    case .option(let option): option
    }
  }

  /// What the command line states; `nil` where the flag is not given.
  func value(
    _ key: FlagKey, in values: KeyedDecodingContainer<FlagKey>
  ) throws -> ConfigurationValue? {
    switch self {
    case .truth:
      try values.decode(Flag<Bool>.self, forKey: key).wrappedValue ? .bool(true) : nil
    case .option:
      try values.decode(Option<ConfigurationValue?>.self, forKey: key).wrappedValue
    }
  }
}

extension SectionMember {
  /// The member's flag; `nil` for an object, which has flags of its own or none.
  fileprivate var flag: MemberFlag? {
    let name = NameSpecification.customLong(String(flagName.dropFirst(2)))
    func option(
      _ valueName: String? = nil, parsing: SingleValueParsingStrategy = .unconditional,
      _ read: @escaping @Sendable (String) throws -> ConfigurationValue
    ) -> MemberFlag {
      let help = ArgumentHelp(help, valueName: valueName)
      return .option(Option(name: name, parsing: parsing, help: help, transform: read))
    }
    return switch form {
    case .object: nil
    case .truth: .truth(Flag(wrappedValue: false, name: name, help: ArgumentHelp(help)))
    case .length: option { .number(try number($0)) }
    case .wholeNumber: option { .number(Double(try wholeNumber($0))) }
    case .name: option(parsing: .next) { .string($0) }
    case .nameOrLength: option { nameOrNumber($0) }
    case .itemSize: option("width x height") { try itemSize($0) }
    case .insets: option("top,left,bottom,right") { try insets($0) }
    }
  }

  /// The flag's text in the help, with the kinds that read it.
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
    case .ownKinds: "kinds of one's own"
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
