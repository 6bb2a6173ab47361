import CollectionLayout
import LayoutGeometry

extension Table {
  /// A table of elements, a row each. Their look is a column where any has one that
  /// is not the usual one.
  init(elements: [LayoutAttributes]) {
    let showsLook = elements.contains { !$0.appearanceDescription.isEmpty }
    self.init(
      [
        .text("element"), .text("section"), .number("item"), .text("key"), .number("x"),
        .number("y"), .number("width"), .number("height"), .number("z"),
      ] + (showsLook ? [.text("look")] : []))
    for element in elements {
      let (name, key) =
        switch element.category {
        case .cell(let key): ("cell", key)
        case .supplementary(let kind): (kind.rawValue, "")
        case .decoration(let kind): (kind, "")
        }
      let frame = element.frame
      let cells = [
        name, element.sectionKey, element.indexPath.item.map(String.init) ?? "", key,
        frame.minX.description, frame.minY.description, frame.size.width.description,
        frame.size.height.description, String(element.zIndex),
      ]
      add(cells + (showsLook ? [element.appearanceDescription] : []))
    }
  }
}
