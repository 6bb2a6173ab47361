import LayoutStore
import SumTree

/// An inconsistency of a stored layout, in itself or with its dataset. The layout is laid out
/// again.
struct DamagedLayout: Error {
  var detail: String
}

/// A logged operation refers to a position that does not exist in its dataset or layout: the
/// log or the trees are damaged.
struct MisplacedOperation: Error {}

/// The error thrown if a layout must be laid out from scratch, because the log or an earlier result
/// does not lead to the present one.
struct HistoryIsLost: Error {}

/// The damage that an error reports, and the owner of the damaged or missing nodes.
struct Damage: Sendable {
  /// The owner's space; `nil` if the error names no node, which is the case only for
  /// inconsistencies of a layout.
  var space: NodeSpace?
  var detail: String

  /// - Returns: `nil` for an error that reports no damage.
  init?(_ error: any Error) {
    switch error {
    case let error as LayoutCacheError:
      guard let damage = error.damage else { return nil }
      self = damage
    case let error as DamagedLayout:
      detail = error.detail
    case is MisplacedOperation:
      detail = "a change refers to a position that does not exist"
    case let error as TreeError:
      space = error.node.map(NodeSpace.init(of:))
      detail = error.description
    case let error as StoreError:
      switch error.code {
      case .missingNode(let id), .corruptNode(let id, _): space = NodeSpace(of: id)
      default: return nil
      }
      detail = error.description
    default:
      return nil
    }
  }
}
