extension RandomBatch {
  /// As ``next(for:using:)-(OracleFeed,_)``, for a dataset with several layouts: each
  /// operation is made for one of them.
  public mutating func next(
    for dataset: OracleDataset, using generator: inout SeededGenerator
  ) -> [OracleDataset.Operation] {
    var dataset = dataset
    let count = Int.random(in: 1...operationCountMax, using: &generator)
    return operations(count, on: &dataset, using: &generator)
  }

  /// Operations of which the last is rejected.
  public mutating func nextRefused(
    for dataset: OracleDataset, using generator: inout SeededGenerator
  ) -> [OracleDataset.Operation] {
    var dataset = dataset
    let count = Int.random(in: 0..<operationCountMax, using: &generator)
    var batch = operations(count, on: &dataset, using: &generator)
    let layout = dataset.layouts.indices.randomElement(using: &generator)!
    let refused = refusedOperation(for: dataset.layouts[layout].feed, using: &generator)
    batch.append(OracleDataset.Operation(refused, layout: layout))
    return batch
  }

  private mutating func operations(
    _ count: Int, on dataset: inout OracleDataset, using generator: inout SeededGenerator
  ) -> [OracleDataset.Operation] {
    (0..<count).map { _ in
      let layout = dataset.layouts.indices.randomElement(using: &generator)!
      let feed = dataset.layouts[layout].feed
      let operation = OracleDataset.Operation(
        operation(for: feed, using: &generator), layout: layout)
      remember(operation.operation, on: feed)
      do {
        _ = try dataset.carryOut(operation)
      } catch {
        preconditionFailure("\(error): \(operation)")
      }
      return operation
    }
  }

  /// The sections of an import: new items, and some that the dataset already has.
  public mutating func imported(
    to dataset: OracleDataset, using generator: inout SeededGenerator
  ) -> [OracleSection] {
    let known = dataset.sections.map(\.key).shuffled(using: &generator)
    let knownCount = Int.random(in: 0...min(2, known.count), using: &generator)
    var sections = known.prefix(knownCount).map { OracleSection(key: $0, items: []) }
    if sections.isEmpty || generator.oneIn(3) {
      sections.append(OracleSection(key: source.key(prefix: "s", using: &generator), items: []))
    }
    for section in sections.indices where generator.oneIn(4) {
      sections[section].style = RandomStyle.name(using: &generator)
    }
    let countMax = generator.oneIn(2) ? 3 : 30
    for section in sections.indices {
      for _ in 0..<Int.random(in: 1...countMax, using: &generator) {
        sections[section].items.append(source.item(using: &generator))
      }
    }
    return sections
  }
}
