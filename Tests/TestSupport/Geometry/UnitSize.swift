/// A size in units of 1/64 point.
public struct UnitSize: Hashable, Sendable {
  public var width: Int64
  public var height: Int64

  public init(width: Int64, height: Int64) {
    self.width = width
    self.height = height
  }
}
