/// The error of a tree whose stored nodes are inconsistent.
///
/// Every case means corrupt data, except `noSource`, which is a caller's mistake. Errors of the
/// `NodeSource` or `NodeSink` are passed on unchanged.
@usableFromInline package struct TreeError: Error, Sendable, Equatable {
  /// The violated rule.
  @usableFromInline package struct Code: RawRepresentable, Hashable, Sendable {
    @usableFromInline package let rawValue: String

    @usableFromInline package init(rawValue: String) {
      self.rawValue = rawValue
    }

    /// The payload is not a node; `bytes` has the reason.
    @usableFromInline package static let malformedNode = Code(rawValue: "malformedNode")

    /// A node is not one level below its parent.
    @usableFromInline package static let wrongHeight = Code(rawValue: "wrongHeight")

    /// The number of a node's elements differs from that in its parent.
    @usableFromInline package static let wrongCount = Code(rawValue: "wrongCount")

    /// A node's summary differs from that of its children or elements.
    @usableFromInline package static let wrongSummary = Code(rawValue: "wrongSummary")

    /// A node has no elements.
    @usableFromInline package static let emptyNode = Code(rawValue: "emptyNode")

    /// A node that is not the root is less than a third full, or an inner root has a single child.
    @usableFromInline package static let underfullNode = Code(rawValue: "underfullNode")

    /// A node has more elements or children than its capacity.
    @usableFromInline package static let overfullNode = Code(rawValue: "overfullNode")

    /// A node must be loaded, and the session has no source.
    @usableFromInline package static let noSource = Code(rawValue: "noSource")
  }

  /// The violated rule.
  @usableFromInline package let code: Code

  /// The node that violates it, if it is stored.
  @usableFromInline package let node: NodeID?

  /// The number required by the rule, for rules about numbers.
  @usableFromInline package let expected: Int?

  /// The number found instead.
  @usableFromInline package let actual: Int?

  /// The reason that the payload is invalid, for `malformedNode`.
  @usableFromInline package let bytes: ByteError?

  @usableFromInline package init(
    _ code: Code, node: NodeID?, expected: Int? = nil, actual: Int? = nil, bytes: ByteError? = nil
  ) {
    self.code = code
    self.node = node
    self.expected = expected
    self.actual = actual
    self.bytes = bytes
  }
}

extension TreeError: CustomStringConvertible {
  @usableFromInline package var description: String {
    var text = "\(code.rawValue) at node \(node.map(\.description) ?? "(not stored)")"
    if let expected, let actual { text += ": expected \(expected), found \(actual)" }
    if let bytes { text += ": \(bytes)" }
    return text
  }
}
