import Foundation
import TestSupport
import Testing

@testable import TextFormats

struct InflaterTests {
  /// A megabyte that expands to a gigabyte is processed in small pieces.
  @Test func compressedFileIsNeverInMemoryAsAWhole() throws {
    let place = try Workplace()
    #expect(try place.shell("head -c 64000000 /dev/zero | gzip > zeros.gz").exitCode == 0)
    let data = try Data(contentsOf: URL(fileURLWithPath: place.folder.path(of: "zeros.gz")))
    for size in [1, 7, 4096, data.count] {
      let inflater = Inflater()
      var (total, largest) = (0, 0)
      for start in stride(from: 0, to: data.count, by: size) {
        try Data(data[start..<min(start + size, data.count)]).withUnsafeBytes { piece in
          _ = try inflater.inflate(piece) {
            total += $0.count
            largest = max(largest, $0.count)
          }
        }
      }
      try inflater.finish()
      #expect(total == 64_000_000)
      #expect(largest <= 1 << 18)
    }
  }
}
