import CollectionLayout
import LayoutStore

/// Where the result of a layout begins that has to be laid out from scratch.
///
/// The columns of a stable waterfall are history: they depend on the place where it was laid
/// out. Whoever is alone with a file may choose that. Nodes of a cluster must choose the same.
enum HistoryBegin {
  /// Wherever it is laid out.
  case isHere
  /// Where the shared log says.
  case isPinned(PinRow)

  /// - Throws: ``LayoutIsNotPinned``.
  init(of layout: LayoutRow, _ reader: StoreReader) throws {
    guard try reader.replica(of: layout.dataset) != nil else {
      self = .isHere
      return
    }
    guard let pin = try reader.pin(of: layout.id), pin.configuration == layout.configuration
    else { throw LayoutIsNotPinned() }
    self = .isPinned(pin)
  }

  var isPinned: Bool {
    if case .isPinned = self { true } else { false }
  }

  /// The incarnation of the result.
  var incarnation: HistoryNumber {
    switch self {
    case .isHere: .random()
    case .isPinned(let pin): pin.incarnation
    }
  }

  /// The operations that the layout may be behind; `nil` where that is chosen by what it costs.
  var lagMax: Int? {
    switch self {
    case .isHere: nil
    case .isPinned: .max
    }
  }

  /// How to treat the result that a layout has.
  enum Step {
    /// It follows the dataset.
    case follow
    /// It goes over to the layout's present configuration.
    case goOver
    /// It is of a history that has ended.
    case layOut
  }

  func step(of layout: LayoutRow) -> Step {
    switch self {
    case .isHere: layout.isOutdated ? .goOver : .follow
    case .isPinned(let pin):
      switch layout.result?.incarnation {
      case pin.incarnation: .follow
      case pin.earlier: .goOver
      default: .layOut
      }
    }
  }

  /// Makes sure that a layout with a history begins where it must.
  ///
  /// - Parameter earlier: The result that it continues from; `nil` where it is laid out from
  ///   scratch.
  /// - Throws: ``ReplicationError`` with `historyDiverged`.
  func require(
    _ layout: LayoutID, _ plan: LayoutPlan, from earlier: LayoutState?, at revision: Int
  ) throws {
    guard case .isPinned(let pin) = self, plan.hasHistory || earlier?.plan.hasHistory == true
    else { return }
    if pin.revision != revision || pin.earlier != earlier?.row.result?.incarnation {
      throw ReplicationError.historyDiverged(layout)
    }
  }
}

/// A layout of a dataset that follows a shared log, which does not say where the layout's
/// result begins.
struct LayoutIsNotPinned: Error {}
