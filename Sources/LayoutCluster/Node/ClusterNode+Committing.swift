import LayoutCache
import LayoutReplication

// Appending changes to the log.

extension ClusterNode {
  /// Commits the changes of some tickets, and closes all of them.
  ///
  /// A change is proposed at another position only once it is known that the log does not have it:
  /// the node has seen the entries that took its place. So a lost answer never causes a duplicate.
  /// Rejections, and changes without an effect, are decided from the node's state. They are valid
  /// only if the log ends at that state, which a successful append or a read confirms.
  func commit(
    _ group: [DatasetCommitQueue.Ticket], in queue: DatasetCommitQueue
  ) {
    let dataset = queue.dataset
    let deadline = options.now() + options.timeout
    var open = group
    var undecided: Undecided?
    if let reason = reasonNotToTry ?? reasonOfRules { return close(open, .unavailable(reason)) }
    while !open.isEmpty {
      do {
        if let reason = queue.status({ $0.quarantined?.reason }) {
          throw Self.isQuarantined(reason)
        }
        if let passed = undecided, queue.status({ $0.passCount }) != passed.passCount {
          // The entries between were not examined, so the changes may be among them. If the dataset
          // is deleted, so are they.
          if try !read({ try $0.look(at: [passed.base.dataset]) }).heads.isEmpty {
            close(passed.tickets, .unknown("the log was cut after the change"))
          }
          undecided = nil
          open = open.filter(\.isOpen)
          if open.isEmpty { return }
        }
        if try propose(open, queue, &undecided) == .mustFollow {
          try follow(dataset, queue, open)
          // The append is now in the log, or can no longer succeed.
          if let sent = undecided, queue.status({ $0.passCount }) == sent.passCount,
            try position(of: dataset) != sent.base
          {
            undecided = nil
          }
        }
      } catch SharedLogFailure.unknown(let reason) {
        if options.now() >= deadline { return close(open, .unknown(reason)) }
        options.pause(.milliseconds(20))
      } catch let failure as SharedLogFailure where failure.isTransient {
        if undecided == nil { return close(open, failure) }
        if options.now() >= deadline { return close(open, .unknown("\(failure)")) }
        options.pause(.milliseconds(100))
      } catch let former as FormerName {
        // The log has none of the changes, and an append by the former name can't succeed now.
        let passed = undecided.map { $0.passCount != queue.status { $0.passCount } } ?? false
        if passed { return close(open, .unknown("the dataset was renamed after the change")) }
        return close(open, former)
      } catch let error as ReplicationError {
        // The file does not match the log. Following rebuilds the dataset.
        if undecided != nil { return close(open, .unknown("\(error)")) }
        return close(open, Self.isQuarantined("\(error)"))
      } catch {
        // If the dataset is deleted, so is any change to it: the outcome is known.
        let isGone = (error as? LayoutCacheError)?.isOfMissingDataset ?? false
        if undecided != nil && !isGone { return close(open, .unknown("\(error)")) }
        return close(open, (error as? SharedLogFailure)?.asError ?? error)
      }
      open = open.filter(\.isOpen)
      if options.now() >= deadline {
        let reason = "other nodes committed first on every attempt"
        return close(open, undecided == nil ? .unavailable(reason) : .unknown(reason))
      }
    }
  }

  /// An append with an unknown outcome.
  private struct Undecided {
    var base: SharedPosition
    /// The dataset's ``ReplicaStatus/passCount`` then. A node that has loaded the dataset again
    /// may be beyond the entries without having seen them.
    var passCount: Int
    var tickets: [DatasetCommitQueue.Ticket]
  }

  /// The maximum payload of an append that is batched with those of other datasets, in bytes.
  private static let gatheredBytesMax = 64 << 10

  /// The payload from which on an append takes no further changes, in bytes.
  private static let appendBytesMax = 1 << 20

  private enum Step {
    case done, mustFollow
  }

