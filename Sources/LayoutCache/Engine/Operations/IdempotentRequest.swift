package import LayoutGeometry

/// The identity of a request, to detect batches that are sent again: for clients that retry when
/// they received no answer.
///
/// A request is stored for 24 hours, for its dataset only, even if the dataset is renamed or
/// processes are killed. Rejected requests are not stored.
package struct IdempotentRequest: Hashable, Sendable {
  /// The sender's name for the request: 1 to 255 bytes without control characters.
  package let key: String
  /// The sender, at most 255 bytes. Keys of different owners are independent.
  package let owner: String
  /// A hash of everything that determines the effect and the answer, at most 64 bytes.
  package let bodyHash: [UInt8]

  /// Creates the identity of a request.
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
