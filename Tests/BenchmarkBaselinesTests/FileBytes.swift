import Foundation

/// The size of a file; `nil` where there is none.
func fileBytes(_ path: String) -> Int? {
  let attributes = try? FileManager.default.attributesOfItem(atPath: path)
  return attributes?[.size] as? Int
}
