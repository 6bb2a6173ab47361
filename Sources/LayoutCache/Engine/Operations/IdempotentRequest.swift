package import LayoutGeometry

/// What tells that a batch has been sent before: for clients that send again what they have
/// no answer to.
///
/// A request is known for 24 hours, to its dataset alone, through renaming and through
/// killed processes. Of requests that are refused nothing is kept.
package struct IdempotentRequest: Hashable, Sendable {
  /// The sender's name for it: 1 to 255 bytes without control characters.
  package let key: String
  /// The sender, at most 255 bytes: keys of two owners have nothing to do with each
  /// other.
  package let owner: String
  /// A hash of all that decides on what is done and answered, at most 64 bytes.
  package let bodyHash: [UInt8]

  /// Names a request.
  ///
  /// - Throws: `LimitError` for a key or an owner beyond the limits.
  /// - Precondition: The hash has at most 64 bytes.
  package init(key: String, owner: String, bodyHash: [UInt8]) throws(LimitError) {
    precondition(bodyHash.count <= 64, "a hash is short")
    try Limits.check(name: key, as: "idempotency key")
    if !owner.isEmpty { try Limits.check(name: owner, as: "owner of an idempotency key") }
    self.key = key
    self.owner = owner
    self.bodyHash = bodyHash
  }
}
