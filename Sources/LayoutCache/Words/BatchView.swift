package import LayoutGeometry

/// What is to be seen of a batch.
package struct BatchView: Hashable, Sendable {
  /// The visible rectangle of a client.
  package var visible: Rect?
  /// The layouts that the commit brings up to date.
  package var layouts: UpdatedLayouts

  package init(visible: Rect? = nil, layouts: UpdatedLayouts = .inUse) {
    self.visible = visible
    self.layouts = layouts
  }

  /// The names of the layouts that the caller wants to hear of.
  var names: [String] { layouts.names }
}

extension UpdatedLayouts {
  /// The layouts that are named.
  var names: [String] {
    if case .named(let names) = self { names } else { [] }
  }
}
