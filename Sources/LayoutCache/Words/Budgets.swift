/// The budgets that are no options: beyond each there is another way, which costs more
/// or comes later. Those that users may choose are in ``LayoutCacheOptions``, limits on
/// what comes from outside in `Limits`.
enum Budgets {
  /// The tail that a process which opens a dataset may have to follow: a longer one is
  /// moved into the trees.
  static let tailBatches = 1024
  static let tailOperations = 4096
  static let tailBytes = 1 << 20

  /// The hunks of a section that are kept apart.
  static let hunks = 1024

  /// Items appended to a dataset of more than this many times their number are put in
  /// place; more of them are faster, and packed closer, in trees built anew.
  static let rebuildRatio = 8

  /// The memory in which a check keeps the nodes of an index.
  static let verificationBytes = 128 << 20

  /// How often a read begins again where the dataset changes under it.
  static let readAttempts = 100
}
