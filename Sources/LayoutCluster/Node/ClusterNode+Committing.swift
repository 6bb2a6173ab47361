package import LayoutCache
import LayoutReplication

// Appending requests to the log. The log orders them; then every node decides them, this one too.

extension ClusterNode {
  package func commit(
    _ request: ChangeRequest, to dataset: String
  ) throws -> ChangeOutcome {
    if request.dependsOnNode {
      return try Self.mapped {
        try aloneByName(dataset) { try commitLocalized(request, $0) }
      }
    }
    let (own, logged) = try logged(request)
    return try renaming(dataset) {
      try withQueue(of: dataset) { try $0.commit(own, as: logged) }
    }
  }

  /// Returns a request with the values that all nodes use, and as the log gets it.
  private func logged(_ request: ChangeRequest) throws -> (ChangeRequest, SharedRequest) {
    var own = request
    own.resolution?.dataset = nil
    if own.needsChosenValues { own.chosen = cache.chosenValues(layout: try freshLayoutID()) }
    return (own, SharedRequest(own, at: cache.clock.now()))
  }

  /// Resolves what a request takes from this node alone, on the dataset at the end of the log, and
  /// commits the result; again if another node has changed the dataset in the meantime.
  private func commitLocalized(
    _ request: ChangeRequest, _ queue: DatasetCommitQueue
  ) throws -> ChangeOutcome {
    let deadline = options.now() + options.timeout
    while true {
      try requireLog()
      try ensureResident(queue.dataset, queue)
      try follow(queue.dataset, queue, [])
      let localized: ChangeRequest
      switch try cache.localized(request, on: queue.dataset) {
      case .settled(let outcome): return outcome
      case .request(let request): localized = request
      }
      let (own, logged) = try logged(localized)
      let ticket = DatasetCommitQueue.Ticket(own, as: logged, in: queue)
      do {
        try commitTogether([ticket], queue)
        return try ticket.outcome()
      } catch let error as LayoutCacheError {
        guard case .concurrentModification = error.code, options.now() < deadline else {
          throw error
        }
      }
    }
  }

  /// Appends the requests of some tickets, decides them, and closes all tickets.
  func commit(_ group: [DatasetCommitQueue.Ticket], in queue: DatasetCommitQueue) {
    if let reason = reasonNotToTry ?? reasonOfRules {
      return close(group, SharedLogFailure.unavailable(reason))
    }
    let now = options.now()
    guard queue.status({ $0.mayAppend(at: now) }) else {
      let reason = "too many requests to the dataset were rejected in a minute"
      return close(group, SharedLogFailure.busy(reason))
    }
    var rest = group[...]
    while let first = rest.first {
      var byteCount = first.request.payload.count
      // A change that is valid at one position is appended alone.
      let others = rest.dropFirst().prefix {
        byteCount += $0.request.payload.count
        return byteCount <= Self.appendBytesMax && $0.isValidAnywhere
      }
      let part = [first] + (first.isValidAnywhere ? Array(others) : [])
      rest = rest.dropFirst(part.count)
      do {
        try commitTogether(part, queue)
      } catch {
        close(part, error)
      }
    }
  }

  /// The maximum payload of an append of several requests, in bytes.
  private static let appendBytesMax = 1 << 20

  /// The maximum payload of an append that is batched with those of other datasets, in bytes.
  private static let gatheredBytesMax = 64 << 10

  /// Makes one append and decides its entries, which closes the tickets.
  private func commitTogether(
    _ tickets: [DatasetCommitQueue.Ticket], _ queue: DatasetCommitQueue
  ) throws {
    if let reason = queue.status({ $0.quarantined?.reason }) { throw Self.isQuarantined(reason) }
    if queue.status({ $0.reached }) == nil { try ensureResident(queue.dataset, queue) }
    let (position, epoch) = queue.status { ($0.reached, $0.epoch) }
    guard let position else { throw LayoutCacheError(.noSuchDataset(queue.dataset)) }
    let requests = tickets.map(\.request)
    var append = SharedAppend(
      requests, to: position.dataset, epoch: epoch, named: queue.dataset,
      cost: try requests.cost { try cache.dataset(queue.dataset).itemCount })
    append.position = tickets[0].change.resolution?.position
    if case .archive(_, let base) = tickets[0].change.work { append.position = base }
    let deadline = options.now() + options.timeout
    let entries = try self.append(&append, queue, until: deadline)
    try decide(entries, of: tickets, queue, until: deadline)
  }

