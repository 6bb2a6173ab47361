package import LayoutCache
package import LayoutCluster
package import LayoutReplication

/// The contents of a shared log. Each call takes effect immediately and cannot fail:
/// ``SimulatedLog`` adds the faults.
///
/// It is a value: standbys and deposed leaders hold copies.
package struct LogState: Sendable {
  package struct Dataset: Sendable {
    package var id: Int64
    package var name: String
    package var nameTag: [UInt8]
    /// The name of its log.
    package let log: [UInt8]
    package var epoch = 1
    /// The chain before any entry.
    package var begin: [UInt8]
    /// When it was created, by its creator's clock.
    package var time: Int64
    /// All entries ever appended; calls see those after the cut.
    package var entries: [SharedEntry] = []
    /// The appends, by their names.
    fileprivate var appends: [[UInt8]: SharedAppending] = [:]
    package var cut = 0
    package var cost = 0
    package var coveredCost = 0
    /// Until when the next checkpoint is claimed, by the simulation's clock, in ticks.
    var claimedUntil: Int64 = 0
    /// The chunks of all archives named by entries, as of the append.
    package fileprivate(set) var archives: [Int64: [Int: [UInt8]]] = [:]

    init(id: Int64, name: String, log: [UInt8], begin: [UInt8], time: Int64) {
      (self.id, self.log, self.name) = (id, log, name)
      // Unique, as the number is.
      nameTag = [UInt8](repeating: 0, count: 8) + withUnsafeBytes(of: id, Array.init)
      (self.begin, self.time) = (begin, time)
    }

    package var position: SharedPosition {
      SharedPosition(dataset: id, sequence: entries.count, chain: chain(at: entries.count)!)
    }

    package var head: SharedHead {
      SharedHead(
        name: name, nameTag: nameTag, epoch: epoch, position: position, cut: cut, begin: begin,
        time: time, cost: cost, coveredCost: coveredCost)
    }

    /// Returns the chain of the entry of a sequence, or `nil` if there is none.
    package func chain(at sequence: Int) -> [UInt8]? {
      if sequence == 0 { return begin }
      return entries.indices.contains(sequence - 1) ? entries[sequence - 1].chain : nil
    }
  }

  struct Archive: Sendable {
    var dataset: Int64?
    var chunks: [Int: [UInt8]] = [:]
    /// The start of the upload, by the simulation's clock, in ticks.
    var begun: Int64
  }

  package var info: SharedLogInfo
  /// All datasets by number, including deleted ones, to which ``History`` may still refer.
  package private(set) var datasets: [Int64: Dataset] = [:]
  /// The changes of names, the oldest first.
  private(set) var nameChanges: [NameChange] = []
  private var gone: Set<Int64> = []
  private var archives: [Int64: Archive] = [:]
  private var checkpoints: [SharedCheckpoint] = []
  private var lastArchive: Int64 = 0
  private var layoutCount: Int64 = 0
  package private(set) var templates = SharedTemplates()

  package init(incarnation: [UInt8]) {
    info = SharedLogInfo(incarnation: incarnation, rules: LayoutRules.version, isReplicated: true)
  }

  /// The number of archives, published or not.
  package var archiveCount: Int { archives.count }

  package mutating func reserveLayoutIDs(_ count: Int) -> Int64 {
    defer { layoutCount += Int64(count) }
    return layoutCount + 1
  }

  // MARK: Datasets

  /// Whether a dataset is removed.
  package func isRemoved(_ id: Int64) -> Bool { gone.contains(id) }

  private func present(_ id: Int64) -> Dataset? { gone.contains(id) ? nil : datasets[id] }

  private var present: [Dataset] {
    datasets.values.filter { !gone.contains($0.id) }
      .sorted { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }
  }

  package func dataset(named name: String) -> SharedHead? {
    present.first { $0.name.utf8.elementsEqual(name.utf8) }?.head
  }

  package func datasets(after name: String?, countMax: Int) -> [SharedHead] {
    let later = present.drop { dataset in
      name.map { !$0.utf8.lexicographicallyPrecedes(dataset.name.utf8) } ?? false
    }
    return later.prefix(countMax).map(\.head)
  }

  package mutating func putTemplates(_ new: SharedTemplates) -> Bool {
    guard new.number == templates.number + 1 else { return false }
    templates = new
    info.templates = new.number
    return true
  }

  package func look(at ids: [Int64]) -> SharedLook {
    SharedLook(info: info, heads: ids.compactMap { present($0)?.head })
  }

  /// - Parameter request: The first request, if there is one.
  /// - Returns: `nil` if it names an archive that does not exist.
  package mutating func createDataset(
    named name: String, chain: [UInt8], time: Int64, beginningWith request: SharedRequest?,
    by call: SimulatedCall
  ) -> (SharedHead, isNew: Bool)? {
    if let head = dataset(named: name) { return (head, false) }
    if let archive = request?.archive?.archive.number, archives[archive] == nil { return nil }
    let id = Int64(datasets.count + 1)
    datasets[id] = Dataset(id: id, name: name, log: info.incarnation, begin: chain, time: time)
    if let request { put([request], id) }
    nameChanges.append(NameChange(kind: .created(name), dataset: id, call: call))
    return (datasets[id]!.head, true)
  }

  package mutating func removeDataset(
    _ id: Int64, named name: String, at position: SharedPosition?, by call: SimulatedCall
  ) -> Bool {
    guard let dataset = present(id), dataset.name.utf8.elementsEqual(name.utf8),
      position ?? dataset.head.position == dataset.head.position
    else { return false }
    gone.insert(id)
    nameChanges.append(NameChange(kind: .removed(name), dataset: id, call: call))
    archives = archives.filter { $0.value.dataset != id }
    checkpoints.removeAll { $0.position.dataset == id }
    return true
  }

  package mutating func renameDataset(
    _ id: Int64, tagged tag: [UInt8], to newName: String, tagged newTag: [UInt8],
    at position: SharedPosition?, by call: SimulatedCall
  ) -> Bool {
    guard let dataset = present(id), dataset.nameTag == tag,
      position ?? dataset.head.position == dataset.head.position
    else { return false }
    let taker = self.dataset(named: newName)
    guard taker == nil || taker?.position.dataset == id else { return false }
    datasets[id]!.name = newName
    datasets[id]!.nameTag = newTag
    nameChanges.append(
      NameChange(kind: .renamed(dataset.name, to: newName), dataset: id, call: call))
    return true
  }

  /// - Returns: Whether the epoch was raised.
  mutating func raiseEpoch(of id: Int64, from epoch: Int, to newEpoch: Int) -> Bool {
    guard datasets[id]?.epoch == epoch else { return false }
    datasets[id]?.epoch = newEpoch
    return true
  }

  // MARK: Entries

  /// - Returns: `nil` if a request names an archive that does not exist.
  package mutating func append(_ append: SharedAppend) -> SharedAppending? {
    let requests = append.requests
    precondition(Set(requests.map(\.name)).count == requests.count, "two requests have one name")
    guard let dataset = present(append.dataset) else { return .refused }
    if let earlier = dataset.appends[requests[0].name] { return earlier }
    if let name = append.name, !name.utf8.elementsEqual(dataset.name.utf8) { return .refused }
    if append.epoch != dataset.epoch { return .refused }
    if let position = append.position, position != dataset.position { return .refused }
    guard requests.compactMap(\.archive?.archive.number).allSatisfy({ archives[$0] != nil }) else {
      return nil
    }
    put(requests, append.dataset)
    datasets[append.dataset]!.cost += append.cost
    return datasets[append.dataset]!.appends[requests[0].name]
  }

  private mutating func put(_ requests: [SharedRequest], _ id: Int64) {
    let (first, before) = (datasets[id]!.entries.count + 1, datasets[id]!.position.chain)
    // Nodes only compare chains.
    let chain = [0xcbf2_9ce4_8422_2325, 0x6c62_272e_07bb_0142].flatMap { (begin: UInt64) in
      let hash = (before + requests.encoded).reduce(begin) {
        ($0 ^ UInt64($1)) &* 0x100_0000_01b3
      }
      return withUnsafeBytes(of: hash.bigEndian, Array.init)
    }
    datasets[id]!.entries += requests.entries(from: first, before: before, chain: chain)
    datasets[id]!.appends[requests[0].name] = .appended(first: first, before: before, chain: chain)
    for archive in requests.compactMap(\.archive?.archive.number) {
      archives[archive]!.dataset = id
      datasets[id]!.archives[archive] = archives[archive]!.chunks
    }
  }

  package func tail(
    of dataset: Int64, after sequence: Int, bytesMax: Int
  ) -> SharedTail? {
    guard let dataset = present(dataset) else { return nil }
    let later = dataset.entries.dropFirst(max(sequence, dataset.cut))
    var byteCount = 0
    let fitting = later.prefix { entry in
      byteCount += entry.request.payload.count
      return byteCount <= bytesMax
    }
    return SharedTail(
      head: dataset.head, entries: Array(fitting.isEmpty ? later.prefix(1) : fitting))
  }

  /// - Returns: Whether entries were cut. Entries that no checkpoint covers are not cut,
  ///   because new nodes could no longer follow.
  package mutating func cut(_ dataset: Int64, upTo sequence: Int) -> Bool {
    guard let present = present(dataset), let newest = checkpoints(of: dataset).first else {
      return false
    }
    let cut = max(present.cut, min(sequence, newest.position.sequence))
    datasets[dataset]!.cut = cut
    return cut > present.cut
  }

  // MARK: Archives

  package mutating func beginArchive(of dataset: Int64?, at time: Int64) -> Int64 {
    lastArchive += 1
    archives[lastArchive] = Archive(dataset: dataset, begun: time)
    return lastArchive
  }

  package mutating func putChunk(_ bytes: [UInt8], number: Int, of archive: Int64) {
    archives[archive]?.chunks[number] = bytes
  }

  package func chunk(_ number: Int, of archive: Int64) -> [UInt8]? {
    archives[archive]?.chunks[number]
  }

  /// Publishes nothing at a position that is not in the dataset's log: that would be the
  /// checkpoint of a lost history.
  package mutating func publishCheckpoint(
    _ archive: Int64, at position: SharedPosition, digest: [UInt8], covering cost: Int
  ) -> Bool {
    guard archives[archive] != nil,
      present(position.dataset)?.chain(at: position.sequence) == position.chain,
      !checkpoints.contains(where: {
        $0.position.dataset == position.dataset && $0.position.sequence == position.sequence
      })
    else {
      return false
    }
    checkpoints.append(SharedCheckpoint(archive: archive, position: position, digest: digest))
    let covered = datasets[position.dataset]!.coveredCost
    datasets[position.dataset]!.coveredCost = max(covered, cost)
    datasets[position.dataset]!.claimedUntil = 0
    return true
  }

  package mutating func claimCheckpoint(
    of dataset: Int64, at time: Int64, until end: Int64
  ) -> Bool {
    guard let present = present(dataset), present.claimedUntil < time else { return false }
    datasets[dataset]!.claimedUntil = end
    return true
  }

  package func checkpoints(of dataset: Int64) -> [SharedCheckpoint] {
    checkpoints.filter { $0.position.dataset == dataset }
      .sorted { $0.position.sequence > $1.position.sequence }
  }

  package mutating func removeArchive(_ archive: Int64) {
    let isNewest = checkpoints.first { $0.archive == archive }.map {
      checkpoints(of: $0.position.dataset).first == $0
    }
    if named.contains(archive) || isNewest ?? false { return }
    archives[archive] = nil
    checkpoints.removeAll { $0.archive == archive }
  }

  package mutating func sweepArchives(begunBefore time: Int64) -> Int {
    let kept = named.union(checkpoints.map(\.archive))
    let swept = archives.filter { $0.value.begun < time && !kept.contains($0.key) }.keys
    for archive in swept { archives[archive] = nil }
    return swept.count
  }

  /// The archives named by entries.
  private var named: Set<Int64> {
    Set(present.flatMap { $0.entries[$0.cut...].compactMap(\.request.archive?.archive.number) })
  }
}
