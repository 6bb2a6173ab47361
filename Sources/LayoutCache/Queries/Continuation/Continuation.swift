import LayoutGeometry
import LayoutStore

/// The position at which a truncated answer resumes: after its last element, even if the data
/// has changed since.
///
/// It contains that element's key and position, and the answer's revision. At a later revision
/// the answer resumes after the element. If the element was deleted or moved, or its section was,
/// the answer resumes at its previous position, which is tracked through the log as far back as
/// the log reaches. Pages requested while the dataset changes therefore contain each item exactly
/// once if it exists throughout and does not move.
///
/// A continuation is complete: it contains the layout, the rectangle or the direction, the scroll
/// positions of carousels, and the limit of the answer.
public struct Continuation: Hashable, Sendable {
  /// The sequence of elements that the query reads.
  enum Subject: Hashable, Sendable {
    case rect(Rect, visible: Rect?)
    case asLaidOut(Rect)
    case items(isBackward: Bool)
  }

  /// The queried layout.
  public let layout: LayoutID
  /// The dataset's incarnation.
  let incarnation: HistoryNumber
  /// The revision of the answer.
  public let revision: Int
  let subject: Subject
  /// The scroll positions of carousels in the answer.
  let offsets: CarouselOffsets
  /// The answer's limit; `Int.max` if none was given.
  let limit: Int
  /// The last element's position.
  let last: ElementAddress
  let sectionKey: String
  /// The key of the last element, if it is a cell.
  let key: String?

  /// Whether the continuation belongs to a query for `rect`.
  ///
  /// - Parameters:
  ///   - rect: The query's rectangle.
  ///   - visible: The query's visible bounds, if any.
  public func continues(queryFor rect: Rect, visible: Rect? = nil) -> Bool {
    switch subject {
    case .rect(rect.bounded, visible: let own): visible == nil || visible?.bounded == own
    case .asLaidOut(rect.bounded): visible == nil
    default: false
    }
  }

  /// Whether the continuation belongs to a query with these scroll positions of carousels.
  public func continues(queryAt offsets: CarouselOffsets) -> Bool { self.offsets == offsets }

  /// Whether the continuation belongs to a query without pins and effects:
  /// ``ElementsQuery/asLaidOut(_:limit:)``.
  public var isAsLaidOut: Bool {
    if case .asLaidOut = subject { true } else { false }
  }

  /// Returns the answer's limit, or `most` if that is less.
  package func limit(upTo most: Int) -> Int { min(limit, most) }

  /// The position at which the answer resumes if nothing has changed.
  var place: ElementAddress { subject.isBackward ? last : last.next }
}

extension Continuation.Subject {
  /// Whether the sequence runs backward.
  var isBackward: Bool { self == .items(isBackward: true) }
}
