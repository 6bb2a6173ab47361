/// One member of a configuration's `section`: its name, which kinds read it, what it
/// means, and how it is decoded, merged and encoded.
///
/// ``all`` is the one list of them. What ``SectionOptions`` does with its properties,
/// the command's flags and the table of docs/LAYOUTS.md all follow from it.
package struct SectionMember: Sendable {
  /// The kinds that read a member. In the entry of any other kind it is accepted, and serves
  /// those overrides that have the kind.
  package enum Readers: Hashable, Sendable {
    case everyKind
    case kinds([SectionKind])
    /// The kinds that the library's users bring along.
    case ownKinds
  }

  /// The form of a member's value, for formats other than JSON.
  package enum Form: Sendable {
    case length, wholeNumber, truth, name, nameOrLength
    /// `natural`, or a width and a height.
    case itemSize
    case insets
    /// An object that only JSON states.
    case object
  }

  /// The member's name in JSON; also that of its property.
  package let name: String
  package let readers: Readers
  /// The default, in Markdown; empty for none.
  package let defaultText: String
  /// The meaning of the member, in Markdown: a clause in lower case, without a full stop.
  package let meaning: String
  package let form: Form

  /// Whether options have their own value.
  let isStated: @Sendable (SectionOptions) -> Bool
  /// Takes the member away that this one is stated in place of.
  let displace: @Sendable (inout SectionOptions) -> Void
  let copy: @Sendable (_ source: SectionOptions, _ target: inout SectionOptions) -> Void
  let decode:
    @Sendable (KeyedDecodingContainer<AnyKey>, _ target: inout SectionOptions) throws -> Void
  let encode: @Sendable (SectionOptions, inout KeyedEncodingContainer<AnyKey>) throws -> Void

  /// - Parameters:
  ///   - get, set: Where ``SectionOptions`` keeps the value. Closures, because key paths
  ///     cost the first decoding of a process a tenth more.
  ///   - displace: What an override that states the member takes away from its defaults.
  init<Value: SectionMemberValue>(
    _ name: String, _ get: @escaping @Sendable (SectionOptions) -> Value?,
    _ set: @escaping @Sendable (inout SectionOptions, Value?) -> Void,
    of readers: Readers, default defaultText: String = "", _ meaning: String,
    displacing displace: @escaping @Sendable (inout SectionOptions) -> Void = { _ in }
  ) {
    self.name = name
    self.readers = readers
    self.defaultText = defaultText
    self.meaning = meaning
    self.displace = displace
    form = Value.form
    let key = AnyKey(stringValue: name)
    isStated = { get($0) != nil }
    copy = { source, target in set(&target, get(source)) }
    decode = { values, target in set(&target, try Value.decode(key, from: values)) }
    encode = { options, values in try get(options)?.encode(key, to: &values) }
  }

  /// Whether a section of a kind does anything with the member.
  package func isRead(by kind: SectionKind) -> Bool {
    switch readers {
    case .everyKind: return true
    case .kinds(let kinds): return kinds.contains(kind)
    case .ownKinds:
      if case .custom = kind { return true }
      return false
    }
  }
}
