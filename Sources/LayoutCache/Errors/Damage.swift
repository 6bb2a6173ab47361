import LayoutStore
import SumTree

/// A stored layout contradicts itself or its dataset: it is laid out again.
struct DamagedLayout: Error {
  var detail: String
}

/// A logged operation names a place that its dataset or layout does not have: the
/// log or the trees are damaged.
struct MisplacedOperation: Error {}

/// The damage that an error reports: which owner's nodes are damaged or missing.
struct Damage: Sendable {
  /// The owner's space; `nil` where the error names no node, which only a layout's
  /// own contradictions do.
  var space: NodeSpace?
  var detail: String

  /// - Returns: `nil` for an error that says nothing of the kind.
  init?(_ error: any Error) {
    switch error {
    case let error as LayoutCacheError:
      guard let damage = error.damage else { return nil }
      self = damage
    case let error as DamagedLayout:
      detail = error.detail
    case is MisplacedOperation:
      detail = "a change names a place that it does not have"
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