  /// Makes an append until its outcome is known.
  ///
  /// - Throws: ``SharedLogFailure``, `unknown` if the deadline passes before; ``FormerName``;
  ///   ``LayoutCacheError`` with `noSuchDataset`, `concurrentModification`. Only after `unknown` the
  ///   log may have the requests.
  private func append(
    _ append: inout SharedAppend, _ queue: DatasetCommitQueue, until deadline: Duration
  ) throws -> [SharedEntry] {
    var unknown: String?
    while true {
      do {
        switch try appendOnce(append, isFirst: unknown == nil) {
        case .appended(let first, let before, let chain):
          counters.appends.add()
          counters.proposed.add(append.requests.count)
          return append.requests.entries(from: first, before: before, chain: chain)
        case .refused: try correct(&append, queue)
        case .locked: counters.locked.add()
        }
      } catch SharedLogFailure.unknown(let reason) {
        counters.unknown.add()
        unknown = reason
      } catch SharedLogFailure.archiveDeleted where unknown == nil {
        throw LayoutCacheError(.concurrentModification(dataset: queue.dataset))
      } catch is FormerName where unknown != nil {
        throw SharedLogFailure.unknown("the dataset was renamed after the change was sent")
      } catch let failure as SharedLogFailure where unknown != nil {
        // An earlier attempt may have been applied, or still may be.
        guard failure.isTransient else { throw SharedLogFailure.unknown("\(failure)") }
      }
      if options.now() >= deadline {
        throw unknown.map { .unknown($0) }
          ?? SharedLogFailure.unavailable("the dataset's log did not take the change in time")
      }
      options.pause(.milliseconds(unknown == nil ? 20 : 100))
    }
  }

  private func appendOnce(_ append: SharedAppend, isFirst: Bool) throws -> SharedAppending {
    // Other datasets must wait neither for a long append, nor for one that is made again.
    let isLong = append.requests.reduce(0) { $0 + $1.payload.count } > Self.gatheredBytesMax
    if isFirst, !isLong {
      let outcome = try writing { try appends.run(append).get() }
      if outcome != .locked { return outcome }
      counters.locked.add()
    }
    return try writing { try store.append([append])[0].get() }
  }

  /// Finds out why an append was refused, and corrects it.
  ///
  /// - Throws: ``FormerName`` if the dataset has another name; ``LayoutCacheError`` with
  ///   `noSuchDataset` if it is deleted, `concurrentModification` if its log ends elsewhere.
  private func correct(
    _ append: inout SharedAppend, _ queue: DatasetCommitQueue
  ) throws {
    if let head = try read({ try $0.look(at: [append.dataset]) }).heads.first {
      if !head.name.isExactly(queue.dataset) { throw FormerName(head: head, name: queue.dataset) }
      try follow(queue.dataset, queue, [])
      if let position = append.position, head.position != position {
        throw LayoutCacheError(.concurrentModification(dataset: queue.dataset))
      }
    } else {
      // Of a deleted dataset nothing is left, whatever the outcome was. Another one may have the
      // name.
      try forgetHere(queue)
      if append.position != nil {
        throw LayoutCacheError(.concurrentModification(dataset: queue.dataset))
      }
      try ensureResident(queue.dataset, queue)
    }
    let (dataset, epoch) = queue.status { ($0.reached?.dataset, $0.epoch) }
    append.dataset = dataset ?? append.dataset
    append.epoch = epoch
  }

  /// Decides entries that the log has for some tickets, after those of other nodes, and closes the
  /// tickets.
  ///
  /// - Throws: ``SharedLogFailure`` with `unknown`.
  private func decide(
    _ entries: [SharedEntry], of tickets: [DatasetCommitQueue.Ticket],
    _ queue: DatasetCommitQueue, until deadline: Duration
  ) throws {
    while true {
      do {
        if let position = queue.status({ $0.reached }), let first = entries.first,
          first.sequence == position.sequence + 1, first.isNext(after: position.chain)
        {
          try apply(entries, after: position, queue, tickets)
        } else {
          try follow(queue.dataset, queue, tickets)
        }
        break
      } catch is FormerName {
        // All entries are decided.
        break
      } catch {
        let failure = error as? SharedLogFailure
        guard failure?.isTransient ?? false, options.now() < deadline else {
          throw SharedLogFailure.unknown("the change was logged, but not decided here: \(error)")
        }
        options.pause(.milliseconds(50))
      }
    }
    // The dataset may have been loaded again, in a state after the entries.
    if tickets.contains(where: \.isOpen) {
      throw SharedLogFailure.unknown("this node has not seen the outcome of the logged change")
    }
  }

  private func close(_ tickets: [DatasetCommitQueue.Ticket], _ error: any Error) {
    let error = (error as? SharedLogFailure)?.asError ?? error
    for ticket in tickets { ticket.close(.failure(error)) }
  }

  static func isQuarantined(_ reason: String) -> LayoutCacheError {
    LayoutCacheError(
      .database(.busy, message: "this node can no longer follow the dataset: \(reason)"))
  }
}

extension ChangeRequest {
  fileprivate var needsChosenValues: Bool {
    switch work {
    case .setLayout, .addVariant, .followTemplate, .pin: true
    default: false
    }
  }
}

extension SharedRequest {
  /// Creates the request for the log, with a new name.
  fileprivate init(_ change: ChangeRequest, at time: Int64) {
    let (kind, payload): (SharedEntry.Kind, [UInt8]) =
      switch change.work {
      case .archive(let archive, _): (.archive, NamedArchive(archive).encode())
      case .pin: (.pin, change.encoded)
      default: (.change, change.encoded)
      }
    self.init(kind, named: .risingName(), payload: payload, time: time)
  }
}

extension DatasetCommitQueue.Ticket {
  fileprivate var isValidAnywhere: Bool {
    change.resolution == nil && request.kind != .archive
  }
}
