import CollectionLayout
import LayoutGeometry

/// The readiness of a layout to answer queries, and otherwise the work that this takes.
enum Readiness {
  /// The layout is active at its dataset's revision. Contains the changes from catching up, if it
  /// lagged.
  case ready(InvalidationContext?)
  /// The layout lags behind its dataset's checkpoint. The result of catching up should be saved.
  case behindCheckpoint
  /// The layout must be laid out from scratch: it has no result, or the log does not lead to the
  /// present revision.
  case needsLayout
  /// The stored result contradicts itself or its dataset: the layout must be laid out from
  /// scratch, and the damage reported.
  case damaged(String)
  /// The layout cannot be laid out: it would exceed a limit, its kind is unknown to this process,
  /// or it does not exist.
  case rejected(LayoutCacheError)
}
