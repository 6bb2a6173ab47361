import CollectionLayout
import LayoutGeometry

extension LayoutAttributes {
  /// Prints the element for people: a line for each thing to know.
  func print() throws {
    var facts: [(name: String, value: String)] = []
    switch category {
    case .cell(let key): facts.append(("cell", key))
    case .supplementary(let kind): facts.append(("supplementary", kind.rawValue))
    case .decoration(let kind): facts.append(("decoration", kind))
    }
    facts.append(("section", "\(sectionKey) (number \(indexPath.section))"))
    if let item = indexPath.item { facts.append(("item", String(item))) }
    if let column { facts.append(("column", String(column))) }
    facts.append(("origin", "\(frame.minX), \(frame.minY)"))
    facts.append(("size", "\(frame.size.width) x \(frame.size.height)"))
    if zIndex != 0 { facts.append(("z-index", String(zIndex))) }
    if !appearanceDescription.isEmpty { facts.append(("look", appearanceDescription)) }
    try StandardOutput.print(facts: facts)
  }
}

extension StandardOutput {
  /// Prints names with their values, aligned.
  static func print(facts: [(name: String, value: String)]) throws {
    let style = TextStyle.of()
    let width = facts.map(\.name.count).max() ?? 0
    var output = StandardOutput()
    for fact in facts {
      let padding = String(repeating: " ", count: width - fact.name.count)
      try output.writeLine(style.heading(fact.name) + padding + "  " + fact.value)
    }
    try output.flush()
  }
}
