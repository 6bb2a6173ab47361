import Synchronization

final class OpenConnections: Sendable {
  private let open = Atomic(0)

  var count: Int { open.load(ordering: .relaxed) }

  func didOpen() { open.add(1, ordering: .relaxed) }

  func didClose() { open.subtract(1, ordering: .relaxed) }
}
