import CollectionLayout
import LayoutGeometry

extension Table {
  /// A table of elements, a row each.
  init(elements: [LayoutAttributes]) {
    self.init([
      .text("element"), .text("section"), .number("item"), .text("key"), .number("x"),
      .number("y"), .number("width"), .number("height"), .number("z"),
    ])
    for element in elements {
      let (name, key) =
        switch element.category {
        case .cell(let key): ("cell", key)
        case .supplementary(let kind): (kind.rawValue, "")
        case .decoration(let kind): (kind, "")
        }
      add([
        name, element.sectionKey, element.indexPath.item.map(String.init) ?? "", key,
        element.frame.minX.description, element.frame.minY.description,
        element.frame.size.width.description, element.frame.size.height.description,
        String(element.zIndex),
      ])
    }
  }
}
