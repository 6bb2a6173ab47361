import ArgumentParser
import LayoutCache

// Shell completions read the names from the database on the command line. Errors are ignored: a
// message would appear in the middle of the user's input.

extension CompletionKind {
  /// Completes the datasets of the database.
  static let datasets = custom { words, _, prefix in
    names(words, prefix) { try $0.datasetNames(prefix: prefix) }
  }

  /// Completes the layouts of the named dataset, or of all datasets.
  static let layouts = custom { words, _, prefix in
    names(words, prefix) { cache in
      let dataset = value(of: "--dataset", in: words) ?? environmentVariable(DatasetOption.variable)
      let datasets = try dataset.map { [$0] } ?? cache.datasetNames()
      return Set(try datasets.flatMap { try cache.layoutNames(of: $0) }).sorted()
    }
  }

  private static func names(
    _ words: [String], _ prefix: String, _ names: (LayoutCache) throws -> [String]
  ) -> [String] {
    var options = LayoutCacheOptions()
    options.createsFile = false
    options.busyTimeout = 0.1
    let path = DatabaseOptions.path(stated: value(of: "--database", in: words))
    guard let cache = try? LayoutCache(path: path, options: options) else { return [] }
    defer { try? cache.close() }
    return ((try? names(cache)) ?? []).filter { $0.hasPrefix(prefix) }
  }

  /// Returns the value of an option on the partial command line.
  private static func value(of option: String, in words: [String]) -> String? {
    if let index = words.lastIndex(of: option), index + 1 < words.count, words[index + 1] != "" {
      return words[index + 1]
    }
    return words.last { $0.hasPrefix(option + "=") }.map { String($0.dropFirst(option.count + 1)) }
  }
}
