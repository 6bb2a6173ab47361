import CollectionLayout
import LayoutGeometry
import LayoutStore
import TestSupport
import Testing

@testable import LayoutCache

/// Every call that names a layout, with one that its template has not filed, or filed before the
/// template changed. `TemplateTests` chooses templates at random.
@Suite struct TemplateCallTests {
  enum State: CaseIterable, Sendable {
    case unfiled
    case changedHere
    case changedByAnother
  }

  private static let phone = LayoutID("phone", of: "album-1")

  private let directory: TemporaryDirectory
  private let cache: LayoutCache

  init() throws {
    directory = try TemporaryDirectory()
    cache = try LayoutCache(path: directory.path(of: "feed.sqlite"))
    _ = try cache.importItems(into: "album-1", mode: .create) {
      try $0.add(Item(key: "a", width: 4, height: 3), section: "s")
    }
  }

  private func template(_ name: String = "t", width: Int) throws -> LayoutTemplate {
    try LayoutTemplate(
      name, datasets: "album-*", layout: "phone",
      configuration: ConfigurationText.decode(
        #"{"container":{"width":\#(width)},"section":{"columns":1}}"#))
  }

  private func bring(to state: State) throws {
    guard state != .unfiled else {
      try cache.setTemplate(template(width: 300))
      return
    }
    try cache.setTemplate(template(width: 200))
    #expect(try cache.read(Self.phone) { $0.contentSize.width } == 200)
    try cache.update("album-1", with: [Self.prefer])
    let other =
      state == .changedHere ? cache : try LayoutCache(path: directory.path(of: "feed.sqlite"))
    try other.setTemplate(template(width: 300))
  }

  private static let prefer = BatchOperation.prefer(layout: "phone", key: "a", length: 50)

  @Test(arguments: State.allCases)
  func anyCallFilesItAsTheTemplateSays(state: State) async throws {
    typealias Call = (LayoutCache) async throws -> Void
    let calls: [(name: String, call: Call)] = [
      ("read", { try $0.read(Self.phone) { #expect($0.contentSize.width == 300) } }),
      (
        "performRead",
        { cache in try await cache.performRead(Self.phone) { #expect($0.contentSize.width == 300) }
        }
      ),
      (
        "forEachPage",
        { cache in
          try cache.forEachPage(of: .items(from: .key("a")), in: Self.phone) { snapshot, _, _ in
            #expect(snapshot.contentSize.width == 300)
          }
        }
      ),
      ("prepare", { try $0.prepare(Self.phone) }),
      ("performPrepare", { try await $0.performPrepare(Self.phone) }),
      ("changes", { _ = try $0.changes(of: "album-1", since: 1, layout: "phone") }),
      ("commits", { _ = try await $0.commits(of: "album-1", layouts: ["phone"]) }),
    ]
    // A client that measures has seen the layout as it was.
    let batches: [(name: String, call: Call)] = [
      ("update", { try $0.update("album-1", with: [Self.prefer]) }),
      ("performUpdate", { try await $0.performUpdate("album-1", with: [Self.prefer]) }),
    ]
    for (name, call) in state == .unfiled ? calls + batches : calls {
      let test = try TemplateCallTests()
      try test.bring(to: state)
      try await call(test.cache)
      let (row, change) = try test.cache.store.read { reader in
        let dataset = try reader.requireDataset("album-1")
        return (
          try reader.layout(named: "phone", of: dataset.id),
          try reader.templateChange(of: "phone", in: dataset)
        )
      }
      #expect(row?.configuration.contains("300") == true && change == nil, "\(name)")
      // A length measured at another width does not count.
      let height = batches.contains { $0.name == name } ? 50.0 : 225
      #expect(try test.cache.read(Self.phone) { $0.contentSize.height.points } == height, "\(name)")
    }
  }

  @Test(arguments: State.allCases) func readsThatStoreNothingFileNone(state: State) async throws {
    try bring(to: state)
    let (cache, phone) = (cache, Self.phone)
    func row() throws -> String? {
      try cache.store.read { reader in
        try reader.layout(named: "phone", of: reader.requireDataset("album-1").id)?.configuration
      }
    }
    let before = try row()
    try await LayoutCache.$mayStoreSizes.withValue(false) {
      for _ in 1...2 {
        try cache.read(phone) { #expect($0.contentSize.width == 300 && $0.isTemporary) }
        try await cache.performRead(phone) { #expect($0.contentSize.width == 300) }
      }
      let changes = try cache.changes(of: "album-1", since: 1, layout: "phone")
      #expect(changes.layouts.map(\.layout) == ["phone"])
    }
    #expect(try row() == before)
    try cache.read(phone) { #expect($0.contentSize.width == 300 && !$0.isTemporary) }
  }

  @Test func itIsNotRemovedOrRenamedInOneDataset() throws {
    try bring(to: .changedHere)
    for call in [
      { try cache.removeLayout(Self.phone) },
      { try cache.renameLayout(Self.phone, to: "other") },
    ] {
      #expect {
        try call()
      } throws: {
        guard case .ofTemplate(Self.phone, template: "t")? = ($0 as? LayoutCacheError)?.code else {
          return false
        }
        return true
      }
    }
    #expect(throws: LayoutCacheError.self) {
      try cache.restorePreviousConfiguration(of: Self.phone)
    }
  }

  @Test func aTemplateChangesOneRowAndEachLayoutAtItsNextUse() throws {
    for number in 2...20 { try cache.createDataset("album-\(number)") }
    try cache.setTemplate(template(width: 200))
    for number in 1...20 { try cache.read(LayoutID("phone", of: "album-\(number)")) { _ in } }
    func rows() throws -> [String] {
      try cache.store.read { reader in
        try reader.layoutsOfTemplates(after: 0, limit: 100).map(\.layout.configuration)
      }
    }
    let before = try rows()
    #expect(before.count == 20)
    try cache.setTemplate(template(width: 300))
    #expect(try rows() == before)
    #expect(try cache.read(LayoutID("phone", of: "album-7")) { $0.contentSize.width } == 300)
    #expect(try rows().filter { $0.contains("300") }.count == 1)
    // Neither does the end of another template file the others again.
    try cache.setTemplate(
      LayoutTemplate(
        "other", datasets: "*", layout: "wall", configuration: template(width: 9).configuration))
    try cache.removeTemplate("other")
    #expect(try rows().filter { $0.contains("300") }.count == 1)
    // Their results are released with the template.
    try cache.removeTemplate("t")
    #expect(try rows().isEmpty && cache.verify().problems.isEmpty)
  }

  @Test func listenersAreToldOnceThatTheirLayoutHasChanged() async throws {
    try bring(to: .unfiled)
    try cache.read(Self.phone) { _ in }
    var events = try await cache.commits(of: "album-1", layouts: ["phone"]).makeAsyncIterator()
    for width in [310, 320] {
      try cache.setTemplate(template(width: width))
      guard case .layout("phone", incarnation: "")? = try await events.next() else {
        Issue.record("no event of the layout")
        return
      }
      try cache.read(Self.phone) {
        #expect($0.contentSize.width == Length(units: Int64(width) * 64))
      }
      try cache.update(
        "album-1", with: [BatchOperation.data(key: "a", try ItemData(json: "{\"n\":\(width)}"))])
      guard case .commit? = try await events.next() else {
        Issue.record("the change was told again")
        return
      }
    }
  }

  @Test func readersNeverReturnToAnEarlierDefinition() async throws {
    try cache.setTemplate(template(width: 100))
    try await withThrowingTaskGroup(of: Void.self) { group in
      for reader in 0..<3 {
        group.addTask { [directory] in
          let cache =
            reader == 0 ? self.cache : try LayoutCache(path: directory.path(of: "feed.sqlite"))
          var last = Length.zero
          while last < 140 {
            let width = try await cache.performRead(Self.phone) { $0.contentSize.width }
            #expect(width >= last)
            last = width
          }
        }
      }
      group.addTask {
        for width in 101...140 { try self.cache.setTemplate(self.template(width: width)) }
      }
      try await group.waitForAll()
    }
  }
}
