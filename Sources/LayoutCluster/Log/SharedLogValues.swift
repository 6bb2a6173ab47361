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
    self.templates = templates
    self.incarnation = incarnation
    self.rules = rules
    self.isReplicated = isReplicated
    self.isNameReplaced = isNameReplaced
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
  /// The revision of the last entry; 1 before any.
  package var revision: Int
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
    name: String, nameTag: [UInt8], epoch: Int, position: SharedPosition, revision: Int,
    cut: Int, begin: [UInt8], time: Int64, cost: Int = 0, coveredCost: Int = 0
  ) {
    self.nameTag = nameTag
    self.begin = begin
    self.time = time
    self.name = name
    self.epoch = epoch
    self.position = position
    self.revision = revision
    self.cut = cut
    self.cost = cost
    self.coveredCost = coveredCost
  }
}

/// The state of a log, as a node polls it.
package struct SharedLook: Hashable, Sendable {
  package var info: SharedLogInfo
  package var heads: [SharedHead]

  package init(info: SharedLogInfo, heads: [SharedHead]) {
    self.info = info
    self.heads = heads
  }
}

/// A dataset's head, and entries that lead to it.
package struct SharedTail: Hashable, Sendable {
  package var head: SharedHead
  package var entries: [SharedEntry]

  package init(head: SharedHead, entries: [SharedEntry]) {
    self.head = head
    self.entries = entries
  }
}

/// Entries to append to a dataset, all or none.
package struct SharedAppend: Sendable {
  /// At least one. Their sequences continue that of ``position``.
  package var entries: [SharedEntry]
  /// The position, with its chain, at which the dataset's log must end.
  package var position: SharedPosition
  /// The expected ``SharedHead/epoch``.
  package var epoch: Int
  /// The cost of applying the entries, added to ``SharedHead/cost``.
  package var cost: Int
  /// The expected ``SharedHead/name``; `nil` for any.
  package var name: String?

  package init(
    _ entries: [SharedEntry], after position: SharedPosition, epoch: Int, cost: Int,
    named name: String? = nil
  ) {
    self.name = name
    self.entries = entries
    self.position = position
    self.epoch = epoch
    self.cost = cost
  }
}

/// The result of an append.
package enum SharedAppending: Hashable, Sendable {
  case appended
  /// The log does not end at the position, the epoch or the name has changed, or the dataset is
  /// deleted; nothing was appended.
  case behind
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
    self.archive = archive
    self.position = position
    self.digest = digest
  }
}
