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

  /// Returns entries that continue after a head, each with its own proposal.
  ///
  /// - Parameter payloads: One per entry.
  package static func batches(
    _ payloads: [[UInt8]], after head: SharedHead
  ) -> [SharedEntry] {
    var entries: [SharedEntry] = []
    for payload in payloads {
      let position = entries.last
      entries.append(
        SharedEntry(
          sequence: (position?.sequence ?? head.position.sequence) + 1,
          revision: (position?.revision ?? head.revision) + 1, kind: .batch,
          proposal: .randomName(), request: nil, payload: payload, time: 1_700_000_000_000,
          chain: []
        ).sealed(after: position?.chain ?? head.position.chain))
    }
    return entries
  }

  /// Appends entries, and returns the head after them.
  package static func append(
    _ payloads: [[UInt8]], after head: SharedHead, to store: any SharedLog
  ) throws -> SharedHead {
    let entries = batches(payloads, after: head)
    try demand(try store.append(entries, after: head.position, epoch: head.epoch), is: .appended)
    return moved(head, after: entries)
  }

  /// Returns the head after some entries.
  package static func moved(_ head: SharedHead, after entries: [SharedEntry]) -> SharedHead {
    guard let last = entries.last else { return head }
    var head = head
    head.position.sequence = last.sequence
    head.position.chain = last.chain
    head.revision = last.revision
    head.cost += entries.count
    return head
  }

  /// Returns entries with the chains that follow from their contents.
  package static func sealed(_ entries: [SharedEntry], after head: SharedHead) -> [SharedEntry] {
    var chain = head.position.chain
    return entries.map { entry in
      let entry = entry.sealed(after: chain)
      chain = entry.chain
      return entry
    }
  }

  /// Returns all entries of a dataset.
  package static func all(
    of dataset: Int64, in store: any SharedLog
  ) throws -> [SharedEntry] {
    try store.entries(of: dataset, after: 0, bytesMax: .max)
  }
}
