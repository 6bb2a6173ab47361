/// The operations whose work is counted. The names are those of the table.
enum CountedOperation: String, CaseIterable {
  case rect
  case rectScrolling
  case rectSame
  case item
  case resize
  case insert
  case delete
  case move
  case append
  case prepend40
  /// The changes of a layout since 100 commits.
  case since100
}
