package import LayoutCache
import LayoutGeometry

extension CarouselOffsets {
  package init(_ offsets: [(key: String, offset: Int64)]) {
    self.init()
    for (key, offset) in offsets { self[key] = Length(units: offset) }
  }
}
