public import CollectionLayout
import LayoutGeometry
import LayoutStore
import Logging
import SumTree

/// A layout that is up to date with its dataset.
public struct Preparation: Hashable, Sendable {
  /// The dataset's revision.
  public var revision: Int
  /// What has changed in the layout; `nil` where it was up to date.
  public var context: InvalidationContext?
}

extension LayoutCache {
  /// Brings a layout up to date with its dataset, and saves what that takes.
  ///
  /// A layout that has been prepared before catches up with the changes committed
  /// since, in their order; one that has not, or that is behind by more than 10,000
  /// operations and half its items, is laid out from scratch.
  ///
  /// - Returns: The dataset's revision, and the context of all changes that the
  ///   layout has caught up with.
  /// - Throws: ``LayoutCacheError``: `noSuchDataset`, `noSuchLayout`, `cannotLayOut`
  ///   where the content would become too long, `database`.
  /// - Complexity: O(log items) nodes for each operation to catch up with; from
  ///   scratch O(items), in constant memory.
  @discardableResult
  public func prepare(_ layout: LayoutID) throws -> Preparation {
    try prepare(layout, discardingSpace: nil)
  }

  /// As ``prepare(_:)``; lays out anew what stands in a damaged space.
  func prepare(_ layout: LayoutID, discardingSpace damaged: NodeSpace?) throws -> Preparation {
    try change(layout.dataset) { change in
      let context = try openDatasets.layingOut(layout) {
        try change.prepare(layout.layout, discardingSpace: damaged)
      }
      return Preparation(revision: change.state.revision, context: context)
    }
  }
}
