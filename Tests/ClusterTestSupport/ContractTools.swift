import LayoutCache
package import LayoutCluster
package import LayoutReplication

/// Helpers that create datasets and entries for the clauses and other tests of logs.
package enum ContractTools {
  /// Creates a dataset with a name and its own chain.
  package static func make(
    _ name: String, in store: any SharedLog
  ) throws -> SharedHead {
    try store.createDataset(named: name, chain: .randomName() + .randomName(), time: 1_234)
  }

  /// Renames a dataset as it was last seen, and returns whether that had an effect.
  package static func rename(
    _ head: SharedHead, to name: String, in store: any SharedLog
  ) throws -> Bool {
    try store.renameDataset(
      head.position.dataset, tagged: head.nameTag, to: name, tagged: .randomName())
  }

  /// Returns requests with new names.
  ///
  /// - Parameter payloads: One per request.
  package static func requests(_ payloads: [[UInt8]]) -> [SharedRequest] {
    payloads.map {
      SharedRequest(.change, named: .randomName(), payload: $0, time: 1_700_000_000_000)
    }
  }

  /// Appends requests, and returns the head after them.
  package static func append(
    _ payloads: [[UInt8]], after head: SharedHead, to store: any SharedLog
  ) throws -> SharedHead {
    try append(requests(payloads), after: head, to: store).head
  }

  /// Appends requests after the last entry.
  ///
  /// - Parameter head: The dataset's head.
  /// - Returns: Their entries, and the head after them.
  package static func append(
    _ requests: [SharedRequest], after head: SharedHead, to store: any SharedLog
  ) throws -> (entries: [SharedEntry], head: SharedHead) {
    let appending = try store.append(requests, to: head.position.dataset, epoch: head.epoch)
    guard case .appended(let first, let before, let chain) = appending else {
      throw BrokenContract(description: "the append is \(appending)")
    }
    try demand(first, is: head.position.sequence + 1)
    try demand(before, is: head.position.chain)
    try demand(chain.count, is: 16)
    var head = head
    head.position.sequence += requests.count
    head.position.chain = chain
    head.cost += requests.count
    return (requests.entries(from: first, before: before, chain: chain), head)
  }

  /// Returns all entries of a dataset.
  package static func all(
    of dataset: Int64, in store: any SharedLog
  ) throws -> [SharedEntry] {
    try store.entries(of: dataset, after: 0, bytesMax: .max)
  }
}

extension SharedNames {
  func removeDataset(_ id: Int64, named name: String) throws -> Bool {
    try removeDataset(id, named: name, at: nil)
  }

  func renameDataset(
    _ id: Int64, tagged tag: [UInt8], to name: String, tagged newTag: [UInt8]
  ) throws -> Bool {
    try renameDataset(id, tagged: tag, to: name, tagged: newTag, at: nil)
  }
}
