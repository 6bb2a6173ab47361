import DemoSample
import LayoutCache
import TextFormats

extension Demo {
  /// Imports the bundled sample, replacing the dataset's contents.
  static func importSample(into cache: LayoutCache) throws -> ItemImport.Outcome {
    let work = ItemImport(
      dataset: dataset, mode: .replace, format: .csv,
      fields: FieldNames(
        key: "accession", section: .required("year"),
        data: .members(["title", "artist", "classification"])),
      invalidRows: .skip)
    var sample: UnsafeRawBufferPointer? = UnsafeRawBufferPointer(
      start: demo_sample_bytes(), count: demo_sample_count())
    return try work.run(into: cache, from: "the bundled sample") { body in
      guard let bytes = sample else { return false }
      sample = nil
      try body(bytes)
      return true
    }
  }
}
