#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

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
    #if canImport(Darwin)
      var actions: posix_spawn_file_actions_t?
    #else
      var actions = posix_spawn_file_actions_t()
    #endif
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    for descriptor in [STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO] {
      posix_spawn_file_actions_addopen(&actions, descriptor, "/dev/null", O_RDWR, 0)
    }
    var words: [UnsafeMutablePointer<CChar>?] = [strdup(program), strdup(address), nil]
    defer { for word in words { free(word) } }
    var process = pid_t()
    // Not waited for: it may run as long as the browser. It is reaped when this process ends.
    _ = posix_spawnp(&process, program, &actions, nil, &words, environ)
  }
}
