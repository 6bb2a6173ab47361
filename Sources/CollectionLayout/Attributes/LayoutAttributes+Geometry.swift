public import LayoutGeometry

extension LayoutAttributes {
  /// The element's visible rectangle in the layout's content: without a transform
  /// ``untransformedFrame``, else the bounding box of that rectangle's transformed corners,
  /// with edges rounded to whole units, halves up.
  ///
  /// Setting it gives the rectangle to an element without a transform. A transformed element
  /// keeps its size and moves so that its centre is the rectangle's centre; the box read
  /// afterwards then differs from the one set. (In UIKit the frame of a transformed element is
  /// undefined.)
  @inlinable
  public var frame: Rect {
    get { appearance == nil ? untransformedFrame : transformedFrame }
    set {
      if appearance == nil { untransformedFrame = newValue } else { moveFrame(to: newValue) }
    }
  }

  /// The centre of the element's rectangle, about which it is transformed; rounded down to
  /// whole units.
  ///
  /// Setting it moves the element. Setting it to its current value changes nothing.
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

  /// The element's rectangle in its own coordinate system: its size, at the origin zero.
  ///
  /// Setting it sets the ``size``, and so keeps ``center``; the new origin is ignored.
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
  /// The rectangle's centre, rounded down to whole units.
  fileprivate var center: Point {
    Point(x: minX + size.width.half, y: minY + size.height.half)
  }
}
