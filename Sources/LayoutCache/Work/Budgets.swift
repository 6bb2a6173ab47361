/// The budgets that are no options: beyond each there is another way, which costs more
/// or comes later. Those that users may choose are in ``LayoutCacheOptions``, limits on
/// what comes from outside in `Limits`.
enum Budgets {
  /// How many rows an import names that had a key which was there already.
  static let namedDuplicates = 20
  /// The tail that a process which opens a dataset may have to follow: a longer one is
  /// moved into the trees.
  static let tailBatches = 1024
  static let tailOperations = 4096
  static let tailBytes = 1 << 20
  /// The nodes that a checkpoint has to write, while other writers wait; some 5 us each.
  static let tailNodes = 2048
  /// The rows of nodes that only trailing checkpoints of a layout need: with more of them the
  /// oldest are released, except the last one.
  static let trailingRows = 16_384
  /// The operations between two trailing checkpoints; with those that are older than
  /// ``followedOperations`` it is this part of their age.
  static let trailingGap = followedOperations / trailingAge
  static let trailingAge = 8

  /// What the log keeps in addition to what checkpoints need: the entries of a day, or that
  /// many, or those of ``followedOperations`` where those are more, and of these at most that
  /// many bytes.
  static let keptMilliseconds: Int64 = 24 * 60 * 60 * 1000
  static let keptBatches = 1000
  static let keptLogBytes = 64 << 20

  /// The items of one operation that the log keeps when they go.
  static let removedItems = 16_384
  /// The bytes of data of one batch that the log keeps when they go or change.
  static let replacedDataBytes = 4 << 20

  /// The operations of the log that any layout follows.
  static let followedOperations = 10_000

  /// The operations of the log that are composed to what has changed since a revision; who
  /// is further after is told to ask for everything.
  static let composedOperations = 1 << 18

  /// How long it is known that a request was carried out, how many that are older go with
  /// each new one, and the answers that are kept with them. Rows stay for as long again: what
  /// counted at the time of a dataset's last commit can still be told a day later.
  static let requestMilliseconds: Int64 = 24 * 60 * 60 * 1000
  static let keptRequestMilliseconds = 2 * requestMilliseconds
  static let forgottenRequests = 16
  static let answerBytes = 64 << 10
  /// All that are kept of one dataset: 256 of the longest. The oldest go first.
  static let answersBytes = 16 << 20

  /// What is done to a layout while other writers wait, once it has been brought up to
  /// date with an earlier revision: operations followed, and nodes written.
  static let publishedOperations = 512
  static let publishedNodes = 2048

  /// The items of changed sections that are laid out in memory; for more of them the whole
  /// layout is written again, what has not changed as a copy.
  static let reconfiguredItems = 4096
  static let reconfiguredSections = 256

  /// The layouts that commits take along because somebody has asked for them: at most so
  /// many, and for so many commits.
  static let layoutsInUse = 16
  static let commitsInUse = 1000

  /// The nodes of a layout that only listeners follow and nobody stores: with more of them it
  /// is opened again.
  static let followedNodes = 16_384

  /// The events that wait for the listeners of a cache: with more, the oldest are resets.
  static let eventBytes = 64 << 20

  /// Giving space back: what one transaction deletes and gives back, and after how many
  /// milliseconds without a word of it a space is no longer being filled.
  static let reclaimedRows = 512
  static let reclaimedPages = 512
  static let fillingSilence: Int64 = 15 * 60 * 1000

  /// The hunks of a section that are kept apart.
  static let hunks = 1024

  /// Items appended to a dataset of more than this many times their number are put in
  /// place; more of them are faster, and packed closer, in trees rebuilt.
  static let rebuildRatio = 8

  /// The measured lengths of a layout that one commit drops and the layout follows one by one;
  /// with more of them it is laid out from scratch.
  static let followedLengths = 16_384
  /// The measured lengths that one commit drops before a layout gets another container.
  static let droppedLengths = 4096

  /// How often a change that takes a pass over the dataset is resolved on a snapshot while
  /// others change the dataset.
  static let resolutionAttempts = 3
  /// The memory that an item takes where all of a dataset is in memory, roughly.
  static let itemBytes = 128

  /// The memory in which a check keeps the nodes of an index.
  static let verificationBytes = 128 << 20

  /// How often an import begins again where others change the dataset that it is built on.
  static let importAttempts = 5

  /// The elements of a long answer that are held at once.
  static let pageElements = 1024

  /// How often a read begins again where the dataset changes under it.
  static let readAttempts = 100
}
