import SumTree

/// A store of payloads in a dictionary, with the simplest transactions: everything written
/// since the last commit can be dropped.
final class NodeMemory: NodeSource, NodeSink {
  struct MissingNode: Error, Equatable {
    let id: NodeID
  }

  var payloads: [NodeID: [UInt8]] = [:]
  /// The origins of the nodes written.
  var origins: [NodeID] = []
  private var lastID: UInt64 = 0

  func withPayload<Result>(
    of id: NodeID, _ body: (inout ByteReader) throws -> Result
  ) throws -> Result {
    guard let payload = payloads[id] else { throw MissingNode(id: id) }
    return try ByteReader.read(payload, body)
  }

  func write(_ payload: ByteWriter, madeFrom origin: NodeID?) throws -> NodeID {
    if let origin { origins.append(origin) }
    lastID += 1
    let id = NodeID(rawValue: lastID)!
    payloads[id] = payload.bytes
    return id
  }
}
