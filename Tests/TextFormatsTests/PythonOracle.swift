import Foundation

/// Python's readers, used as a reference for the meaning of texts.
enum PythonOracle {
  /// Python's reading of one CSV text.
  struct Rows: Decodable {
    /// The rows before the error, if any, without empty lines.
    var rows: [[String]]
    var isAccepted: Bool
  }

  /// Python's reading of one line as JSON.
  struct Line: Decodable {
    /// Whether it is JSON that strings and doubles can hold.
    var isAccepted: Bool
    /// For an object with a string or a whole number under `key`: its text as written.
    var key: String?
    /// For an object with a number under `width`: its hexadecimal notation.
    var width: String?
  }

  static let isAvailable: Bool = {
    (try? run("", input: Data())) != nil
  }()

  static func rows(of texts: [String]) throws -> [Rows] {
    try JSONDecoder().decode([Rows].self, from: run(csvScript, input: JSONEncoder().encode(texts)))
  }

  static func lines(_ lines: [String]) throws -> [Line] {
    try JSONDecoder().decode([Line].self, from: run(jsonScript, input: JSONEncoder().encode(lines)))
  }

  private static let csvScript = """
    import csv, io, json, sys
    results = []
    for text in json.load(sys.stdin):
        rows, accepted = [], True
        try:
            for row in csv.reader(io.StringIO(text, newline=''), strict=True):
                if row: rows.append(row)
        except csv.Error:
            accepted = False
        results.append({'rows': rows, 'isAccepted': accepted})
    json.dump(results, sys.stdout)
    """

  private static let jsonScript = """
    import json, sys
    def refuse(text): raise ValueError(text)
    class Whole(int): pass
    class Zero(float): pass
    def integer(text):
        number = Zero(-0.0) if text == '-0' else Whole(text)
        number.text = text
        return number
    def members(pairs):
        # Here, because lone surrogates in overwritten members vanish later.
        json.dumps(pairs, ensure_ascii=False).encode()
        return dict(pairs)
    results = []
    for line in json.load(sys.stdin):
        result = {'isAccepted': False}
        try:
            value = json.loads(
                line, parse_constant=refuse, parse_int=integer, object_pairs_hook=members)
            json.dumps(value, ensure_ascii=False).encode()
            result['isAccepted'] = True
            if isinstance(value, dict):
                key, width = value.get('key'), value.get('width')
                if isinstance(key, str): result['key'] = key
                if hasattr(key, 'text'): result['key'] = key.text
                if type(width) in (Whole, Zero, float): result['width'] = float(width).hex()
        except (ValueError, OverflowError, RecursionError):
            pass
        results.append(result)
    json.dump(results, sys.stdout)
    """

  /// Runs a script; the input goes through a file because a pipe could fill up.
  private static func run(_ script: String, input: Data) throws -> Data {
    let file = FileManager.default.temporaryDirectory
      .appendingPathComponent("TextFormatsTests-\(UUID().uuidString)")
    try input.write(to: file)
    defer { try? FileManager.default.removeItem(at: file) }
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = ["python3", "-X", "utf8", "-c", script]
    process.standardInput = try FileHandle(forReadingFrom: file)
    let output = Pipe()
    process.standardOutput = output
    try process.run()
    let data = try output.fileHandleForReading.readToEnd() ?? Data()
    process.waitUntilExit()
    guard process.terminationStatus == 0 else { throw Failure(status: process.terminationStatus) }
    return data
  }

  struct Failure: Error {
    var status: Int32
  }
}
