import SumTree

extension DatasetTrees {
  /// The items and sections that were measured for a layout.
  struct Measured {
    /// The sections whose header or footer was measured, in order.
    var sections: [SectionReference] = []
    /// The numbers of the items that were measured, counted from the dataset's first, in order.
    var items: [Int] = []
  }

  /// Returns the items and sections with measured lengths in a layout.
  ///
  /// - Parameter layout: The layout's ID.
  /// - Complexity: O(items) time, O(measured items) memory; reads all leaves of items and
  ///   sections.
  func measured(in layout: Int64, _ session: TreeSession) throws -> Measured {
    var measured = Measured()
    try sections.forEachLeaf(in: session) { leaf, start in
      for (index, entry) in leaf.entries.enumerated() where entry.measured(in: layout) != .none {
        measured.sections.append(SectionReference(index: start + index, key: entry.key))
      }
    }
    try items.forEachLeaf(in: session) { leaf, start in
      for preferred in leaf.preferredLengths where preferred.layout == layout {
        measured.items.append(start + preferred.item)
      }
    }
    return measured
  }
}
