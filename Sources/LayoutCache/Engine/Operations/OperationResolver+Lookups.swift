import LayoutGeometry
import LayoutStore
import SumTree

/// A place of an item, or between two.
struct ItemPlace {
  var section: SectionReference
  /// The item's number in its section.
  var index: Int
  /// The item's number, counted from the dataset's first.
  var number: Int

  /// The index once another item has been taken out.
  func index(without other: ItemPlace?) -> Int {
    guard let other, other.section == section, other.index < index else { return index }
    return index - 1
  }
}

extension OperationResolver {
  /// The place that a destination names.
  ///
  /// - Parameter old: The place of an item that is to be taken out before; what is
  ///   found is counted without it.
  func place(
    of destination: ItemDestination, without old: ItemPlace? = nil
  ) throws -> (section: SectionReference, index: Int) {
    switch destination {
    case .end(let key):
      let section = try section(key)
      return (section, try itemCount(of: section, without: old))
    case .index(let index, let key):
      let section = try section(key)
      try check(index, count: try itemCount(of: section, without: old))
      return (section, index)
    case .before(let key):
      let place = try item(key)
      return (place.section, place.index(without: old))
    case .after(let key):
      var place = try item(key)
      place.index += 1
      return (place.section, place.index(without: old))
    }
  }

  private func itemCount(of section: SectionReference, without old: ItemPlace?) throws -> Int {
    let count = try trees.items(ofSection: section.index, in: session).count
    return old?.section == section ? count - 1 : count
  }

  func item(_ key: String) throws -> ItemPlace {
    guard let number = try trees.itemIndex(ofKey: key, in: session),
      let place = try trees.place(ofItem: number, in: session)
    else { throw RefusedOperation.Reason.noSuchKey(key) }
    return ItemPlace(section: place.section, index: place.item, number: number)
  }

  func section(_ key: String) throws -> SectionReference {
    guard let index = try trees.sectionIndex(ofKey: key, in: session) else {
      throw RefusedOperation.Reason.noSuchSection(key)
    }
    return SectionReference(index: index, key: key)
  }

  func check(_ index: Int, count: Int) throws {
    guard (0...max(count, 0)).contains(index) else {
      throw RefusedOperation.Reason.indexOutOfRange(index, count: count)
    }
  }

  func within(_ key: String?, _ body: () throws -> Void) throws {
    do {
      try body()
    } catch let error as LimitError {
      throw RefusedOperation.Reason.limit(error, key: key)
    }
  }
}
