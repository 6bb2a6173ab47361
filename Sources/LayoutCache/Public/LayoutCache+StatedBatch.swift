import LayoutGeometry

extension LayoutCache {
  /// A batch, and what is asked for with it.
  struct StatedBatch {
    enum StatedWork {
      case operations([BatchOperation])
      /// What takes the newest commit back.
      case undo
    }

    var work: StatedWork
    var visible: Rect?
    var layouts: UpdatedLayouts
    var expected: Int?
    /// The operations as they were resolved on a snapshot, where that is to be done before the
    /// commit.
    var resolution: BatchResolution?

    var view: BatchView { BatchView(visible: visible, layouts: layouts) }

    /// The one layout that the batch measures, or invalidates parts of, and does nothing else.
    var onlyLayout: String? {
      guard case .operations(let operations) = work, let layout = operations.first?.onlyLayout,
        operations.allSatisfy({ $0.onlyLayout == layout })
      else { return nil }
      return layout
    }

    /// Leaves in a commit the layouts that it is to list.
    func list(in commit: inout Commit) {
      guard let onlyLayout else { return }
      let listed = Set((layouts.names + [onlyLayout]).map(ExactKey.init))
      commit.layouts.removeAll { !listed.contains(ExactKey($0.layout)) }
      commit.behind.removeAll { !listed.contains(ExactKey($0.layout)) }
    }
  }
}

extension SharedChange {
  init(_ batch: LayoutCache.StatedBatch, _ request: IdempotentRequest? = nil) {
    let work: Work =
      switch batch.work {
      case .operations(let operations): .batch(operations)
      case .undo: .undo
      }
    self.init(work, expected: batch.expected, request: request)
    resolution = batch.resolution
  }
}
