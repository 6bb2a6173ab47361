import LayoutGeometry

/// Pictures side by side, each in a frame with a caption above, as one document.
package struct PictureSheet: Sendable {
  package struct Panel: Sendable {
    var picture: Picture
    /// The title.
    var caption: String
    /// The subtitle, in one line.
    var note: String

    package init(_ picture: Picture, caption: String, note: String) {
      (self.picture, self.caption, self.note) = (picture, caption, note)
    }
  }

  var title: String
  var panels: [Panel]

  /// - Parameter panels: The panels, from the left.
  package init(title: String, panels: [Panel]) {
    (self.title, self.panels) = (title, panels)
  }

  private static let margin = Length.points(28)
  private static let captionHeight = Length.points(52)

  /// The sheet as an SVG document, with one pixel per point.
  package var svg: String {
    var drawing = ""
    var (x, height) = (Self.margin, Length.zero)
    for panel in panels {
      drawing += self.drawing(of: panel, x: x)
      x = x + panel.picture.rect.size.width + Self.margin
      height = max(height, panel.picture.rect.size.height)
    }
    height = Self.margin + Self.captionHeight + height + Self.margin
    return """
      <svg xmlns="http://www.w3.org/2000/svg" width="\(x)" height="\(height)" \
      viewBox="0 0 \(x) \(height)" \(Picture.font)>
      <title>\(escaped(title))</title>
      <rect width="\(x)" height="\(height)" fill="#ffffff"/>
      \(drawing)</svg>

      """
  }

  private func drawing(of panel: Panel, x: Length) -> String {
    let size = panel.picture.rect.size
    let y = Self.margin + Self.captionHeight
    let bounds = "width=\"\(size.width)\" height=\"\(size.height)\""
    return """
      <text x="\(x)" y="\(Self.margin + .points(14))" font-size="18" font-weight="700" \
      fill="#1c1c1e">\(escaped(panel.caption))</text>
      <text x="\(x)" y="\(Self.margin + .points(36))" font-size="13" \
      fill="#6b6b73">\(escaped(panel.note))</text>
      <svg x="\(x)" y="\(y)" \(bounds) viewBox="\(panel.picture.viewBox)">
      \(panel.picture.drawing)</svg>
      <rect x="\(x)" y="\(y)" \(bounds) rx="3" fill="none" stroke="#8e8e96" stroke-width="1.5"/>

      """
  }
}
