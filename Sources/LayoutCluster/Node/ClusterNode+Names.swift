package import LayoutCache
import LayoutGeometry
import Synchronization
import Threads

// Looking names up in the log.

/// Names that the log did not have when they were looked up.
///
/// Clients choose the names, so only some are remembered.
struct UnknownNames {
  private var times: [ExactKey: Duration] = [:]
  private static let countMax = 4096

  mutating func add(_ name: String, at time: Duration) {
    if times.count >= Self.countMax { times = [:] }
    times[ExactKey(name)] = time
  }

  mutating func remove(_ name: String) { times[ExactKey(name)] = nil }

  /// Returns whether a name was missing at a time or later.
  func contains(_ name: String, since time: Duration) -> Bool {
    times[ExactKey(name)].map { $0 >= time } ?? false
  }
}

/// A dataset is in the file under the name that it had before a rename.
struct FormerName: Error {
  /// The dataset in the log.
  var head: SharedHead
  /// Its name in the file.
  var name: String
}

extension ClusterNode {
  /// Runs `body`, which works on the dataset of a name. If it finds a dataset in the file under a
  /// former name, gives that the new one, and runs `body` again. The caller has no queue.
  func renaming<R>(_ dataset: String, _ body: () throws -> R) throws -> R {
    for _ in 0..<Self.renamesMax {
      do {
        return try body()
      } catch let former as FormerName {
        try alone(with: former.name, and: former.head.name) {
          try self.takeName(former.head, from: $0, to: $1)
        }
      }
    }
    throw SharedLogFailure.busy("the dataset is renamed again and again").asError
  }

  private static let renamesMax = 3

  /// Runs `body` as ``alone(with:_:)``, and again if the dataset had a former name in the file.
  func aloneByName<R>(
    _ dataset: String, _ body: (DatasetCommitQueue) throws -> R
  ) throws -> R {
    try renaming(dataset) { try alone(with: dataset, body) }
  }

  /// Looks a dataset up in the log, unless no dataset can have that name.
  func find(_ dataset: String) throws -> SharedHead? {
    guard Self.isValid(dataset) else { return nil }
    let sent = options.now()
    let head = try read { try $0.dataset(named: dataset) }
    unknown.withLock { names in
      if head == nil { names.add(dataset, at: sent) } else { names.remove(dataset) }
    }
    return head
  }

  /// Returns whether a dataset or layout can have a name.
  private static func isValid(_ name: String) -> Bool {
    (try? Limits.check(name: name, as: "name")) != nil
  }

  /// Returns whether the log is known to lack a dataset, without calling it.
  func isUnknown(_ dataset: String) -> Bool {
    !Self.isValid(dataset)
      || unknown.withLock { $0.contains(dataset, since: options.now() - options.unknownFor) }
  }

  /// Brings a dataset up to date with the log, because a layout is missing that another node may
  /// have created.
  ///
  /// - Returns: Whether the reader should look for the layout again. `false` for a name that no
  ///   layout can have, one that was missing a short time ago, and if the log is unavailable.
  package func mayFind(_ layout: LayoutID) async throws -> Bool {
    guard Self.isValid(layout.layout), isWorthWaiting else { return false }
    // Neither name contains a NUL.
    let name = "\(layout.dataset)\0\(layout.layout)"
    let now = options.now()
    let isKnown = unknown.withLock { names in
      defer { names.add(name, at: now) }
      return names.contains(name, since: now - options.unknownFor)
    }
    if isKnown { return false }
    let following = Task {
      try await self.inTurn(layout.dataset) {
        self.isConfirmed(layout.dataset, since: now) ? () : nil
      } work: {
        try self.bringUpToDate(layout.dataset, since: now)
      }
    }
    return (try? await following.value(within: options.readTimeout)) != nil
  }

  /// Returns datasets of the log in the order of their names' UTF-8 bytes.
  ///
  /// - Parameters:
  ///   - prefix: The prefix of the names; empty for all.
  ///   - name: The name after which to start; `nil` to start with the first.
  ///   - countMax: At least 2 with a prefix.
  /// - Returns: The names, and whether the datasets are resident.
  /// - Throws: ``LayoutCacheError`` with `sharedLogUnavailable`.
  package func datasets(
    prefix: String = "", after name: String?, countMax: Int
  ) throws -> [(name: String, isResident: Bool)] {
    try Self.mapped {
      if let reason = reasonNotToTry { throw SharedLogFailure.unavailable(reason) }
      let heads = try read { reader in
        let isInside = name.map { !$0.utf8.lexicographicallyPrecedes(prefix.utf8) } ?? false
        if isInside || prefix.isEmpty {
          return try reader.datasets(after: name, countMax: countMax)
        }
        let first = try reader.dataset(named: prefix).map { [$0] } ?? []
        return try first + reader.datasets(after: prefix, countMax: countMax - first.count)
      }
      return heads.prefix { $0.name.utf8.starts(with: prefix.utf8) }.map { head in
        (head.name, queueIfKnown(of: head.name)?.status { $0.reached != nil } ?? false)
      }
    }
  }
}
