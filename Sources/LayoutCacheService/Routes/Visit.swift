import HTTPTypes
import Hummingbird
import LayoutCache
import LayoutCluster
import NIOPosix

// A request for a dataset, on a node that has it of a shared log.

extension ServiceParts {
  /// How often a request is answered again because its dataset began again in the meantime.
  private static let attempts = 3

  /// Answers a request for a dataset, once the node has it as far as the request wants, and says
  /// where and how old the dataset is that the answer is of.
  func visit(
    _ dataset: String, on node: ClusterNode, _ route: Route, _ exchange: Exchange
  ) async throws -> Response {
    let bounds = try ReadBounds(exchange.request.headers)
    var attemptsLeft = route.access == .read ? Self.attempts : 1
    while true {
      let visit = try await visit(dataset, on: node, bounds, route)
      attemptsLeft -= 1
      do {
        var response = try await route.handler(exchange)
        if let visit, !visit.isGood, attemptsLeft > 0 { continue }
        // What a change has made can be visited now.
        guard let visit = try visit ?? node.visitAtOnce(dataset) else { return response }
        let age = visit.age
        if let age, let ageMax = bounds.ageMax, age > ageMax, route.access == .read {
          // To make it took longer than it may be old; what is laid out now is there at once.
          if attemptsLeft > 0 { continue }
          throw ClusterError.replicaBehind("the answer is older than it may be")
        }
        // Of what began again in the meantime it is not known how old it is.
        visit.write(to: &response, visit.isGood ? age : nil)
        return response
      } catch {
        // It may have left the file in the meantime.
        guard let visit, !visit.isGood, attemptsLeft > 0 else { throw error }
      }
    }
  }

  /// - Returns: `nil` where there is no such dataset and the route may make one, or it need not
  ///   be here.
  private func visit(
    _ dataset: String, on node: ClusterNode, _ bounds: ReadBounds, _ route: Route
  ) async throws -> DatasetVisit? {
    guard route.wantsDatasetHere else { return nil }
    if let visit = try node.visitAtOnce(dataset, bounds) { return visit }
    do {
      return try await logThreads.runIfActive { try node.visit(dataset, bounds) }
    } catch let error as LayoutCacheError {
      guard case .noSuchDataset = error.code, route.access == .write else { throw error }
      return nil
    }
  }
}

extension DatasetVisit {
  fileprivate func write(to response: inout Response, _ age: Duration?) {
    if let token { response.headers[.position] = token.text }
    if let age { response.headers[.age] = Self.text(of: age) }
    if quarantine != nil { response.headers[.quarantined] = "true" }
  }

  /// Seconds with three digits after the point, rounded up.
  private static func text(of age: Duration) -> String {
    let (seconds, attoseconds) = age.components
    let thousandth: Int64 = 1_000_000_000_000_000
    let milliseconds = seconds * 1_000 + (attoseconds + thousandth - 1) / thousandth
    let digits = String(1_000 + milliseconds % 1_000).dropFirst()
    return "\(milliseconds / 1_000).\(digits)"
  }
}

extension ReadBounds {
  /// What a request's headers want.
  ///
  /// - Throws: ``Problem`` for values that are none.
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
          "Min-Revision is a revision or a LayoutCache-Position, not '\(excerpt(text))'")
      }
    }
    if let text = headers[.maxStaleness] {
      guard let seconds = Double(text), (0...Self.secondsMax).contains(seconds) else {
        throw Problem(
          .badRequest, "Max-Staleness is a number of seconds, not '\(excerpt(text))'")
      }
      ageMax = .milliseconds(Int64(seconds * 1_000))
    }
  }

  private static let secondsMax = 1e9
}

extension HTTPField.Name {
  /// Where a dataset of a shared log stands, at least as far as the answer.
  static let position = HTTPField.Name("LayoutCache-Position")!
  /// How long ago at most the answer was what all had, in seconds.
  fileprivate static let age = HTTPField.Name("LayoutCache-Age")!
  /// Whether the node can't follow the dataset any more.
  fileprivate static let quarantined = HTTPField.Name("LayoutCache-Quarantined")!
  /// How far the node must be before it answers.
  fileprivate static let minRevision = HTTPField.Name("Min-Revision")!
  /// How old the answer may be, in seconds.
  fileprivate static let maxStaleness = HTTPField.Name("Max-Staleness")!
}
