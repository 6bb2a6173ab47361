/// Where the payloads of stored nodes come from.
@usableFromInline package protocol NodeSource: AnyObject {
  /// Calls `body` with the payload stored under `id` and returns its result.
  ///
  /// The payload is exactly the bytes a `NodeSink` was given; envelopes such as
  /// checksums are the source's business. The bytes' memory is valid only
  /// until `body` returns.
  ///
  /// - Throws: The source's own error when there is no such node or its bytes
  ///   are damaged, and what `body` throws.
  func withPayload<Result>(
    of id: NodeID, _ body: (inout ByteReader) throws -> Result
  ) throws -> Result
}

/// Where the payloads of new nodes go.
@usableFromInline package protocol NodeSink: AnyObject {
  /// Stores a payload and returns the id it can be read under.
  ///
  /// Law: each call returns an id that no node in use has. The payload's buffer
  /// is reused for the next node and larger than its bytes; a sink that keeps
  /// them in memory should copy them into their own array.
  ///
  /// - Parameter origin: The stored node that edits have made this one from, which
  ///   it may have much in common with; `nil` where there is none. Several nodes
  ///   may be made from one.
  /// - Throws: The sink's own error; nothing is then assumed to be stored.
  func write(_ payload: ByteWriter, madeFrom origin: NodeID?) throws -> NodeID
}

extension NodeSink {
  /// Stores the payload of a node that was made from no other.
  @inlinable
  package func write(_ payload: ByteWriter) throws -> NodeID {
    try write(payload, madeFrom: nil)
  }
}
