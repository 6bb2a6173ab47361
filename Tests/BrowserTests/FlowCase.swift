import CollectionLayout
import LayoutCache
import LayoutGeometry
import TestSupport

/// A random flow, and its equivalent as a wrapping flex container.
struct FlowCase: PageCase {
  let axes: PageAxes
  let containerAcross: Length
  let inset: EdgeInsets
  let options: SectionOptions
  /// The items' natural sizes in the content's axes.
  let sizes: [Size]
  let origin: String

  init(origin: String, using generator: inout SeededGenerator) {
    self.origin = origin
    let axes = generator.axes()
    self.axes = axes
    containerAcross = generator.length(60...1200)
    inset = generator.insets()
    var options = SectionOptions()
    options.kind = .flow
    options.inset = ContainerInsets(inset)
    options.minimumInteritemSpacing = .fixed(generator.length(0...20))
    options.minimumLineSpacing = .fixed(generator.length(0...20))
    options.lineAlignment = SectionOptions.LineAlignment.allCases
      .randomElement(using: &generator)
    options.crossAlignment = SectionOptions.CrossAlignment.allCases
      .randomElement(using: &generator)
    // Some cases have neighbours of one size, some of many, and some have items that fill or
    // exceed the line.
    let acrossMax: Int64 = generator.oneIn(4) ? 1300 : 160
    let random = { (generator: inout SeededGenerator) in
      Size(width: generator.length(1...acrossMax), height: generator.length(8...200))
    }
    switch Int.random(in: 0..<4, using: &generator) {
    case 0: options.itemSize = .fixed(axes.turned(random(&generator)))
    case 1: options.lineLength = generator.length(8...200)
    default: break
    }
    sizes = (0..<generator.itemCount()).map { _ in axes.turned(random(&generator)) }
    self.options = options
  }

  func makeItems() throws -> [Item] {
    try sizes.enumerated().map {
      try Item(key: "\($0)", width: $1.width.points, height: $1.height.points)
    }
  }
}

extension ContainerLength {
  /// The length, which the cases here do not relate to the container.
  var fixed: Length {
    guard case .fixed(let length) = self else { preconditionFailure("a fraction") }
    return length
  }
}

extension PageAxes {
  /// A size that was chosen for vertical scrolling, its axes exchanged for horizontal.
  func turned(_ size: Size) -> Size { scrollDirection == .vertical ? size : size.transposed }
}
