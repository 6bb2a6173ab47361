import CollectionLayout
import LayoutGeometry

/// Whether queries can be answered from a layout, and what it takes where they can't.
enum Readiness {
  /// It is in use, at its dataset's revision; with what catching up did, where it was
  /// behind.
  case ready(InvalidationContext?)
  /// It is behind its dataset's checkpoint: what catching up takes should be saved.
  case isBehindCheckpoint
  /// It must be laid out from scratch: it never was, or the log does not lead to the
  /// present revision.
  case needsLayout
  /// Its stored result contradicts itself or its dataset: it must be laid out from
  /// scratch, and somebody told.
  case isDamaged(String)
  /// It cannot be laid out: it would be beyond a limit, its kind is not known to this
  /// process, or there is no such layout.
  case isRefused(LayoutCacheError)
}
