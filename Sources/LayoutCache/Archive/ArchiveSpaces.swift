import LayoutStore

/// What an archive is loaded into before anybody sees it: spaces, and the requests of a dataset
/// that there is not yet. All of it is published together, or given back together.
///
/// While one is filled, or the next chunk is waited for, the others are kept from being given
/// back as those of a process that was killed. Belongs to one call.
final class ArchiveSpaces {
  private let store: Store
  private let now: @Sendable () -> Int64
  private var begun: [Remains] = []
  private var lastTouch: Int64

  /// - Parameter now: The time in milliseconds since 1970.
  init(_ store: Store, now: @escaping @Sendable () -> Int64) {
    self.store = store
    self.now = now
    lastTouch = now()
  }

  func makeFiller() throws -> SpaceFiller {
    let filler = try SpaceFiller(store, now: now)
    begun.append(.nodes(filler.space))
    return filler
  }

  /// Makes room for the requests of a dataset.
  ///
  /// - Returns: Its id.
  func makeDataset() throws -> Int64 {
    let id = try store.write { writer in
      let id = try writer.freshDatasetID()
      try writer.begin(.requests(dataset: id), at: now())
      return id
    }
    begun.append(.requests(dataset: id))
    return id
  }

  /// Stores requests, in a short transaction.
  func put(_ requests: [RequestRow]) throws {
    try store.write { writer in
      try touch(writer)
      for request in requests { try writer.put(request, keepingAnswers: Budgets.answersBytes) }
    }
    store.letOthersWrite()
  }

  /// Says that all is still being filled, where that was not said for a while.
  ///
  /// - Throws: `StoreError` where it has been given back.
  func touchIfDue() throws {
    // The time of day may be set back.
    guard abs(now() - lastTouch) >= Budgets.fillingSilence / 16 else { return }
    try store.write(touch)
    lastTouch = now()
  }

  /// Makes all of it its owners', in the transaction that stores those.
  ///
  /// - Throws: As ``touchIfDue()``.
  func keep(_ writer: StoreWriter) throws {
    try touch(writer)
    for remains in begun { try writer.keep(remains) }
  }

  /// Gives all of it back, or leaves it to be given back.
  func giveBack() throws {
    try store.write { writer in
      for remains in begun { try writer.giveBack(remains) }
    }
  }

  private func touch(_ writer: StoreWriter) throws {
    for remains in begun {
      guard try writer.touch(remains, at: now()) else {
        throw StoreError(
          .unexpected(detail: "\(remains) was given back while it was filled"), path: store.path)
      }
    }
  }
}
