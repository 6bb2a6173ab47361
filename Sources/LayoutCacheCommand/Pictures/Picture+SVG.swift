import CollectionLayout
import LayoutGeometry

extension Picture {
  /// The picture as an SVG document, a point to a pixel.
  var svg: String {
    let size = "width=\"\(rect.size.width)\" height=\"\(rect.size.height)\""
    let viewBox = "\(rect.minX) \(rect.minY) \(rect.size.width) \(rect.size.height)"
    var svg = """
      <svg xmlns="http://www.w3.org/2000/svg" \(size) viewBox="\(viewBox)" \
      font-family="system-ui, -apple-system, 'Segoe UI', sans-serif" font-size="11">
      <title>\(escaped(title))</title>
      <rect \(attributes(of: rect)) fill="#fafafa"/>

      """
    for element in elements { svg += drawing(of: element) + "\n" }
    return svg + "</svg>\n"
  }

  private func drawing(of element: LayoutAttributes) -> String {
    let color = SectionColor(key: element.sectionKey)
    let frame = attributes(of: element.frame)
    switch element.category {
    case .decoration:
      return "<rect \(frame) rx=\"8\" fill=\"\(color.background)\"/>"
    case .cell(let key):
      let radius = cornerRadius(element.frame.size)
      return """
        <rect \(frame) rx="\(radius)" fill="\(color.fill)" stroke="\(color.line)" \
        stroke-width="0.5"/>\(label(key, in: element.frame, "fill=\"\(color.text)\""))
        """
    case .supplementary(let kind):
      let weight =
        kind == .header ? "font-weight=\"600\" font-size=\"13\"" : "font-style=\"italic\""
      return """
        <rect \(frame) fill="#ffffff" fill-opacity="0.92"/>\
        <rect \(frame) fill="none" stroke="#d9d9de" stroke-width="0.5"/>\
        \(label(element.sectionKey, in: element.frame, "fill=\"#1c1c1e\" \(weight)"))
        """
    }
  }

  /// A text at the left of a rectangle, cut off at its edge; nothing where the
  /// rectangle is too small for any.
  private func label(_ text: String, in frame: Rect, _ style: String) -> String {
    let height = frame.size.height
    guard frame.size.width >= .points(32), height >= .points(14) else { return "" }
    let baseline = height > .points(60) ? .points(18) : Length(units: height.units / 2) + .points(4)
    // An inner svg element clips what it holds to its own rectangle.
    return """
      <svg \(attributes(of: frame))><text x="8" y="\(baseline)" \(style)>\
      \(escaped(text))</text></svg>
      """
  }

  private func cornerRadius(_ size: Size) -> Length {
    min(.points(4), Length(units: min(size.width, size.height).units / 4))
  }

  private func attributes(of rect: Rect) -> String {
    """
    x="\(rect.minX)" y="\(rect.minY)" width="\(rect.size.width)" height="\(rect.size.height)"
    """
  }
}

/// A text with the characters escaped that mean something to XML.
private func escaped(_ text: String) -> String {
  var escaped = ""
  for scalar in text.unicodeScalars {
    switch scalar {
    case "&": escaped += "&amp;"
    case "<": escaped += "&lt;"
    case ">": escaped += "&gt;"
    case "\"": escaped += "&quot;"
    // XML has no way to write these two, nor any control character; keys hold
    // none of those.
    case "\u{FFFE}", "\u{FFFF}": escaped += "\u{FFFD}"
    default: escaped.unicodeScalars.append(scalar)
    }
  }
  return escaped
}
