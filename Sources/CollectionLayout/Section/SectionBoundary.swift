package import LayoutGeometry

/// An element before or after a section's content: the header, the footer, or one of
/// ``SectionOptions/supplementary``.
package struct BoundaryElement: Hashable, Sendable {
  /// The element's kind.
  package let kind: LayoutAttributes.SupplementaryKind
  /// The edge of the section at which it is.
  package let edge: SectionBoundary.Edge
  /// Whether it is neither the header nor the footer.
  package let isListed: Bool
  /// The length of its place along the main axis; above 0.
  package fileprivate(set) var length: Length
  /// The range of its place across.
  fileprivate let cross: Range<Length>
  /// The inset of its frame in the place.
  fileprivate let inset: EdgeInsets
  /// Whether it stays visible while its section is.
  package let pins: Bool
  fileprivate let ownZIndex: Int
  /// The length of the elements between it and the edge.
  fileprivate var distance = Length.zero
  /// The length of those of them that pin.
  fileprivate var pinnedDistance = Length.zero
  /// The number of those that pin.
  fileprivate var level = 0

  /// Returns the z-index. A pinning element has its own at any position, pinned or not.
  package func zIndex(in frame: LayoutFrame) -> Int {
    if !pins { return ownZIndex }
    let isUnderLayout = edge == .top ? frame.pins.header : frame.pins.footer
    return LayoutAttributes.pinnedZIndex - level - (isUnderLayout ? 1 : 0)
  }
}

/// The elements before and after a section's content. From outside inward there is the header or
/// the footer, then the elements of the list.
package struct SectionBoundary: Hashable, Sendable {
  package typealias Edge = SectionOptions.Supplementary.Edge

  /// The elements, which have a length, in the order of answers: from the section's start to its
  /// end.
  package private(set) var elements: [BoundaryElement]
  /// The length of the elements before the content.
  package private(set) var topLength = Length.zero
  /// The length of the elements after the content.
  package private(set) var bottomLength = Length.zero

  /// - Parameter elements: The elements in the order of answers.
  private init(_ elements: [BoundaryElement]) {
    self.elements = elements
    topLength = stack(elements.indices, at: .top)
    bottomLength = stack(elements.indices.reversed(), at: .bottom)
  }

  /// Sets the distances of an edge's elements.
  ///
  /// - Parameter indices: All indices, the edge's from outside inward.
  /// - Returns: The length of the elements.
  private mutating func stack(
    _ indices: some Sequence<Int>, at edge: Edge
  ) -> Length {
    var (length, pinnedLength, level) = (Length.zero, Length.zero, 0)
    for index in indices where elements[index].edge == edge {
      elements[index].distance = length
      (elements[index].pinnedDistance, elements[index].level) = (pinnedLength, level)
      length += elements[index].length
      if elements[index].pins {
        pinnedLength += elements[index].length
        level += 1
      }
    }
    return length
  }

  /// Whether an element pins.
  package var pins: Bool { elements.contains(where: \.pins) }

  /// Returns the kinds of an edge's elements.
  package func kinds(at edge: Edge) -> Set<LayoutAttributes.SupplementaryKind> {
    Set(elements.lazy.filter { $0.edge == edge }.map(\.kind))
  }

  /// The element of a kind; `nil` if there is none.
  package subscript(kind: LayoutAttributes.SupplementaryKind) -> BoundaryElement? {
    elements.first { $0.kind == kind }
  }

  /// Returns the elements with measured lengths of the header and footer, as far as they exist.
  package func measured(header: Length?, footer: Length?) -> SectionBoundary {
    var elements = elements
    for index in elements.indices where !elements[index].isListed {
      let length = elements[index].edge == .top ? header : footer
      elements[index].length = length ?? elements[index].length
    }
    return SectionBoundary(elements)
  }
}

extension SectionFrame {
  /// Returns the rectangle of an element of the boundary.
  ///
  /// - Parameters:
  ///   - start: The section's start.
  ///   - bounds: The bounds to which the section's elements are pinned; `nil` for the unpinned
  ///     position.
  package func place(
    of element: BoundaryElement, from start: Length, in bounds: PinBounds?
  ) -> Rect {
    let (length, outer) = (element.length, element.pinnedDistance)
    let isTop = element.edge == .top
    var place = start + (isTop ? element.distance : self.length - element.distance - length)
    if element.pins, var bounds {
      // Up to the elements of the other edge.
      place =
        isTop
        ? bounds.pinToStart(place, after: outer, length: length, upTo: start + bottomStart - length)
        : bounds.pinToEnd(
          place, before: outer, length: length, from: start + plan.boundary.topLength)
    }
    return Rect(
      x: element.cross.lowerBound, y: place,
      width: element.cross.upperBound - element.cross.lowerBound, height: length
    ).inset(by: element.inset)
  }
}

extension SectionBoundary {
  /// Checks and completes the header, the footer and the list.
  ///
  /// - Parameter names: The kinds of the section's other elements.
  init(
    _ options: SectionOptions, _ names: inout KindNames, _ checks: OptionChecks
  ) throws(ConfigurationError) {
    var elements: [BoundaryElement] = []
    for (kind, edge, length, pins) in [
      (.header, .top, options.header, options.pinsHeader),
      (.footer, .bottom, options.footer, options.pinsFooter),
    ] as [(LayoutAttributes.SupplementaryKind, Edge, ContainerLength?, Bool?)] {
      let length = try checks.length(length, kind.rawValue, fractionFrom: OptionChecks.unit)
      guard let length, length > .zero else { continue }
      elements.append(
        BoundaryElement(
          kind: kind, edge: edge, isListed: false, length: length,
          cross: .zero..<checks.space.crossLength, inset: .zero, pins: pins ?? false, ownZIndex: 0))
    }
    let list = options.supplementary ?? []
    try ConfigurationError.limit(
      at: checks.path,
      Limits.check(list.count, in: 0...Limits.supplementaryMax, as: "supplementary"))
    for (index, element) in list.enumerated() {
      let path = checks.path + ["supplementary", "\(index)"]
      let own = OptionChecks(space: checks.space, path: path, hasRoom: checks.hasRoom)
      try names.add(.supplementary(element.kind), "supplementary.\(index)", at: path)
      elements.append(try own.boundary(element))
    }
    self.init(
      elements.filter { $0.edge == .top } + elements.filter { $0.edge == .bottom }.reversed())
  }
}

extension OptionChecks {
  /// Returns an element with its lengths in the container.
  fileprivate func boundary(
    _ element: SectionOptions.Supplementary
  ) throws(ConfigurationError) -> BoundaryElement {
    let unit = Self.unit
    let length = try length(element.length, "length", from: unit) ?? unit
    let whole = space.crossLength
    let across = try self.length(element.crossLength, "crossLength", from: unit) ?? whole
    let inset = try insets(element.inset, "inset")
    let places = [across - inset.left - inset.right, length - inset.top - inset.bottom]
    if hasRoom && (across > whole || places.contains { $0 < unit }) {
      throw ConfigurationError(
        .malformed(detail: "its inset leaves less than 1/64, or its crossLength is above \(whole)"),
        at: path)
    }
    let start =
      switch element.alignment {
      case .leading: Length.zero
      case .center: (whole - across).half
      case .trailing: whole - across
      }
    return BoundaryElement(
      kind: element.kind, edge: element.edge, isListed: true, length: length,
      cross: start..<(start + across), inset: inset, pins: element.pins, ownZIndex: element.zIndex)
  }
}
