/// A section's background decoration.
struct OracleBackground {
  let kind: String
  let inset: OracleInset
  let zIndex: Int

  init(_ object: OracleObject, in container: OracleContainer) throws(OracleRefusal) {
    try object.refuseMembers(otherThan: ["kind", "inset", "zIndex"])
    guard let kind = try object.string("kind") else {
      throw OracleRefusal(.missingMember, object.subject("kind"))
    }
    self.kind = kind
    inset = try OracleInset(object.object("inset"), in: container)
    zIndex = try object.wholeNumber("zIndex") ?? -1
  }
}
