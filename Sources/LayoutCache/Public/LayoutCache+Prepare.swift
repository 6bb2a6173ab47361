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
  public func prepare(layout name: String, of dataset: String) throws -> Preparation {
    try prepare(layout: name, of: dataset, discardingSpace: nil)
  }

  /// As ``prepare(layout:of:)``; lays out anew what stands in a damaged space.
  func prepare(
    layout name: String, of dataset: String, discardingSpace damaged: NodeSpace?
  ) throws -> Preparation {
    try change(dataset) { writer, state in
      let row = try writer.reader.requireLayout(name, of: state.row)
      if let damaged, row.result?.space == damaged {
        state.layouts[row.id] = nil
      } else if row.isOutdated {
        // Laid out below.
      } else if let context = try catchUp(name, of: &state, writer: writer) {
        return Preparation(revision: state.revision, context: context)
      } else if state.layouts[row.id] != nil {
        return Preparation(revision: state.revision, context: nil)
      }
      layoutsUnderWay.insert(name, of: dataset)
      defer { layoutsUnderWay.remove(name, of: dataset) }
      let context = try layOut(row, of: &state, writer: writer)
      try state.cutLog(writer)
      return Preparation(revision: state.revision, context: context)
    }
  }

  /// Brings a layout into use by what the log holds, and saves that.
  ///
  /// - Returns: What catching up did; `nil` where there was nothing to do, and where
  ///   the layout is not in use because it must be laid out from scratch.
  private func catchUp(
    _ name: String, of state: inout DatasetState, writer: StoreWriter
  ) throws -> InvalidationContext? {
    do {
      let context = try state.bring(
        name, mayBeBehind: true, reader: writer.reader, kinds: customKinds)
      guard let context, let id = state.layout(named: name)?.row.id else { return nil }
      try state.layouts[id]?.checkpoint(at: state.revision, writer)
      try state.cutLog(writer)
      return context
    } catch is DatasetState.Hindrance {
      return nil
    } catch let limit as LimitError {
      throw LayoutCacheError(.cannotLayOut(name, dataset: state.row.name, limit))
    } catch {
      guard let damage = Damage(error) else { throw error }
      warn(Self.isLaidOutAnew, layout: name, of: state.row.name, damage.detail)
      return nil
    }
  }

  static let isLaidOutAnew: Logger.Message = "A stored layout is damaged and is laid out anew."

  /// Logs the damage of a stored layout, and what comes of it.
  func warn(_ message: Logger.Message, layout: String, of dataset: String, _ detail: String) {
    logger.warning(
      message,
      metadata: [
        "dataset": .string(dataset), "layout": .string(layout), "damage": .string(detail),
      ])
  }
}
