import CollectionLayout
import HTTPTypes
import Hummingbird
import LayoutCache
import LayoutGeometry
import Synchronization

/// The widths of layouts that clients have created by reading within the last minute.
///
/// A read of a new width stores a layout, and beyond the layout's `keep` it drops another one:
/// without a limit, strangers would drop the layouts that others use.
final class NewWidths: Sendable {
  static let seconds = 60.0
  let max: Int
  private let now: @Sendable () -> ContinuousClock.Instant
  private let recent = Mutex<[(client: String, variant: LayoutID, time: ContinuousClock.Instant)]>(
    [])

  init(max: Int, now: @escaping @Sendable () -> ContinuousClock.Instant = { .now }) {
    (self.max, self.now) = (max, now)
  }

  /// Returns whether a client may create a width, and records that it does.
  func admit(_ variant: LayoutID, for client: String) -> Bool {
    recent.withLock { recent in
      let now = now()
      recent.removeAll { $0.time.duration(to: now) >= .seconds(Self.seconds) }
      let own = recent.filter { $0.client.isExactly(client) }
      if own.contains(where: { $0.variant == variant }) { return true }
      guard own.count < max else { return false }
      recent.append((client, variant, now))
      return true
    }
  }
}

extension ServiceRequest {
  /// Checks that the layouts that a read names exist, or may be created at a new width.
  ///
  /// - Throws: ``Problem`` with 503 that names the nearest existing width.
  func requireWidths(_ route: Route) async throws {
    if cache.isReadOnly || route.describesLayout { return }
    for name in route.layouts(in: path, query) {
      let layout = LayoutID(name, of: dataset)
      guard layout.mayBeVariant, try cache.readIfWarm(layout, { _ in true }) == nil else {
        continue
      }
      try await blocking { try requireWidth(layout) }
    }
  }

  private func requireWidth(_ layout: LayoutID) throws {
    let variant = try cache.canonical(layout)
    guard let end = variant.layout.lastIndex(of: "@") else { return }
    let parent = LayoutID(String(variant.layout[..<end]), of: layout.dataset)
    // The read itself reports a missing layout.
    guard let existing = try? cache.layoutsWithResult(of: parent), !existing.contains(variant),
      let found = try? cache.layout(parent), let keep = found.configuration.sizes?.keep
    else { return }
    let origin: Void? = try? service.origins.requireOwnOrigin(
      request.headers, authority: request.head.authority)
    let reason: String
    if origin == nil {
      reason = "pages of other origins get no new widths"
    } else if found.variants.count >= keep,
      found.variants.allSatisfy({ $0.secondsSinceUse ?? .infinity < NewWidths.seconds })
    {
      reason = "all \(keep) widths of the layout were used within the last minute"
    } else if !service.newWidths.admit(variant, for: client) {
      reason = "a client gets \(service.newWidths.max) new widths per minute"
    } else {
      return
    }
    func distance(_ name: String) -> Double { abs(width(of: name) - width(of: variant.layout)) }
    let nearest = found.variants.map(\.name).min { distance($0) < distance($1) }
    throw Problem(
      .busy, reason + (nearest.map { "; the nearest existing one is '\(excerpt($0))'" } ?? ""))
  }

  /// Returns the first length in the name of a variant.
  private func width(of name: String) -> Double {
    Double(name[(name.lastIndex(of: "@") ?? name.startIndex)...].dropFirst().prefix { $0 != "x" })
      ?? 0
  }
}
