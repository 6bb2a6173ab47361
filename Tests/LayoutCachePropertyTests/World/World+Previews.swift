import CollectionLayout
import LayoutCache
import LayoutCacheTestSupport
import LayoutGeometry
import TestSupport
import Testing

// Observers of layouts after changes that are not committed.
extension World {
  /// A batch in one layout: the elements and the changes are those that its commit would have.
  func observePreview() throws {
    let place = anyPlace()
    try datasets[place.dataset].prepare(place.layout)
    let before = datasets[place.dataset].model
    var (after, batches) = (before, datasets[place.dataset].batches)
    let batch = batches.next(for: before, using: &generator)
    try after.apply(batch)
    if !after.layouts[place.layout].feed.hasResult { try after.prepare(place.layout) }
    let operations = try batch.map { try BatchOperation($0, in: before) }
    record("previews \(operations)")
    try read(place) { snapshot, oracle in
      let preview = try snapshot.preview(operations)
      let own = before.layouts[place.layout]
      let next = after.layouts[place.layout].feed.oracle.reading(isMirrored: oracle.isMirrored)
      try compareAll(preview.snapshot, next)
      preview.commit.updates.expectToLead(from: before.sections, to: after.sections, "preview")
      preview.context.expectComplete(before: oracle, after: next, "preview of \(own.name)")
      let isChanged = after.revision > before.revision
      #expect(preview.commit.layouts.count == (isChanged ? 1 : 0))
      #expect((preview.snapshot.incarnation != snapshot.incarnation) == isChanged)
      #expect(try snapshot.preview(operations).snapshot.incarnation == preview.snapshot.incarnation)
      if !preview.context.invalidateEverything { count("previewed") }
    }
  }

  /// A layout by another configuration, with or without a batch: as laid out from scratch.
  func observeDraft() throws {
    let place = anyOrdinary()
    let text = anotherText(place)
    let configuration = try ConfigurationText.decode(text)
    let present = datasets[place.dataset].model.layouts[place.layout].text
    if try configuration == ConfigurationText.decode(present) { return }
    try datasets[place.dataset].prepare(place.layout)
    let before = datasets[place.dataset].model
    var (after, batches) = (before, datasets[place.dataset].batches)
    let batch = generator.oneIn(2) ? [] : batches.next(for: before, using: &generator)
    let operations = try batch.map { try BatchOperation($0, in: before) }
    record("a draft of \(id(place)) after \(operations): \(text)")
    try after.apply(batch)
    try after.set(place.layout, to: text)
    try after.apply([.init(.invalidate(everything: true), layout: place.layout)])
    try after.prepare(place.layout)
    do {
      try read(place) { snapshot, _ in
        let preview = try snapshot.preview(operations, configuration: configuration)
        try compareAll(preview.snapshot, after.layouts[place.layout].feed.oracle)
        #expect(preview.context.invalidateEverything && preview.context.reason == .relaid)
        count("drafted")
      }
    } catch let error as LayoutCacheError {
      // As in `set`.
      guard case .configuration = error.code,
        text.contains("breakpoints") || text.contains("widths") || text.contains("heights")
      else { throw error }
    }
  }

  /// The feed at an earlier revision: as an undo would restore it.
  func observeUndoPreview() throws {
    let place = anyPlace()
    try datasets[place.dataset].prepare(place.layout)
    let before = datasets[place.dataset]
    guard let target = before.past.randomElement(using: &generator) else { return }
    let revision = target.model.revision
    record("previews revision \(revision) of \(id(place))")
    let isLogged =
      try revision == before.model.revision
      || caches[0].log(of: before.model.name, limit: 100).contains {
        $0.revision == revision + 1
      }
    try read(place) { snapshot, oracle in
      guard isLogged else {
        #expect(throws: LayoutCacheError.self) { try snapshot.preview(undoTo: revision) }
        return
      }
      let preview = try snapshot.preview(undoTo: revision)
      if revision == before.model.revision {
        #expect(preview.snapshot.incarnation == snapshot.incarnation)
        return
      }
      #expect(preview.commit.undone?.first == revision + 1)
      preview.commit.updates.expectToLead(
        from: before.model.sections, to: target.model.sections, "preview of the past")
      let names = [before.model, target.model].map { $0.layouts.map { "\($0.number) \($0.name)" } }
      if preview.commit.undone?.placesColumns == false, names[0] == names[1],
        let back = before.model.undoing(to: target.model),
        back.layouts[place.layout].feed.hasResult
      {
        let former = back.layouts[place.layout].feed.oracle
        try compareAll(preview.snapshot, former.reading(isMirrored: oracle.isMirrored))
        return count("previewed past")
      }
      var back = try before.model.returning(to: target.model)
      back.numbers = target.model.numbers
      let former = back.layouts[place.layout].feed
      if former.hasColumns { return }
      try compareAll(preview.snapshot, former.oracle.reading(isMirrored: oracle.isMirrored))
    }
  }
}