  /// Proposes as many changes as can be appended together, and applies them if the log has
  /// accepted them.
  private func propose(
    _ open: [DatasetCommitQueue.Ticket], _ queue: DatasetCommitQueue,
    _ undecided: inout Undecided?
  ) throws -> Step {
    let (position, proposals) = try resolve(open, queue)
    // Making the dataset resident may have passed the entries that an earlier append left open.
    if let earlier = undecided, earlier.passCount != queue.status({ $0.passCount }) {
      return .done
    }
    var proposed: [LoggedEntry] = []
    var judged: [(ticket: DatasetCommitQueue.Ticket, result: Result<ChangeOutcome, any Error>)] = []
    var chain = position.chain
    var byteCount = 0
    for (ticket, proposal) in zip(open, proposals) {
      // The rest is resolved again on the result.
      if byteCount >= Self.appendBytesMax { break }
      switch proposal {
      case .entry(let entry, let change):
        byteCount += entry.payload.count
        let entry = entry.sealed(after: chain)
        chain = entry.chain
        proposed.append(LoggedEntry(entry: entry, change: change, ticket: ticket))
      case .settled(let outcome): judged.append((ticket, .success(outcome)))
      case .failed(let error): judged.append((ticket, .failure(error)))
      case .mustWait: break
      }
    }
    if proposed.isEmpty {
      guard try isLast(position, of: queue.dataset) else { return .mustFollow }
    } else {
      let sent = Undecided(
        base: position, passCount: queue.status { $0.passCount },
        tickets: proposed.compactMap(\.ticket))
      guard let outcome = try append(proposed.map(\.entry), sent, queue, &undecided) else {
        let error = LayoutCacheError(.concurrentModification(dataset: queue.dataset))
        close(proposed.compactMap(\.ticket), error)
        return .done
      }
      // If the call was executed twice, the first may have succeeded.
      undecided = sent
      guard outcome == .appended else { return .mustFollow }
      undecided = nil
      do {
        try apply(proposed, after: position, queue.dataset, queue)
      } catch {
        // The changes are committed, even if applying them to this node's file failed.
        close(
          proposed.compactMap(\.ticket),
          .unknown("the change was committed, but applying it failed: \(error)"))
        throw error
      }
    }
    for (ticket, result) in judged { ticket.close(result) }
    return .done
  }

  /// Resolves changes into entries, results or errors, and makes the dataset resident if needed.
  ///
  /// - Returns: The position to propose the entries at: that of the file.
  private func resolve(
    _ open: [DatasetCommitQueue.Ticket], _ queue: DatasetCommitQueue
  ) throws -> (position: SharedPosition, proposals: [LayoutCache.Proposal]) {
    let requests = open.map(\.request)
    let dataset = queue.dataset
    func resolve() throws -> (position: SharedPosition, proposals: [LayoutCache.Proposal]) {
      try cache.resolve(requests, on: dataset, in: log) { try self.freshLayoutID() }
    }
    do {
      return try resolve()
    } catch {
      // The dataset is almost always resident. Checking first would cost a file read per change.
      guard try position(of: dataset) == nil else { throw error }
      try ensureResident(dataset, queue, open)
      return try resolve()
    }
  }

  /// - Returns: `nil` if an archive that the entries name was swept, and nothing was appended.
  private func append(
    _ entries: [SharedEntry], _ sent: Undecided, _ queue: DatasetCommitQueue,
    _ undecided: inout Undecided?
  ) throws -> SharedAppending? {
    do {
      let append = SharedAppend(
        entries, after: sent.base, epoch: queue.status { $0.epoch },
        cost: try entries.cost { try cache.dataset(queue.dataset).itemCount },
        named: queue.dataset)
      // Other datasets must not wait for a long append.
      let isLong = entries.reduce(0) { $0 + $1.payload.count } > Self.gatheredBytesMax
      var outcome = SharedAppending.locked
      if !isLong { outcome = try appending(append) { appends.run(append) } }
      // Nor must they wait for a lock.
      if outcome == .locked { outcome = try appending(append) { store.append([append])[0] } }
      return outcome
    } catch SharedLogFailure.unknown(let reason) {
      undecided = sent
      counters.unknown.add()
      throw SharedLogFailure.unknown(reason)
    } catch SharedLogFailure.archiveDeleted
      where undecided == nil && entries.contains(where: { $0.kind == .archive })
    {
      return nil
    }
  }

  /// Makes an append, and counts its outcome.
  private func appending(
    _ append: SharedAppend, _ body: () -> Result<SharedAppending, any Error>
  ) throws -> SharedAppending {
    let outcome = try writing { try body().get() }
    counters.note(outcome, entryCount: append.entries.count)
    return outcome
  }

  /// Returns whether the log of a dataset of a name ends at a position.
  private func isLast(_ position: SharedPosition, of dataset: String) throws -> Bool {
    let head = try read { try $0.look(at: [position.dataset]) }.heads.first
    return head?.position == position && head?.name.isExactly(dataset) ?? false
  }

  private func close(_ tickets: [DatasetCommitQueue.Ticket], _ failure: SharedLogFailure) {
    close(tickets, failure.asError)
  }

  private func close(_ tickets: [DatasetCommitQueue.Ticket], _ error: any Error) {
    for ticket in tickets { ticket.close(.failure(error)) }
  }

  static func isQuarantined(_ reason: String) -> LayoutCacheError {
    LayoutCacheError(
      .database(.busy, message: "this node can no longer follow the dataset: \(reason)"))
  }
}

extension LayoutCacheError {
  fileprivate var isOfMissingDataset: Bool { if case .noSuchDataset = code { true } else { false } }
}
