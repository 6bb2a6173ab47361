import LayoutCache

// Getting changes into the log.

extension ClusterNode {
  /// Commits the changes of some tickets, and closes all of them.
  ///
  /// A change is proposed under one name until it is known to be in or not: whatever becomes of
  /// an append whose answer is lost, the log takes a name once. What the node refuses, or what
  /// comes to nothing, it judges by what it has; that holds where the log has gone no further,
  /// as a successful append shows, or a read does.
  func commit(_ group: [DatasetCommitQueue.Ticket], in queue: DatasetCommitQueue) {
    let dataset = queue.dataset
    let deadline = options.now() + options.timeout
    var open = group
    /// Where an append continues from of which it is not known whether the log has taken it.
    var undecided: SharedPosition?
    if let reason = reasonNotToTry ?? reasonOfRules { return close(open, .unavailable(reason)) }
    while !open.isEmpty {
      do {
        if let reason = queue.status({ $0.quarantined?.reason }) {
          throw Self.isQuarantined(reason)
        }
        if try propose(open, dataset, queue, &undecided) == .mustFollow {
          try follow(dataset, queue, open)
          // What continued from there is in, or never comes.
          if let base = undecided, try position(of: dataset) != base { undecided = nil }
        }
      } catch SharedLogFailure.unknown(let reason) {
        if options.now() >= deadline { return close(open, .unknown(reason)) }
        options.pause(.milliseconds(20))
      } catch SharedLogFailure.unavailable(let reason) {
        if undecided == nil { return close(open, .unavailable(reason)) }
        if options.now() >= deadline { return close(open, .unknown(reason)) }
        options.pause(.milliseconds(100))
      } catch let misfit as ReplicationError {
        // The file is not as the log says. Following begins it again.
        return close(open, Self.isQuarantined("\(misfit)"))
      } catch {
        // Whatever was done to a dataset that is gone is gone, too.
        let isGone = (error as? LayoutCacheError)?.isOfMissingDataset ?? false
        if undecided != nil && !isGone { return close(open, .unknown("\(error)")) }
        return close(open, (error as? SharedLogFailure)?.asError ?? error)
      }
      open = open.filter(\.isOpen)
      if options.now() >= deadline {
        let reason = "others were faster again and again"
        return close(open, undecided == nil ? .unavailable(reason) : .unknown(reason))
      }
    }
  }

  /// The payload up to which an append is gathered with those of other datasets.
  private static let gatheredBytesMax = 64 << 10

  private enum Step {
    case done, mustFollow
  }

  /// Proposes as many changes as can go together, and carries them out if the log has taken
  /// them.
  private func propose(
    _ open: [DatasetCommitQueue.Ticket], _ dataset: String, _ queue: DatasetCommitQueue,
    _ undecided: inout SharedPosition?
  ) throws -> Step {
    let (position, proposals) = try resolve(open, dataset, queue)
    var proposed: [LoggedEntry] = []
    var judged: [(ticket: DatasetCommitQueue.Ticket, result: Result<ChangeOutcome, any Error>)] = []
    var chain = position.chain
    for (ticket, proposal) in zip(open, proposals) {
      switch proposal {
      case .entry(let entry, let change):
        let entry = entry.sealed(behind: chain)
        chain = entry.chain
        proposed.append(LoggedEntry(entry: entry, change: change, ticket: ticket))
      case .settled(let outcome): judged.append((ticket, .success(outcome)))
      case .failed(let error): judged.append((ticket, .failure(error)))
      case .mustWait: break
      }
    }
    if proposed.isEmpty {
      guard try isLast(position) else { return .mustFollow }
    } else {
      switch try append(proposed.map(\.entry), behind: position, queue, &undecided) {
      case .appended:
        undecided = nil
        do {
          try apply(proposed, behind: position, dataset, queue)
        } catch {
          // They are committed, whatever has become of this node's file.
          close(
            proposed.compactMap(\.ticket),
            .unknown("what was committed can't be carried out: \(error)"))
          throw error
        }
      case .behind, .repeated, .deleted:
        // Where the call was carried out twice the first may have been taken.
        undecided = position
        return .mustFollow
      case nil:
        let error = LayoutCacheError(.changedMeanwhile(dataset: dataset))
        close(proposed.compactMap(\.ticket), error)
        return .done
      }
    }
    for (ticket, result) in judged { ticket.close(result) }
    return .done
  }

  /// Finds out what changes come to, and brings the dataset here where it is not.
  private func resolve(
    _ open: [DatasetCommitQueue.Ticket], _ dataset: String, _ queue: DatasetCommitQueue
  ) throws -> (position: SharedPosition, proposals: [LayoutCache.Proposal]) {
    func resolve() throws -> (position: SharedPosition, proposals: [LayoutCache.Proposal]) {
      try cache.resolve(open.map(\.request), on: dataset, in: log)
    }
    do {
      return try resolve()
    } catch {
      // Almost always it is here: to look first would cost each change a read of the file.
      guard try position(of: dataset) == nil else { throw error }
      try ensureResident(dataset, queue)
      return try resolve()
    }
  }

  /// - Returns: `nil` where an archive that they name has been swept, and they are not in.
  private func append(
    _ entries: [SharedEntry], behind position: SharedPosition, _ queue: DatasetCommitQueue,
    _ undecided: inout SharedPosition?
  ) throws -> SharedAppending? {
    do {
      let append = SharedAppend(
        entries, behind: position, epoch: queue.status { $0.epoch })
      // Nobody is to wait for what takes long by itself.
      let isLong = entries.reduce(0) { $0 + $1.payload.count } > Self.gatheredBytesMax
      let outcome = try writing {
        try isLong ? store.append([append])[0].get() : appends.run(append).get()
      }
      count { $0.note(outcome, entryCount: entries.count) }
      return outcome
    } catch SharedLogFailure.unknown(let reason) {
      undecided = position
      count { $0.unknownCount += 1 }
      throw SharedLogFailure.unknown(reason)
    } catch SharedLogFailure.archiveDeleted
      where undecided == nil && entries.contains(where: { $0.kind == .archive })
    {
      return nil
    }
  }

  /// Whether the log ends at a position.
  private func isLast(_ position: SharedPosition) throws -> Bool {
    try read { try $0.heads(of: [position.dataset]) }.first?.position == position
  }

  private func close(_ tickets: [DatasetCommitQueue.Ticket], _ failure: SharedLogFailure) {
    close(tickets, failure.asError)
  }

  private func close(_ tickets: [DatasetCommitQueue.Ticket], _ error: any Error) {
    for ticket in tickets { ticket.close(.failure(error)) }
  }

  static func isQuarantined(_ reason: String) -> LayoutCacheError {
    LayoutCacheError(
      .database(.busy, message: "this node can't follow the dataset any more: \(reason)"))
  }
}

extension LayoutCacheError {
  fileprivate var isOfMissingDataset: Bool {
    if case .noSuchDataset = code { true } else { false }
  }
}
