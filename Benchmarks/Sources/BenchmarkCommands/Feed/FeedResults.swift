import Foundation

/// The figures of a feed as printed by `--json`, by this build or another one.
struct FeedResults: Decodable {
  struct Size: Decodable {
    var items: Int
    var rows: [Row]
    var file: File
  }

  struct File: Decodable {
    var bytesPerItem: Double
    var layoutBytesPerItem: Double
    var editedBytesPerItem: Double
  }

  struct Row: Decodable {
    var row: String
    var median: Double
    var p99: Double
    var mean: Double
    var baselines: [Baseline]

    var operation: BenchOperation? { BenchOperation(rawValue: row) }

    func baseline(_ baseline: BenchBaseline) -> Baseline? {
      baselines.first { $0.baseline == baseline.rawValue }
    }
  }

  struct Baseline: Decodable {
    var baseline: String
    var median: Double
    var mean: Double
  }

  var sizes: [Size]
  var edits: Int
  // Earlier builds do not report these.
  var processor: String?
  var processors: Int?
  var memoryBytes: Int?
  var sqlite: String?
  var swift: String?
  var commit: String?
  var date: String?

  /// - Throws: ``Failure`` for other JSON.
  init(json: String, from source: String) throws {
    do {
      self = try JSONDecoder().decode(Self.self, from: Data(json.utf8))
    } catch {
      throw Failure(.internalError, "\(source) has no figures of a feed: \(error)")
    }
  }

  func row(_ operation: BenchOperation, items: Int) -> Row? {
    sizes.first { $0.items == items }?.rows.first { $0.row == operation.rawValue }
  }
}
