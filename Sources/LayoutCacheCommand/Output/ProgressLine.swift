import Dispatch
import Synchronization

/// The one line on a terminal that says how far a long command has come.
///
/// Nothing is shown in the first half second, nor where standard error is no terminal. A thread of
/// its own draws the line several times a second, so that work which reports nothing shows its time
/// at least, and the line fits a terminal whose size has changed.
enum ProgressLine {
  private static let delay = Duration.milliseconds(500)
  private static let interval = DispatchTimeInterval.milliseconds(200)

  private struct State {
    var title = ""
    var stage = ""
    /// How much is done, of how much, where that is known.
    var part: (done: Int, of: Int)?
    var begin = ContinuousClock.now
    var isActive = false
    var isShown = false
  }

  private static let state = Mutex(State())

  /// Begins a command's work.
  ///
  /// - Parameter title: The subcommand.
  static func begin(_ title: String) {
    guard StandardError.isTerminal else { return }
    state.withLock { state in
      state.title = title
      state.begin = .now
      state.isActive = true
    }
    tick()
  }

  /// Says which part of the work is being done, and how far it is.
  static func show(stage: String, part: (done: Int, of: Int)? = nil) {
    state.withLock { state in
      state.stage = stage
      state.part = part
    }
  }

  /// Says how many bytes have been read.
  ///
  /// - Parameter total: The bytes of the whole, where that is known.
  static func show(bytesRead: Int, of total: Int?) {
    guard StandardError.isTerminal else { return }
    if let total, total > 0 {
      let text = "\(megabytes(bytesRead)) of \(megabytes(total)) MB"
      show(stage: text, part: (done: min(bytesRead, total), of: total))
    } else {
      show(stage: "\(megabytes(bytesRead)) MB")
    }
  }

  /// Takes the line away for a message; it comes back while there is work.
  static func clear() {
    state.withLock { clear(&$0) }
  }

  /// Takes the line away for good: an answer follows, or an error.
  static func end() {
    state.withLock { state in
      state.isActive = false
      clear(&state)
    }
  }

  private static func clear(_ state: inout State) {
    guard state.isShown else { return }
    StandardError.writeUnguarded("\r\u{1B}[K")
    state.isShown = false
  }

  private static func tick() {
    let goesOn = state.withLock { state in
      guard state.isActive else { return false }
      if state.begin.duration(to: .now) >= delay { draw(&state) }
      return true
    }
    guard goesOn else { return }
    DispatchQueue.global().asyncAfter(deadline: .now() + interval) { tick() }
  }

  private static func draw(_ state: inout State) {
    var line = "\(state.title): "
    if let part = state.part, part.of > 0 {
      let percent = part.done * 100 / part.of
      let bar = String(repeating: "#", count: percent / 5)
      line += "[\(bar)\(String(repeating: ".", count: 20 - percent / 5))] \(percent) %, "
    }
    if !state.stage.isEmpty { line += state.stage + ", " }
    line += "\(state.begin.duration(to: .now).components.seconds) s"
    // A line as wide as the terminal would wrap on some.
    let room = Terminal.errorColumns - 1
    StandardError.writeUnguarded("\r\u{1B}[K\(cut(line, toColumns: room))")
    state.isShown = true
  }

  private static func megabytes(_ bytes: Int) -> String {
    "\(bytes / 1_000_000).\(bytes / 100_000 % 10)"
  }
}
