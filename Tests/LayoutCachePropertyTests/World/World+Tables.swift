// The actions and observers of a world. Each entry is a function in a file by subject.

extension World {
  static let actions: [Entry] = [
    Entry("commit", 40) { try $0.commit() },
    Entry("undo", 12) { try $0.undo() },
    Entry("undo to a revision", 4) { try $0.undoToRevision() },
    Entry("reject", 4) { try $0.reject() },
    Entry("match", 5) { try $0.match() },
    Entry("finish rebalancing", 3) { try $0.finishRebalancing() },
    Entry("import", 5) { try $0.importItems() },
    Entry("configure", 6) { try $0.configure() },
    Entry("restore a configuration", 8) { try $0.restorePrevious() },
    Entry("create a layout again", 3) { try $0.recreateLayout() },
    Entry("request a variant", 14) { try $0.askForVariant() },
    Entry("configure variants", 3) { try $0.configureVariants() },
    Entry("rename", 4) { try $0.rename() },
    Entry("prepare", 5) { try $0.prepare() },
    Entry("checkpoint", 4) { try $0.checkpoint() },
    Entry("reopen", 8) { try $0.reopen() },
    Entry("compact", 2) { try $0.compact() },
    Entry("drag", 6) { try $0.drag() },
    Entry("request", 8) { try $0.request() },
    Entry("repeat a mark", 3) { try $0.repeatMark() },
    Entry("group", 5) { try $0.commitGroup() },
    Entry("listen", 6) { try await $0.listen() },
    Entry("back up", 2) { try await $0.backUp() },
    Entry("archive", 2) { try await $0.archive() },
    Entry("time", 3) { $0.advance() },
  ]

  /// Frequent in every fourth world.
  static let diskActions: [Entry] = [
    Entry("a failing disk", 3) { try $0.failDisk() },
    Entry("a power cut", 2) { try await $0.cutPower() },
    Entry("a failing copy", 3) { try await $0.failCopy() },
  ]

  /// Frequent in every sixth world.
  static let processActions: [Entry] = [
    Entry("another process commits", 8) { try await $0.commitElsewhere() },
    Entry("another process reads", 8) { try await $0.readElsewhere() },
    Entry("another process checkpoints or ends", 3) { try await $0.endElsewhere() },
  ]

  static let observers: [Entry] = [
    Entry("elements", 20) { try $0.observeElements() },
    Entry("last result", 3) { try $0.observeLastResult() },
    Entry("rectangles", 6) { try $0.observeRects() },
    Entry("points", 3) { try $0.observePoints() },
    Entry("runs of items", 3) { try $0.observeRuns() },
    Entry("look-ups by key and position", 4) { try $0.observeLookups() },
    Entry("sections", 4) { try $0.observeSections() },
    Entry("prefetching", 2) { try $0.observePrefetching() },
    Entry("carousels", 8) { try $0.observeCarousels() },
    Entry("items and data", 4) { try $0.observeItems() },
    Entry("datasets", 3) { try $0.observeDatasets() },
    Entry("changes since", 5) { try $0.observeChanges() },
    Entry("events", 6) { try await $0.observeEvents() },
    Entry("pages of a changing answer", 8) { try $0.observePages() },
    Entry("past layouts", 6) { try $0.observePast() },
    Entry("previews", 6) { try $0.observePreview() },
    Entry("drafts", 3) { try $0.observeDraft() },
    Entry("previews of the past", 7) { try $0.observeUndoPreview() },
    Entry("views", 6) { try $0.observeViews() },
    Entry("transitions", 3) { try $0.observeTransition() },
    Entry("layout histories", 3) { try $0.observeHistory() },
    Entry("measured lengths", 2) { try $0.observeMeasuredLengths() },
    Entry("log", 2) { try $0.observeLog() },
    Entry("incarnations", 3) { try $0.observeIncarnations() },
    Entry("verification", 2) { try $0.observeVerification() },
  ]

  /// The counts that each forty seeds of a run must reach.
  static let necessaryCounts = [
    "undone", "undone to a revision", "rejected", "exact context", "exact changes", "paged",
    "overdue", "walked", "preparing", "repeated", "repeated mark", "grouped", "event",
    "exact event", "anchored", "anchored since",
    "stored answer", "dragged", "past", "known answer", "matched", "variant", "carousel",
    "previewed", "drafted", "previewed past", "restored", "measured", "view", "known view",
  ]

  /// Those that not every forty worlds have; the worlds of `make test` do.
  static let rareCounts = [
    "dropped variant", "layout event", "power cut", "failed read", "failed write", "failed sync",
    "power cut of a copy", "copy before a power cut", "failed copy", "read elsewhere",
    "killed in a commit", "view context", "temporary width", "temporary context",
  ]
}
