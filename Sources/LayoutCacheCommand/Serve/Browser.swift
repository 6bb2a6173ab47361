/// The user's web browser.
enum Browser {
  #if canImport(Darwin)
    private static let program: String? = "open"
  #else
    /// Only with a display: without one it might start a browser in the terminal.
    private static var program: String? {
      let variables = ["DISPLAY", "WAYLAND_DISPLAY"]
      return variables.contains { environmentVariable($0)?.isEmpty == false } ? "xdg-open" : nil
    }
  #endif

  /// Opens an address, if there is a display and a program for it. Failures are ignored: the
  /// user can open the printed address.
  static func open(_ address: String) {
    guard let program else { return }
    // Not waited for: it may run as long as the browser. It is reaped when this process ends.
    _ = try? startProgram([program, address])
  }
}
