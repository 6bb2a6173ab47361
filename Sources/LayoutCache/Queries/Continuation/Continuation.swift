import LayoutGeometry
import LayoutStore

/// Where an answer that was cut continues: after its last element, whatever has changed since.
///
/// It names that element by key and place, and the revision that the answer is of. At a later
/// one the answer continues after the element; where that has gone, or has moved, or its
/// section has, at the place where it was, which the log tells as far back as it reaches. So
/// pages that are asked for while the dataset changes have each item once that was there all
/// the time and did not move.
///
/// It is alone: it has the layout, the rectangle or the direction, and the number of
/// elements of the answer that it continues with.
public struct Continuation: Hashable, Sendable {
  /// The sequence of elements that the query reads.
  enum Subject: Hashable, Sendable {
    case rect(Rect, visible: Rect?)
    case asLaidOut(Rect)
    case items(isBackward: Bool)
  }

  /// The layout that has given the answer.
  public let layout: LayoutID
  /// The dataset's history.
  let incarnation: HistoryNumber
  /// The revision that the answer was of.
  public let revision: Int
  let subject: Subject
  /// At most how many elements the answer had; `Int.max` where nothing was said.
  let limit: Int
  /// The last element's own place.
  let last: ElementPlace
  let sectionKey: String
  /// The key of the last element, where that is a cell.
  let key: String?

  /// Whether it continues with the answer to a query for a rectangle.
  ///
  /// - Parameters:
  ///   - rect: The query's rectangle.
  ///   - visible: The visible bounds, if the query states any.
  public func goesOn(in rect: Rect, visible: Rect? = nil) -> Bool {
    switch subject {
    case .rect(rect.bounded, visible: let own): visible == nil || visible?.bounded == own
    case .asLaidOut(rect.bounded): visible == nil
    default: false
    }
  }

  /// Whether it continues an answer without pins and effects:
  /// ``ElementsQuery/asLaidOut(_:limit:)``.
  public var isAsLaidOut: Bool {
    if case .asLaidOut = subject { true } else { false }
  }

  /// The number of elements that the answer had at most, or `most` where that is less.
  package func limit(upTo most: Int) -> Int { min(limit, most) }

  /// Where it continues as long as nothing has changed.
  var place: ElementPlace { subject.isBackward ? last : last.next }
}

extension Continuation.Subject {
  /// Whether what comes after an element is before it.
  var isBackward: Bool { self == .items(isBackward: true) }
}
