import SumTree

extension ArchiveWriter {
  /// Writes sections and items in runs that do not depend on the leaves that contain them.
  mutating func write(_ trees: DatasetTrees, in session: TreeSession) throws {
    try writeSections(of: trees, in: session)
    try writeItems(of: trees, in: session)
  }

  private mutating func writeSections(
    of trees: DatasetTrees, in session: TreeSession
  ) throws {
    var run = SectionLeaf()
    try trees.sections.forEachLeaf(in: session) { leaf, _ in
      for entry in leaf.entries {
        run.entries.append(entry)
        guard run.count == ArchiveRecord.runCount else { continue }
        try write(.sections) { run.encode(into: &$0) }
        run.entries.removeAll(keepingCapacity: true)
      }
    }
    if run.count > 0 { try write(.sections) { run.encode(into: &$0) } }
  }

  private mutating func writeItems(of trees: DatasetTrees, in session: TreeSession) throws {
    var data = ItemDataFinger(trees.data, in: session)
    var run = ItemLeaf()
    var start = 0
    func write(_ writer: inout ArchiveWriter) throws {
      let items = ItemRun(run, try data.run(of: start..<(start + run.count)))
      try writer.write(.items) { items.encodeWithData(into: &$0) }
      start += run.count
      run = ItemLeaf()
    }
    try trees.items.forEachLeaf(in: session) { leaf, _ in
      var next = 0
      while next < leaf.count {
        let end = min(leaf.count, next + ArchiveRecord.runCount - run.count)
        run.append(leaf.slice(next..<end))
        next = end
        if run.count == ArchiveRecord.runCount { try write(&self) }
      }
    }
    if run.count > 0 { try write(&self) }
  }
}
