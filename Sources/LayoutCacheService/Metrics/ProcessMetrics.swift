#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// The process as Linux describes it, under the names that Prometheus' own clients use. A system
/// without `/proc` has none of these metrics.
///
/// Source: proc(5); https://prometheus.io/docs/instrumenting/writing_clientlibs/, "Process
/// metrics".
struct ProcessMetrics {
  private let cpuSeconds: Double
  private let residentBytes: Int
  private let virtualBytes: Int
  private let startSeconds: Double?

  /// - Returns: `nil` without `/proc`.
  init?() {
    // The second field is the program's name in parentheses, which may contain anything.
    guard let text = contents(of: "/proc/self/stat"), let name = text.lastIndex(of: ")") else {
      return nil
    }
    // The first of these is the third field.
    let fields = text[name...].dropFirst(2).split(separator: " ")
    func field(_ number: Int) -> Int? {
      fields.indices.contains(number - 3) ? Int(fields[number - 3]) : nil
    }
    guard let user = field(14), let system = field(15), let start = field(22),
      let virtual = field(23), let resident = field(24)
    else { return nil }
    let ticks = Double(max(1, sysconf(Int32(_SC_CLK_TCK))))
    cpuSeconds = Double(user + system) / ticks
    virtualBytes = virtual
    residentBytes = resident * sysconf(Int32(_SC_PAGESIZE))
    startSeconds = Self.bootSeconds.map { Double($0) + Double(start) / ticks }
  }

  func write(to text: inout PrometheusText) {
    text.add(
      "process_cpu_seconds_total", .counter, cpuSeconds, "User and system CPU time in seconds.")
    text.add("process_resident_memory_bytes", .gauge, residentBytes, "Resident memory in bytes.")
    text.add("process_virtual_memory_bytes", .gauge, virtualBytes, "Virtual memory in bytes.")
    text.add(
      "process_start_time_seconds", .gauge, startSeconds,
      "Start of the process in seconds since 1970.")
    text.add("process_open_fds", .gauge, Self.openFileCount(), "Open file descriptors.")
    text.add("process_max_fds", .gauge, Self.fileCountMax, "Limit of open file descriptors.")
  }

  /// The time at which the machine was started, in seconds since 1970.
  private static let bootSeconds: Int? = {
    for line in (contents(of: "/proc/stat") ?? "").split(separator: "\n") {
      let words = line.split(separator: " ")
      if words.first == "btime", words.count == 2 { return Int(words[1]) }
    }
    return nil
  }()

  /// The limit of open file descriptors; `nil` without one.
  static var fileCountMax: Int? {
    let count = sysconf(Int32(_SC_OPEN_MAX))
    return count > 0 ? count : nil
  }

  static func openFileCount() -> Int? {
    guard let folder = opendir("/proc/self/fd") else { return nil }
    defer { closedir(folder) }
    var count = 0
    while readdir(folder) != nil { count += 1 }
    // Without the names of the folder and its parent, and the descriptor that reads it.
    return max(0, count - 3)
  }
}

/// Returns the text of a file that the system generates; `nil` if it cannot be read.
private func contents(of path: String) -> String? {
  let descriptor = open(path, O_RDONLY | O_CLOEXEC)
  guard descriptor >= 0 else { return nil }
  defer { close(descriptor) }
  var text: [UInt8] = []
  var piece = [UInt8](repeating: 0, count: 4096)
  while true {
    let count = read(descriptor, &piece, piece.count)
    if count < 0, errno == EINTR { continue }
    guard count >= 0 else { return nil }
    if count == 0 { return String(decoding: text, as: UTF8.self) }
    text += piece[..<count]
  }
}
