/// A position in units of 1/64 point, origin top left, y down.
public struct UnitPoint: Hashable, Sendable {
  public var x: Int64
  public var y: Int64

  public init(x: Int64, y: Int64) {
    self.x = x
    self.y = y
  }
}
