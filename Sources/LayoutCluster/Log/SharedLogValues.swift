package import LayoutCache
package import LayoutReplication

/// The properties of a whole shared log.
package struct SharedLogInfo: Hashable, Sendable {
  /// 16 random bytes, new when the log is created or restored.
  package var incarnation: [UInt8]
  /// The version of the layout rules in effect.
  package var rules: Int
  /// Whether commits wait for a standby.
  package var isReplicated: Bool
  /// Whether a process that started later uses this node's name.
  package var isNameReplaced: Bool
  /// The number of the last change of templates.
  package var templates: Int

  package init(
    incarnation: [UInt8], rules: Int, isReplicated: Bool, isNameReplaced: Bool = false,
    templates: Int = 0
  ) {
    (self.incarnation, self.rules, self.isReplicated) = (incarnation, rules, isReplicated)
    (self.isNameReplaced, self.templates) = (isNameReplaced, templates)
  }
}

/// The templates of a cluster.
package struct SharedTemplates: Hashable, Sendable {
  /// The number of their last change; 0 without any.
  package var number: Int
  /// The templates, as nodes encode them.
  package var bytes: [UInt8]

  package init(number: Int = 0, bytes: [UInt8] = []) {
    (self.number, self.bytes) = (number, bytes)
  }
}

/// A dataset of a shared log, and where its log ends.
package struct SharedHead: Hashable, Sendable {
  package var name: String
  /// 16 bytes that identify the rename, or the creation, which gave the dataset its name.
  package var nameTag: [UInt8]
  package var epoch: Int
  package var position: SharedPosition
  /// The sequence up to which entries are deleted.
  package var cut: Int
  /// The chain before any entry.
  package var begin: [UInt8]
  /// The creation time in milliseconds since 1970, by the creator's clock.
  package var time: Int64
  /// The cost of applying all entries since the creation, in operations.
  package var cost: Int
  /// The part of ``cost`` that the newest checkpoint saves.
  package var coveredCost: Int

  package init(
    name: String, nameTag: [UInt8], epoch: Int, position: SharedPosition, cut: Int,
    begin: [UInt8], time: Int64, cost: Int = 0, coveredCost: Int = 0
  ) {
    (self.name, self.nameTag, self.epoch, self.position) = (name, nameTag, epoch, position)
    (self.cut, self.begin, self.time) = (cut, begin, time)
    (self.cost, self.coveredCost) = (cost, coveredCost)
  }
}

/// The state of a log, as a node polls it.
package struct SharedLook: Hashable, Sendable {
  package var info: SharedLogInfo
  package var heads: [SharedHead]

  package init(info: SharedLogInfo, heads: [SharedHead]) {
    (self.info, self.heads) = (info, heads)
  }
}

/// A dataset's head, and entries that lead to it.
package struct SharedTail: Hashable, Sendable {
  package var head: SharedHead
  package var entries: [SharedEntry]

  package init(head: SharedHead, entries: [SharedEntry]) {
    (self.head, self.entries) = (head, entries)
  }
}

/// Requests to append to a dataset, all or none.
package struct SharedAppend: Sendable {
  /// At least one, or one archive alone. The name of the first is that of the append.
  package var requests: [SharedRequest]
  /// The dataset's number.
  package var dataset: Int64
  /// The expected ``SharedHead/epoch``.
  package var epoch: Int
  /// The cost of deciding the requests, added to ``SharedHead/cost``.
  package var cost: Int
  /// The expected ``SharedHead/name``; `nil` for any.
  package var name: String?
  /// The position at which the log must end; `nil` for any. Only of an append of one request.
  package var position: SharedPosition?

  package init(
    _ requests: [SharedRequest], to dataset: Int64, epoch: Int, named name: String? = nil,
    at position: SharedPosition? = nil, cost: Int
  ) {
    (self.requests, self.dataset, self.epoch) = (requests, dataset, epoch)
    (self.name, self.position, self.cost) = (name, position, cost)
  }
}

/// The result of an append.
package enum SharedAppending: Hashable, Sendable {
  /// The requests are in the log, by this call or an earlier one of the same append.
  ///
  /// - Parameters:
  ///   - first: The sequence of the first.
  ///   - before: The chain of the entry before.
  ///   - chain: The chain of the requests' entries.
  case appended(first: Int, before: [UInt8], chain: [UInt8])
  /// The dataset is deleted, or has another name or epoch, or its log ends elsewhere; nothing was
  /// appended.
  case refused
  /// Another session has locked the dataset, or it is deleted; nothing was appended. Only an
  /// append to several datasets returns this: one to this dataset alone waits for the lock.
  case locked
}

/// An archive with the state of a dataset at a position.
package struct SharedCheckpoint: Hashable, Sendable {
  package var archive: Int64
  package var position: SharedPosition
  /// A hash of the archived state.
  package var digest: [UInt8]

  package init(archive: Int64, position: SharedPosition, digest: [UInt8]) {
    (self.archive, self.position, self.digest) = (archive, position, digest)
  }
}
