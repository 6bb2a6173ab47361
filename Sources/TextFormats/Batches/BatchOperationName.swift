/// What `op` may be.
enum BatchOperationName: String, CaseIterable {
  case insert, delete, move, resize, prefer
  case insertSection, deleteSection, moveSection
  case invalidate

  /// The members of the operation's object, `op` first.
  var members: [String] {
    switch self {
    case .insert: ["op", "items", "section", "index", "before", "after"]
    case .delete: ["op", "keys"]
    case .move: ["op", "key", "section", "index", "before", "after"]
    case .resize: ["op", "key", "width", "height", "span"]
    case .prefer: ["op", "layout", "key", "length"]
    case .insertSection: ["op", "key", "index"]
    case .deleteSection: ["op", "key"]
    case .moveSection: ["op", "key", "index"]
    case .invalidate: ["op", "layout", "items", "sections", "everything"]
    }
  }
}
