/// Internal work limits. Beyond each, a more expensive or delayed alternative is used.
/// User-visible options are in ``LayoutCacheOptions``, limits of input in `Limits`.
enum Budgets {
  /// The maximum number of duplicate rows that an import lists.
  static let namedDuplicates = 20
  /// The maximum log tail that a process may have to replay when it opens a dataset. A longer
  /// tail is checkpointed into the trees.
  static let tailBatches = 1024
  static let tailOperations = 4096
  static let tailBytes = 1 << 20
  /// The maximum number of nodes that a checkpoint writes while other writers wait; about 5 us
  /// each.
  static let tailNodes = 2048

  /// The log entries retained in addition to those that checkpoints need: those of a day, this
  /// number of entries, or ``followedOperations``, whichever is most, up to this number of bytes.
  static let keptMilliseconds: Int64 = 24 * 60 * 60 * 1000
  static let keptBatches = 1000
  static let keptLogBytes = 64 << 20

  /// The memory in which a match sorts the items of a sorted dataset, in bytes.
  static let sortBytes = 64 << 20
  /// The maximum number of deleted items per operation that are stored in the log.
  static let removedItems = 16_384
  /// The maximum size of a batch's deleted or replaced data stored in the log, in bytes.
  static let replacedDataBytes = 4 << 20
  /// The maximum size in memory of a batch's restyled items that are stored in the log. Beyond
  /// it layouts are laid out from scratch, and the batch cannot be reverted.
  static let restyledBytes = 4 << 20

  /// The maximum number of logged operations that a layout of any kind replays.
  static let followedOperations = 10_000

  /// The maximum number of changes committed in one transaction, and the maximum sum of their
  /// weights: some 25 ms under the write lock.
  static let groupedChanges = 64
  static let groupedWeight = 256

  /// The maximum number of logged operations composed into updates since a revision. A client
  /// further behind must query everything.
  static let composedOperations = 1 << 18

  /// The retention time of idempotency keys, the number of expired ones deleted with each new
  /// one, and the maximum size of an answer stored with a key. Rows are stored twice as long:
  /// those valid at the time of a dataset's last commit can still be found a day later.
  static let requestMilliseconds: Int64 = 24 * 60 * 60 * 1000
  static let keptRequestMilliseconds = 2 * requestMilliseconds
  static let forgottenRequests = 16
  static let answerBytes = 64 << 10
  /// The maximum size of all stored answers of a dataset: 256 of the longest. The oldest are
  /// deleted first.
  static let answersBytes = 16 << 20

  /// The maximum work of publishing a prepared layout while other writers wait: operations
  /// replayed, and nodes written.
  static let publishedOperations = 512
  static let publishedNodes = 2048

  /// The maximum numbers of items and changed sections laid out in memory after a configuration
  /// change. Beyond them the whole layout is written again, with copies of the unchanged sections.
  static let reconfiguredItems = 4096
  static let reconfiguredSections = 256
  /// The maximum number of changed sections that the context of a configuration change names;
  /// some 100 bytes each in an answer.
  static let invalidatedSections = 4096

  /// The maximum number of active layouts that commits update, and the number of commits for
  /// which a layout stays active after a query.
  static let layoutsInUse = 16
  static let commitsInUse = 1000

  /// The maximum number of variants of a dataset's layouts that are laid out for the first time
  /// at once, and the time that others wait for them.
  static let firstLayouts = 2
  static let firstLayoutWait = Duration.seconds(5)
  /// The interval at which a process stores its uses of variants, in milliseconds.
  static let variantUseMilliseconds: Int64 = 1000
  /// The time for which the last use of a variant stays in memory.
  static let knownUseMilliseconds = 60 * variantUseMilliseconds
  /// The time after a use in which no read drops a variant.
  static let idleVariantMilliseconds = 3600 * variantUseMilliseconds
  /// The time after which it is looked up again whether a variant must be temporary.
  static let temporaryNameMilliseconds = 10 * variantUseMilliseconds
  /// The number of attempts to use a variant while others drop it.
  static let variantAttempts = 5

  /// The maximum number of steps of a layout that are only in memory, and of bytes of the stored
  /// contexts of a dataset's layouts.
  static let followedSteps = 1024
  static let contextBytes = 32 << 20

  /// The memory limit of pending events of all listeners of a cache, in bytes. Beyond it the
  /// oldest become resets.
  static let eventBytes = 64 << 20

  /// The maximum numbers of rows and pages that one reclaiming transaction deletes and
  /// releases, and the time without a sign of progress after which a space counts as abandoned,
  /// in milliseconds.
  static let reclaimedRows = 512
  static let reclaimedPages = 512
  static let fillingSilence: Int64 = 15 * 60 * 1000

  /// The maximum number of separate hunks of a section.
  static let hunks = 1024

  /// Items are inserted into the existing trees if the dataset has more than this many times
  /// their number. Otherwise rebuilding the trees is faster, and packs them more densely. Present
  /// items keep their columns either way.
  static let rebuildRatio = 8

  /// The maximum number of dropped measured lengths of one commit that a layout applies one by
  /// one. Beyond it the layout is laid out from scratch.
  static let followedLengths = 16_384
  /// The maximum number of measured lengths that one commit drops before a layout's container
  /// changes.
  static let droppedLengths = 4096

  /// The maximum number of templates, and of the bytes of all their configurations.
  static let templates = 1000
  static let templateBytes = 4 << 20
  /// The number of definitions of a layout that are kept, with the present one.
  static let definitions = 16
  /// The maximum number of named views of a dataset.
  static let views = 64

  /// The number of attempts to resolve a change on a snapshot while the dataset is changing.
  static let resolutionAttempts = 3
  /// The approximate memory of an item in a dataset that is fully in memory, in bytes.
  static let itemBytes = 128

  /// The memory of results that are not stored, previews and views, alone and together, in bytes,
  /// and their maximum number.
  static let temporaryBytes = 256 << 20
  static let temporaryResults = 64
  /// The maximum number of items that a preview places.
  static let previewItems = temporaryBytes / itemBytes
  /// The approximate memory of a placed item, in bytes, and the maximum number of items of a layout
  /// that is not stored.
  static let placedItemBytes = 13
  static let temporaryItems = temporaryBytes / placedItemBytes
  /// The number of items up to which a view looks up the items that commits name, or a fraction of
  /// its dataset if that is more; beyond it the view is built again.
  static let followedItems = 1024
  /// The number of steps by which a layout of a view may lag behind its items.
  static let viewSteps = 64
  /// The number of states of a view in a layout that are retained, for changes since then.
  static let viewStates = 8
  /// The approximate bytes of nodes that one operation in a view copies.
  static let copiedBytes = 16 << 10

  /// The memory for the nodes of an index during a check, in bytes.
  static let verificationBytes = 128 << 20

  /// The number of attempts of an import while its base dataset is changing.
  static let importAttempts = 5

  /// The number of elements in a page of a long answer.
  static let pageElements = 1024

  /// The number of attempts of a read while the dataset is changing.
  static let readAttempts = 100
}
