import HTTPTypes
import Hummingbird
import LayoutCache
import LayoutCluster

// Reads of a dataset on a cluster node with a replica of it.

extension ServiceDependencies {
  /// The number of attempts if the dataset's replica restarts during a request.
  private static let attempts = 3

  /// Answers a request for a dataset once the node's replica is recent enough for the request,
  /// and adds headers with the replica's position and age.
  func visit(
    _ dataset: String, on node: ClusterNode, _ route: Route, _ request: ServiceRequest
  ) async throws -> Response {
    let bounds = try ReadBounds(request.http.headers)
    var attemptsLeft = route.access == .read ? Self.attempts : 1
    var hasAsked = route.access != .read
    while true {
      let visit = try await visit(dataset, on: node, bounds, route)
      attemptsLeft -= 1
      do {
        var response = try await request.respond(by: route)
        if let visit, !visit.isGood, attemptsLeft > 0 { continue }
        // A dataset that the change has created has a replica now. An error, as of a log that got a
        // newer version in the meantime, is not that of the change.
        guard let visit = visit ?? (try? node.tryAcquireRead(dataset)) else { return response }
        let age = visit.age
        if let age, let ageMax = bounds.ageMax, age > ageMax, route.access == .read {
          // Computing the answer took longer than its maximum age. The layout is prepared now,
          // so another attempt is fast.
          if attemptsLeft > 0 { continue }
          throw ClusterError.replicaBehind("the answer is older than Max-Staleness allows")
        }
        // If the replica has restarted in the meantime, its age is unknown.
        visit.write(to: &response, visit.isGood ? age : nil)
        return response
      } catch let error as LayoutCacheError {
        if let missed = error.missed, !hasAsked {
          // Another node may just have created it.
          hasAsked = true
          if try await node.mayFind(missed) { continue }
        }
        // The dataset may have been evicted from the file in the meantime.
        guard let visit, !visit.isGood, route.access == .read else { throw error }
        if attemptsLeft > 0 { continue }
        if case .noSuchDataset = error.code {
          throw Problem(.busy, "the dataset was evicted from the node's file while it was read")
        }
        throw error
      }
    }
  }

  /// - Returns: `nil` if there is no such dataset and the route may create it, or if the route
  ///   does not need a replica.
  private func visit(
    _ dataset: String, on node: ClusterNode, _ bounds: ReadBounds, _ route: Route
  ) async throws -> ReadLease? {
    guard route.wantsDatasetHere else { return nil }
    do {
      return try await node.acquireRead(dataset, bounds)
    } catch let error as LayoutCacheError {
      guard case .noSuchDataset = error.code, route.access == .write else { throw error }
      return nil
    }
  }
}

extension LayoutCacheError {
  /// The layout, or the name of the view in its place, that does not exist.
  fileprivate var missed: LayoutID? {
    switch code {
    case .noSuchLayout(let layout): layout
    case .noSuchView(let name, let dataset): LayoutID(name, of: dataset)
    default: nil
    }
  }
}

extension ReadLease {
  fileprivate func write(to response: inout Response, _ age: Duration?) {
    if let token { response.headers[.position] = token.text }
    if let age { response.headers[.age] = Self.text(of: age) }
    if quarantine != nil { response.headers[.quarantined] = "true" }
  }

  /// Returns seconds with three decimals, rounded up.
  private static func text(of age: Duration) -> String {
    let (seconds, attoseconds) = age.components
    let thousandth: Int64 = 1_000_000_000_000_000
    let milliseconds = seconds * 1_000 + (attoseconds + thousandth - 1) / thousandth
    let digits = String(1_000 + milliseconds % 1_000).dropFirst()
    return "\(milliseconds / 1_000).\(digits)"
  }
}

extension ReadBounds {
  /// Reads the bounds from a request's headers.
  ///
  /// - Throws: ``Problem`` for invalid values.
  fileprivate init(_ headers: HTTPFields) throws {
    self.init()
    if let text = headers[.minRevision] {
      if let revision = revision(text) {
        least = .revision(revision)
      } else if let token = PositionToken(text: text) {
        least = .position(token)
      } else {
        throw Problem(
          .badRequest,
          "Min-Revision must be a revision or a LayoutCache-Position, not '\(excerpt(text))'")
      }
    }
    if let text = headers[.maxStaleness] {
      guard let seconds = Double(text), (0...Self.secondsMax).contains(seconds) else {
        throw Problem(
          .badRequest, "Max-Staleness must be a number of seconds, not '\(excerpt(text))'")
      }
      ageMax = .milliseconds(Int64(seconds * 1_000))
    }
  }

  private static let secondsMax = 1e9
}

extension HTTPField.Name {
  /// The position of a dataset in the shared log, at least that of the answer.
  static let position = HTTPField.Name("LayoutCache-Position")!
  /// An upper bound on the answer's age, in seconds: the time since its state was the latest one.
  fileprivate static let age = HTTPField.Name("LayoutCache-Age")!
  /// Whether the node can no longer follow the dataset.
  fileprivate static let quarantined = HTTPField.Name("LayoutCache-Quarantined")!
  /// The minimum position of the node's replica.
  fileprivate static let minRevision = HTTPField.Name("Min-Revision")!
  /// The maximum age of the answer, in seconds.
  fileprivate static let maxStaleness = HTTPField.Name("Max-Staleness")!
}
