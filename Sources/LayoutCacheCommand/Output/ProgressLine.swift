/// One line on a terminal that says how far a long piece of work has come.
///
/// Nothing is shown in the first half second, nor where standard error is no
/// terminal.
struct ProgressLine {
  private static let delay = Duration.milliseconds(500)
  private static let interval = Duration.milliseconds(100)

  private let title: String
  private let clock = ContinuousClock()
  private var nextShown: ContinuousClock.Instant
  private var isShown = false

  init(_ title: String) {
    self.title = title
    nextShown = clock.now + Self.delay
  }

  /// Shows how many bytes have been read.
  ///
  /// - Parameter total: The bytes of the whole, where that is known.
  mutating func show(bytesRead: Int, of total: Int?) {
    guard StandardError.isTerminal else { return }
    let now = clock.now
    guard now >= nextShown else { return }
    nextShown = now + Self.interval
    var line = "\(title): \(megabytes(bytesRead)) MB"
    if let total, total > 0 {
      let percent = min(100, bytesRead * 100 / total)
      let bar = String(repeating: "#", count: percent / 5)
      let rest = String(repeating: ".", count: 20 - percent / 5)
      line =
        "\(title): [\(bar)\(rest)] \(percent) %, \(megabytes(bytesRead)) of \(megabytes(total)) MB"
    }
    replaceLine(with: line)
  }

  /// Shows that the last part of the work has begun.
  mutating func show(stage: String) {
    guard isShown || (StandardError.isTerminal && clock.now >= nextShown) else { return }
    replaceLine(with: "\(title): \(stage)")
  }

  /// Takes the line away.
  mutating func clear() {
    guard isShown else { return }
    StandardError.write("\r\u{1B}[K")
    isShown = false
  }

  private mutating func replaceLine(with text: String) {
    StandardError.write("\r\u{1B}[K\(text)")
    isShown = true
  }

  private func megabytes(_ bytes: Int) -> String {
    "\(bytes / 1_000_000).\(bytes / 100_000 % 10)"
  }
}
