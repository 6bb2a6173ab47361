import CollectionLayout
import LayoutGeometry
import TextFormats

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
    for element in elements where !element.attributes.isHidden {
      svg += drawing(of: element) + "\n"
    }
    return svg + "</svg>\n"
  }

  /// An element as it is seen: transformed about its centre, and as opaque as it is.
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

  /// A transform about a rectangle's centre as SVG has it, about the origin.
  private func matrix(_ transform: Transform, about frame: Rect) -> String {
    let (x, y) = frame.middle
    let numbers = [
      transform.a, transform.b, transform.c, transform.d,
      x + transform.tx - transform.a * x - transform.c * y,
      y + transform.ty - transform.b * x - transform.d * y,
    ]
    return "matrix(\(numbers.map(\.description).joined(separator: " ")))"
  }

  /// An element in perspective, which SVG has not: the outline that its corners make,
  /// with the text upright.
  private func perspectiveDrawing(of seen: Element) -> String {
    let element = seen.attributes
    let frame = element.untransformedFrame
    let (x, y) = frame.middle
    let (right, bottom) = (frame.size.width.points / 2, frame.size.height.points / 2)
    let corners = [(-right, -bottom), (right, -bottom), (right, bottom), (-right, bottom)].map {
      let point = element.transform3D.projecting(x: $0.0, y: $0.1)
      return "\(x + point.x),\(y + point.y)"
    }
    let color = SectionColor(key: element.sectionKey)
    return """
      <polygon points="\(corners.joined(separator: " "))" fill="\(color.fill)" \
      stroke="\(color.line)" stroke-width="0.5"/>\
      \(label(seen.text, in: element.frame, "fill=\"\(color.text)\""))
      """
  }

  /// An element without its transform.
  private func plainDrawing(of seen: Element) -> String {
    let element = seen.attributes
    let color = SectionColor(key: element.sectionKey)
    let bounds = element.untransformedFrame
    let frame = attributes(of: bounds)
    switch element.category {
    case .decoration:
      return "<rect \(frame) rx=\"8\" fill=\"\(color.background)\"/>"
    case .cell:
      let radius = cornerRadius(bounds.size)
      return """
        <rect \(frame) rx="\(radius)" fill="\(color.fill)" stroke="\(color.line)" \
        stroke-width="0.5"/>\(label(seen.text, in: bounds, "fill=\"\(color.text)\""))
        """
    case .supplementary(let kind):
      let weight =
        kind == .header ? "font-weight=\"600\" font-size=\"13\"" : "font-style=\"italic\""
      return """
        <rect \(frame) fill="#ffffff" fill-opacity="0.92"/>\
        <rect \(frame) fill="none" stroke="#d9d9de" stroke-width="0.5"/>\
        \(label(seen.text, in: bounds, "fill=\"#1c1c1e\" \(weight)"))
        """
    }
  }

  /// A text at the left of a rectangle, in several lines where they fit, cut off at its edge;
  /// nothing where the rectangle is too small for any.
  private func label(_ text: String, in frame: Rect, _ style: String) -> String {
    let height = frame.size.height
    guard frame.size.width >= .points(32), height >= .points(14) else { return "" }
    let isTall = height > .points(60)
    let baseline = isTall ? .points(18) : Length(units: height.units / 2) + .points(4)
    // A letter takes some 5.5 points of the 11 that it is high, a line 14.
    let lines = broken(
      text, lettersMax: isTall ? max(1, Int((frame.size.width.points - 16) / 5.5)) : .max,
      linesMax: min(6, Int((height.points - 10) / 14)))
    var spans = escaped(lines[0])
    for line in lines.dropFirst() {
      spans += "<tspan x=\"8\" dy=\"14\">\(escaped(line))</tspan>"
    }
    // An inner svg element clips what it holds to its own rectangle.
    return """
      <svg \(attributes(of: frame))><text x="8" y="\(baseline)" \(style)>\(spans)</text></svg>
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

extension Rect {
  /// The middle in points.
  fileprivate var middle: (x: Double, y: Double) {
    ((minX + maxX).points / 2, (minY + maxY).points / 2)
  }
}

/// A text in lines, broken between words; the last line holds whatever is left.
///
/// - Returns: At least one line.
private func broken(_ text: String, lettersMax: Int, linesMax: Int) -> [String] {
  var lines = [""]
  for word in text.split(separator: " ", omittingEmptySubsequences: false) {
    let last = lines[lines.count - 1]
    if last.isEmpty {
      lines[lines.count - 1] = String(word)
    } else if last.count + 1 + word.count <= lettersMax || lines.count >= linesMax {
      lines[lines.count - 1] += " " + word
    } else {
      lines.append(String(word))
    }
  }
  return lines
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
    // XML has no way to write these two, nor most control characters.
    case "\u{FFFE}", "\u{FFFF}": escaped += "\u{FFFD}"
    case "\u{0}"..<" ", "\u{7F}"...("\u{9F}"): escaped += " "
    default: escaped.unicodeScalars.append(scalar)
    }
  }
  return escaped
}
