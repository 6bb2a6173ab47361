/// The source of the payloads of stored nodes.
@usableFromInline package protocol NodeSource: AnyObject {
  /// Calls `body` with the payload stored under `id` and returns its result.
  ///
  /// The payload is exactly the bytes passed to a `NodeSink`; envelopes such as checksums are
  /// handled by the source. The memory is valid only until `body` returns.
  ///
  /// - Throws: The source's error if there is no such node or its bytes are damaged, and the
  ///   errors of `body`.
  func withPayload<Result>(
    of id: NodeID, _ body: (inout ByteReader) throws -> Result
  ) throws -> Result
}

/// The destination of the payloads of new nodes.
@usableFromInline package protocol NodeSink: AnyObject {
  /// Stores a payload and returns the ID under which it can be read.
  ///
  /// Law: each call returns an ID that no node in use has. The payload's buffer is reused for
  /// the next node and larger than its bytes; a sink that keeps them in memory should copy them
  /// to another array.
  ///
  /// - Parameter origin: The stored node from which edits created this one, which may be
  ///   similar; `nil` if there is none. Several nodes may have the same origin.
  /// - Throws: The sink's error; nothing is then assumed to be stored.
  func write(_ payload: ByteWriter, madeFrom origin: NodeID?) throws -> NodeID
}

extension NodeSink {
  /// Stores the payload of a node without an origin.
  @inlinable
  package func write(_ payload: ByteWriter) throws -> NodeID {
    try write(payload, madeFrom: nil)
  }
}
