/// One member of a configuration's `section`: its name, the kinds that read it, its meaning,
/// and how it is decoded, merged and encoded.
///
/// ``all`` is the only list of members. The handling of the properties of ``SectionOptions``,
/// the command's flags and the table of docs/LAYOUTS.md are derived from it.
package struct SectionMember: Sendable {
  /// The kinds that read a member. In entries of other kinds it is accepted, and serves
  /// overrides that have the kind.
  package enum Readers: Hashable, Sendable {
    case everyKind
    case kinds([SectionKind])
    /// The kinds registered by the library's users.
    case ownKinds
  }

  /// The form of a member's value, for formats other than JSON.
  package enum Form: Sendable {
    case length, truth, name, nameOrLength
    /// A whole number, or a list of them.
    case columns
    /// `natural`, or a width and a height.
    case itemSize
    case insets
    /// An object or a list of them, which only JSON can express.
    case object
  }

  /// The member's name in JSON; also that of its property.
  package let name: String
  package let readers: Readers
  /// The default, in Markdown; empty for none.
  package let defaultText: String
  /// The member's meaning, in Markdown: a clause in lower case, without a full stop.
  package let meaning: String
  package let form: Form

  /// Whether options set the member.
  let isStated: @Sendable (SectionOptions) -> Bool
  /// Removes the member that this one excludes.
  let displace: @Sendable (inout SectionOptions) -> Void
  let copy: @Sendable (_ source: SectionOptions, _ target: inout SectionOptions) -> Void
  let decode:
    @Sendable (KeyedDecodingContainer<AnyKey>, _ target: inout SectionOptions) throws -> Void
  let encode: @Sendable (SectionOptions, inout KeyedEncodingContainer<AnyKey>) throws -> Void

  /// - Parameters:
  ///   - get, set: The access to the value in ``SectionOptions``. Closures, because key paths
  ///     slow the first decoding of a process by a tenth.
  ///   - displace: Removes from the defaults what an override with this member replaces.
  init<Value: SectionMemberValue>(
    _ name: String, _ get: @escaping @Sendable (SectionOptions) -> Value?,
    _ set: @escaping @Sendable (inout SectionOptions, Value?) -> Void,
    of readers: Readers, default defaultText: String = "", _ meaning: String,
    displacing displace: @escaping @Sendable (inout SectionOptions) -> Void = { _ in }
  ) {
    (self.name, self.readers, self.defaultText) = (name, readers, defaultText)
    (self.meaning, self.displace) = (meaning, displace)
    form = Value.form
    let key = AnyKey(stringValue: name)
    isStated = { get($0) != nil }
    copy = { source, target in set(&target, get(source)) }
    decode = { values, target in set(&target, try Value.decode(key, from: values)) }
    encode = { options, values in try get(options)?.encode(key, to: &values) }
  }

  /// Returns whether sections of a kind use the member.
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
