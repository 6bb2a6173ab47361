import LayoutCache
import LayoutGeometry

extension Picture {
  /// The picture as an SVG document, with one pixel per point.
  package var svg: String {
    let size = "width=\"\(rect.size.width)\" height=\"\(rect.size.height)\""
    return """
      <svg xmlns="http://www.w3.org/2000/svg" \(size) viewBox="\(viewBox)" \(Self.font)>
      <title>\(escaped(title))</title>
      \(drawing)</svg>

      """
  }

  /// The font settings of an SVG document.
  static let font = """
    font-family="system-ui, -apple-system, 'Segoe UI', 'DejaVu Sans', sans-serif" font-size="12"
    """

  var viewBox: String { "\(rect.minX) \(rect.minY) \(rect.size.width) \(rect.size.height)" }

  /// The drawing in the content's coordinates, one line per element.
  var drawing: String {
    var drawing = "<rect \(attributes(of: rect)) fill=\"#fafafa\"/>\n"
    for element in elements where !element.attributes.isHidden {
      drawing += self.drawing(of: element) + "\n"
    }
    return drawing
  }

  /// Returns an element as visible: transformed about its centre, and with its opacity.
  private func drawing(of seen: Element) -> String {
    let element = seen.attributes
    let drawing =
      if element.transform3D.isIdentity {
        plainDrawing(of: seen)
      } else if let transform = element.transform3D.affine {
        """
        <g transform="\(matrix(transform, about: element.untransformedFrame))">\
        \(plainDrawing(of: seen))</g>
        """
      } else {
        perspectiveDrawing(of: seen)
      }
    return element.alpha == 1 ? drawing : "<g opacity=\"\(element.alpha)\">\(drawing)</g>"
  }

  /// Returns a transform about a rectangle's centre as an SVG matrix, which is about the origin.
  private func matrix(_ transform: Transform, about frame: Rect) -> String {
    let (x, y) = frame.middle
    let numbers = [
      transform.a, transform.b, transform.c, transform.d,
      x + transform.tx - transform.a * x - transform.c * y,
      y + transform.ty - transform.b * x - transform.d * y,
    ]
    return "matrix(\(numbers.map(\.description).joined(separator: " ")))"
  }

  /// Returns an element in perspective, which SVG does not support: the outline of its corners,
  /// with upright text.
  private func perspectiveDrawing(of seen: Element) -> String {
    let element = seen.attributes
    let frame = element.untransformedFrame
    let (x, y) = frame.middle
    let (right, bottom) = (frame.size.width.points / 2, frame.size.height.points / 2)
    let corners = [(-right, -bottom), (right, -bottom), (right, bottom), (-right, bottom)].map {
      let point = element.transform3D.projecting(x: $0.0, y: $0.1)
      return "\(x + point.x),\(y + point.y)"
    }
    let color = color(of: seen)
    return """
      <polygon points="\(corners.joined(separator: " "))" fill="\(color.fill)" \
      stroke="\(color.line)" stroke-width="0.5"/>\
      \(label(seen, in: element.frame, "fill=\"\(color.text)\""))
      """
  }

  /// Returns an element without its transform.
  private func plainDrawing(of seen: Element) -> String {
    let element = seen.attributes
    let color = color(of: seen)
    let bounds = element.untransformedFrame
    let frame = attributes(of: bounds)
    switch element.category {
    case .decoration:
      return "<rect \(frame) rx=\"8\" fill=\"\(color.background)\"/>"
    case .cell:
      let radius = cornerRadius(bounds.size)
      return """
        <rect \(frame) rx="\(radius)" fill="\(color.fill)" stroke="\(color.line)" \
        stroke-width="\(seen.mark == nil ? "0.5" : "1.5")"/>\
        \(label(seen, in: bounds, "fill=\"\(color.text)\""))
        """
    case .supplementary(let kind):
      let style = kind == .header ? "font-size=\"14\"" : "font-style=\"italic\""
      return """
        <rect \(frame) fill="#ffffff" fill-opacity="0.92"/>\
        <rect \(frame) fill="none" stroke="\(seen.mark == nil ? "#d9d9de" : color.line)" \
        stroke-width="0.5"/>\
        \(label(seen, in: bounds, "fill=\"#1c1c1e\" \(style)"))
        """
    }
  }

  private func color(of element: Element) -> ElementColor {
    var key: String?
    if case .cell(let cell) = element.attributes.category { key = cell }
    return ElementColor(
      sectionKey: element.attributes.sectionKey, key: key, mark: element.mark,
      isMarked: changes != nil)
  }

  /// Returns the label of an element, at the left of a rectangle; empty if that is too small
  /// for text.
  private func label(_ element: Element, in frame: Rect, _ style: String) -> String {
    let height = frame.size.height
    guard frame.size.width >= .points(32), height >= .points(14) else { return "" }
    let isTall = height >= .points(48)
    let text = CardText(
      title: element.text, note: element.note, width: frame.size.width.points - 16,
      linesMax: isTall ? Int((height.points - 8) / Double(CardText.lineHeight)) : 1)
    let baseline = isTall ? .points(19) : Length(units: height.units / 2) + .points(4)
    var spans = ""
    for (index, line) in text.lines.enumerated() {
      let place = index == 0 ? "y=\"\(baseline)\"" : "dy=\"\(CardText.lineHeight)\""
      let look = line.isNote ? "font-size=\"10.5\" opacity=\"0.8\"" : "font-weight=\"600\""
      spans += "<tspan x=\"8\" \(place) \(look)>\(escaped(line.text))</tspan>"
    }
    // An inner svg element clips its content to its rectangle.
    return "<svg \(attributes(of: frame))><text \(style)>\(spans)</text></svg>"
  }

  private func cornerRadius(_ size: Size) -> Length {
    min(.points(6), Length(units: min(size.width, size.height).units / 4))
  }

  private func attributes(of rect: Rect) -> String {
    """
    x="\(rect.minX)" y="\(rect.minY)" width="\(rect.size.width)" height="\(rect.size.height)"
    """
  }
}

extension Rect {
  /// The centre in points.
  fileprivate var middle: (x: Double, y: Double) {
    ((minX + maxX).points / 2, (minY + maxY).points / 2)
  }
}
