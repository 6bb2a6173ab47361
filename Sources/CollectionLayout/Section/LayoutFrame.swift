package import LayoutGeometry

/// The elements of the whole layout along the main axis, in canonical space: a header before the
/// first section, a footer after the last one, and a background under everything.
package struct LayoutFrame: Hashable, Sendable {
  /// The measured lengths of the header and footer; `nil` for the configured ones.
  package private(set) var measuredHeader: Length?
  package private(set) var measuredFooter: Length?
  private let configuredHeader: Length
  private let configuredFooter: Length
  /// Whether the header stays at the visible start.
  package let pinsHeader: Bool
  /// Whether the footer stays at the visible end.
  package let pinsFooter: Bool
  /// The background, its inset as configured.
  package let background: SectionOptions.Background?
  /// The background's inset in canonical axes.
  private let backgroundInset: EdgeInsets

  init(_ configuration: LayoutConfiguration, in space: LayoutSpace) throws(ConfigurationError) {
    func length(
      _ element: LayoutConfiguration.Boundary?, _ name: String
    ) throws(ConfigurationError) -> Length {
      try OptionChecks(space: space, path: [name]).length(
        element?.length, "length", fractionFrom: OptionChecks.unit) ?? .zero
    }
    configuredHeader = try length(configuration.header, "header")
    configuredFooter = try length(configuration.footer, "footer")
    pinsHeader = configuration.header?.pins ?? false
    pinsFooter = configuration.footer?.pins ?? false
    background = configuration.background
    backgroundInset = try OptionChecks(space: space, path: []).background(background)
  }

  /// The header's length; 0 for none.
  package var header: Length {
    configuredHeader == .zero ? .zero : measuredHeader ?? configuredHeader
  }

  /// The footer's length; 0 for none.
  package var footer: Length {
    configuredFooter == .zero ? .zero : measuredFooter ?? configuredFooter
  }

  /// Sets the measured lengths, which have no effect on elements that do not exist.
  package mutating func measure(header: Length?, footer: Length?) {
    (measuredHeader, measuredFooter) = (header, footer)
  }

  /// Whether there is no such element.
  package var isEmpty: Bool { header == .zero && footer == .zero && background == nil }

  package var elementKinds: [CustomElement.Kind] {
    var kinds: [CustomElement.Kind] = []
    if header > .zero { kinds.append(.supplementary(.layoutHeader)) }
    if footer > .zero { kinds.append(.supplementary(.layoutFooter)) }
    if let background { kinds.append(.decoration(background.kind)) }
    return kinds
  }

  /// Whether the header pins, and whether the footer does.
  package var pins: (header: Bool, footer: Bool) {
    (pinsHeader && header > .zero, pinsFooter && footer > .zero)
  }

  /// The background's rectangle: the whole content, less the background's inset. `nil` without
  /// a background.
  package func background(mainLength: Length, crossLength: Length) -> Rect? {
    guard background != nil else { return nil }
    return Rect(x: .zero, y: .zero, width: crossLength, height: mainLength)
      .inset(by: backgroundInset)
  }
}

/// The visible bounds along the main axis to which elements are pinned, level by level: the
/// header and footer of the layout first, then the elements of a section. A pinned element takes
/// its length from the bounds of the levels after it.
package struct PinBounds: Sendable {
  /// The start of the bounds of the next level.
  private var start: Length
  /// The end of the bounds of the next level.
  private var end: Length

  /// Creates the bounds of the first level.
  package init(_ visible: Range<Length>) {
    (start, end) = (visible.lowerBound, visible.upperBound)
  }

  /// Returns the start of an element that pins to the visible start.
  ///
  /// - Parameters:
  ///   - own: The start without pinning.
  ///   - outer: The length of the section's pinned elements nearer to the visible start.
  ///   - last: The last start at which the element is within its stretch of the content.
  package mutating func pinToStart(
    _ own: Length, after outer: Length = .zero, length: Length, upTo last: Length
  ) -> Length {
    defer { start += length }
    return min(max(own, start + outer), last)
  }

  /// Returns the start of an element that pins to the visible end.
  ///
  /// - Parameters:
  ///   - own: The start without pinning.
  ///   - outer: The length of the section's pinned elements nearer to the visible end.
  ///   - first: The first start at which the element is within its stretch of the content.
  package mutating func pinToEnd(
    _ own: Length, before outer: Length = .zero, length: Length, from first: Length
  ) -> Length {
    end -= length
    return max(min(own, end - outer), first)
  }
}
