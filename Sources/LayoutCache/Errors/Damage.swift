import LayoutStore
import SumTree

/// Contents of the file that are inconsistent, in themselves or with one another; the owner of
/// damaged or missing nodes, if that is known.
///
/// Damage of a layout is repaired by laying it out again.
struct Damage: Error, CustomStringConvertible {
  /// The owner's space; `nil` if the error names no node.
  var space: NodeSpace?
  var detail: String
  var description: String { detail }

  /// A logged operation refers to a position that does not exist in its dataset or layout: the
  /// log or the trees are damaged.
  static let misplaced = Damage(detail: "a change refers to a position that does not exist")
}

extension Damage {
  /// Returns the damage that an error reports.
  ///
  /// - Returns: `nil` for an error that reports no damage.
  init?(_ error: any Error) {
    switch error {
    case let error as Damage: self = error
    case let error as LayoutCacheError:
      guard let damage = error.damage else { return nil }
      self = damage
    case let error as TreeError:
      self.init(space: error.node.map(NodeSpace.init(of:)), detail: error.description)
    case let error as StoreError:
      switch error.code {
      case .missingNode(let id), .corruptNode(let id, _):
        self.init(space: NodeSpace(of: id), detail: error.description)
      default: return nil
      }
    default: return nil
    }
  }
}
