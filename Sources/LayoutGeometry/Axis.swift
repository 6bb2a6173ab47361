/// An axis of the plane.
public enum Axis: String, Hashable, Sendable, Codable, CaseIterable {
  case horizontal
  case vertical
}
