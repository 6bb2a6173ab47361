import CollectionLayout
import LayoutGeometry
import LayoutStore

/// The position at which the result of a layout begins when it is laid out from scratch.
///
/// The columns of a stable waterfall are history: they depend on the position at which it was laid
/// out. A process with a standalone file may choose any. Nodes of a cluster must choose the same.
enum HistoryBegin {
  /// The revision at which the layout is laid out, with a new incarnation.
  case local(HistoryNumber)
  /// The position recorded in the shared log.
  case pinned(PinRow)

  /// - Throws: ``ReplicationError`` with `historyNotRecorded`.
  init(of layout: LayoutRow, _ reader: StoreReader, _ random: RandomSource) throws {
    guard try reader.replica(of: layout.dataset) != nil else {
      self = .local(random.incarnation())
      return
    }
    guard let pin = try reader.pin(of: layout.id), pin.configuration.isExactly(layout.configuration)
    else { throw ReplicationError.historyNotRecorded }
    self = .pinned(pin)
  }

  var isPinned: Bool { if case .pinned = self { true } else { false } }

  /// The incarnation of the result.
  var incarnation: HistoryNumber {
    switch self {
    case .local(let incarnation): incarnation
    case .pinned(let pin): pin.incarnation
    }
  }

  /// The number of operations that the layout may lag; `nil` to choose by cost.
  var lagMax: Int? {
    switch self {
    case .local: nil
    case .pinned: .max
    }
  }

  /// The treatment of a layout's present result.
  enum Step {
    /// The result follows the dataset.
    case follow
    /// The result is changed to the layout's present configuration.
    case reconfigure
    /// The layout is laid out from scratch, because the result's history has ended.
    case layOut
  }

  func step(of layout: LayoutRow) -> Step {
    switch self {
    case .local: layout.isOutdated ? .reconfigure : .follow
    case .pinned(let pin):
      switch layout.result?.incarnation {
      case pin.incarnation: .follow
      case pin.earlier: .reconfigure
      default: .layOut
      }
    }
  }

  /// Checks that a layout with a history begins at the required position.
  ///
  /// - Parameter earlier: The result from which it continues; `nil` if it is laid out from scratch.
  /// - Throws: ``ReplicationError`` with `historyDiverged`.
  func require(
    _ layout: LayoutID, _ plan: LayoutPlan, from earlier: LayoutState?, at revision: Int
  ) throws {
    guard case .pinned(let pin) = self, plan.hasHistory || earlier?.plan.hasHistory == true
    else { return }
    if pin.revision != revision || pin.earlier != earlier?.row.result?.incarnation {
      throw ReplicationError.historyDiverged(layout)
    }
  }
}
