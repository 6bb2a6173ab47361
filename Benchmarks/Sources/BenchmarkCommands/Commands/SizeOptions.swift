import ArgumentParser
import Foundation

/// The options of a benchmark that measures several numbers of items.
struct SizeOptions: ParsableArguments {
  @Flag(help: "Print JSON instead of tables")
  var json = false

  @Option(
    parsing: .unconditionalSingleValue,
    help: ArgumentHelp(
      "The numbers of items, separated by commas; may repeat", valueName: "n,..."),
    transform: ItemCounts.init)
  var items: [ItemCounts] = []

  @Option(
    help: ArgumentHelp(
      "The folder for the databases (default: the system's temporary folder)", valueName: "path"))
  var directory: String?

  func validate() throws {
    if directory == "" { throw ValidationError("--directory is empty; name a folder") }
  }

  /// Measures each size in a separate folder, and prints it.
  ///
  /// - Parameters:
  ///   - counts: The default numbers of items.
  ///   - measure: Measures one size. Its arguments are the number of items, the folder, and the
  ///     function that announces the next step.
  func run<Size>(
    default counts: [Int],
    _ measure: (Int, BenchFolder, @escaping (String) throws -> Void) throws -> Size,
    text: (Size) -> String, json encoded: ([Size]) -> JSONValue
  ) throws {
    let interruption = Interruption()
    defer { interruption.end() }
    let folder = try BenchFolder(in: directory ?? NSTemporaryDirectory())
    defer { folder.remove() }
    let progress = ProgressLine()
    defer { progress.clear() }
    let sizes = try (items.isEmpty ? counts : items.flatMap(\.counts)).map { count in
      let size = try measure(count, folder) { stage in
        try interruption.check()
        progress.show("\(plural(count, "item")), \(stage)")
      }
      progress.clear()
      if !json { try StandardOutput.write(text(size)) }
      return size
    }
    try StandardOutput.write(
      json ? encoded(sizes).encoded + "\n" : TextStyle.note(Machine.text) + "\n")
  }
}
