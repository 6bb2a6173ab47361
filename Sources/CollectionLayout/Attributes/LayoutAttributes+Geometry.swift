public import LayoutGeometry

extension LayoutAttributes {
  /// The element's rectangle in the layout's content as it is seen: without a
  /// transform ``untransformedFrame``, else the bounding box of that rectangle's
  /// transformed corners, its edges rounded to whole units, halves up.
  ///
  /// Setting it gives an element without a transform the rectangle. A transformed one
  /// keeps its size and is moved so that its centre is that of the rectangle; the box
  /// that is then read differs from the one set. (In UIKit the frame of a transformed
  /// element is undefined.)
  @inlinable
  public var frame: Rect {
    get { appearance == nil ? untransformedFrame : transformedFrame }
    set {
      if appearance == nil { untransformedFrame = newValue } else { moveFrame(to: newValue) }
    }
  }

  /// The middle of the element's rectangle, about which it is transformed; a middle
  /// between two units is given as the lesser one.
  ///
  /// Setting it moves the element. Setting it to what it is changes nothing.
  public var center: Point {
    get { untransformedFrame.center }
    set {
      untransformedFrame.origin = Point(
        x: newValue.x - size.width.half, y: newValue.y - size.height.half)
    }
  }

  /// The element's size before its transform. Setting it keeps ``center``.
  public var size: Size {
    get { untransformedFrame.size }
    set {
      let center = self.center
      untransformedFrame.size = newValue
      self.center = center
    }
  }

  /// The element's rectangle in its own coordinates: its size, at an origin that is
  /// always zero.
  ///
  /// Setting it sets the ``size``, and so keeps ``center``; the origin that is set
  /// has no meaning here and is passed over.
  public var bounds: Rect {
    get { Rect(origin: .zero, size: size) }
    set { size = newValue.size }
  }

  @usableFromInline
  var transformedFrame: Rect {
    let transform = transform3D
    return transform.isIdentity
      ? untransformedFrame : transform.boundingBox(of: untransformedFrame)
  }

  @usableFromInline
  mutating func moveFrame(to rect: Rect) {
    if transform3D.isIdentity { untransformedFrame = rect } else { center = rect.center }
  }
}

extension Rect {
  /// The rectangle's middle, rounded down to whole units.
  fileprivate var center: Point {
    Point(x: minX + size.width.half, y: minY + size.height.half)
  }
}
