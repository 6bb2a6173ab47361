import LayoutStore

/// The unpublished storage into which an archive is loaded: spaces, and the requests of a
/// dataset that does not exist yet. All of it is published together, or reclaimed together.
///
/// While one space is filled, or the next chunk is awaited, the others are protected from being
/// reclaimed as those of a killed process. It belongs to one call.
final class ArchiveSpaces {
  private let store: Store
  let now: @Sendable () -> Int64
  private var begun: [UnownedStorage] = []
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

  /// Reserves an ID for the requests of a dataset.
  ///
  /// - Returns: The dataset's ID.
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

  /// Renews the protection of the storage, unless it was renewed recently.
  ///
  /// - Throws: `StoreError` if the storage has been reclaimed.
  func touchIfDue() throws {
    // The system clock may be set back.
    guard abs(now() - lastTouch) >= Budgets.fillingSilence / 16 else { return }
    try store.write(touch)
    lastTouch = now()
  }

  /// Transfers the storage to its owners, in the transaction that stores those.
  ///
  /// - Throws: As ``touchIfDue()``.
  func keep(_ writer: StoreWriter) throws {
    try touch(writer)
    for remains in begun { try writer.keep(remains) }
  }

  /// Reclaims the storage, or leaves it to be reclaimed later.
  func giveBack() throws {
    try store.write { writer in
      for remains in begun { try writer.giveBack(remains) }
    }
  }

  private func touch(_ writer: StoreWriter) throws {
    for remains in begun {
      guard try writer.touch(remains, at: now()) else {
        throw StoreError(
          .unexpected(detail: "\(remains) was reclaimed while it was filled"), path: store.path)
      }
    }
  }
}
