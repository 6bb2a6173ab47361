import Dispatch
import Synchronization

/// The progress line of a long command on a terminal.
///
/// Nothing is shown in the first half second, nor if standard error is not a terminal. A
/// separate thread redraws the line several times a second, so that it shows the elapsed time
/// even for work that reports nothing, and adapts to a resized terminal.
enum ProgressLine {
  private static let delay = Duration.milliseconds(500)
  private static let interval = DispatchTimeInterval.milliseconds(200)

  private struct State {
    var title = ""
    var stage = ""
    /// The completed part and the total, if known.
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

  /// Shows the current stage and its progress.
  static func show(stage: String, part: (done: Int, of: Int)? = nil) {
    state.withLock { state in
      state.stage = stage
      state.part = part
    }
  }

  /// Shows the number of bytes read.
  ///
  /// - Parameter total: The total number of bytes, if known.
  static func show(bytesRead: Int, of total: Int?) {
    guard StandardError.isTerminal else { return }
    if let total, total > 0 {
      let text = "\(megabytes(bytesRead)) of \(megabytes(total)) MB"
      show(stage: text, part: (done: min(bytesRead, total), of: total))
    } else {
      show(stage: "\(megabytes(bytesRead)) MB")
    }
  }

  /// Clears the line for a message. It is redrawn while work continues.
  static func clear() { state.withLock { clear(&$0) } }

  /// Clears the line for good, before an answer or an error.
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
    // On some terminals a line of the full width would wrap.
    let room = Terminal.errorColumns - 1
    StandardError.writeUnguarded("\r\u{1B}[K\(cut(line, toColumns: room))")
    state.isShown = true
  }

  private static func megabytes(_ bytes: Int) -> String {
    "\(bytes / 1_000_000).\(bytes / 100_000 % 10)"
  }
}
