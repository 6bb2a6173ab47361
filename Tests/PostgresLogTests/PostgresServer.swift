import Foundation
import TestSupport

@testable import PostgresLog

/// A PostgreSQL server for the tests, in a temporary folder, on a free port.
///
/// It ends with the process, however that ends: a shell runs it, waits for the end of a pipe,
/// and deletes the folder unless told to keep it.
final class PostgresServer: @unchecked Sendable {
  let port: Int
  let data: String
  private let folder: TemporaryDirectory
  private var keeper: ChildProcess?
  private var lifeline: Int32 = 0
  /// The ID of the postmaster process.
  private(set) var process: pid_t = 0

  /// - Parameter makeData: Creates the data folder at a path.
  private init(_ makeData: (String) throws -> Void) throws {
    folder = try TemporaryDirectory()
    // PostgreSQL does not run as root, and must access files of another user.
    chmod(folder.path, 0o777)
    data = folder.path(of: "data")
    port = try Self.freePort()
    try makeData(data)
    try start()
  }

  deinit { stop() }

  /// Creates a server with an empty database.
  convenience init() throws {
    try self.init { data in
      try Self.run([
        "initdb", "-D", data, "-U", "postgres", "-A", "trust", "-E", "UTF8",
        "--locale=C", "--no-sync", "--no-instructions",
      ])
    }
  }

  /// The server shared by tests that need only one.
  static let shared = Result { try PostgresServer() }

  /// Creates a standby of this server, named `standby`, that follows it.
  func standby() throws -> PostgresServer {
    try PostgresServer { data in
      try Self.run([
        "pg_basebackup", "-D", data, "--checkpoint=fast", "--no-sync", "--write-recovery-conf",
        "-d", "host=127.0.0.1 port=\(port) user=postgres application_name=standby",
      ])
    }
  }

  // MARK: Starting and stopping

  /// - Parameter settings: Additional arguments for the server.
  func start(_ settings: [String] = []) throws {
    let arguments = Self.asServer(
      [
        "postgres", "-D", data, "-p", "\(port)", "-c", "listen_addresses=127.0.0.1",
        "-c", "unix_socket_directories=", "-c", "fsync=off", "-c", "shared_buffers=16MB",
        "-c", "max_connections=60", "-c", "wal_sender_timeout=2s",
        "-c", "wal_receiver_status_interval=1s", "-c", "wal_retrieve_retry_interval=200ms",
      ] + settings)
    let keeper = """
      folder=$1; shift
      "$@" >>"$folder/log" 2>&1 &
      echo $!; read keep; kill -QUIT $! 2>/dev/null; wait
      [ "$keep" ] || rm -rf "$folder"
      """
    let input = try ChildProcess.pipe()
    let output = try ChildProcess.pipe()
    self.keeper = try ChildProcess(
      ["/bin/sh", "-c", keeper, "sh", folder.path] + arguments, input: input.reading,
      output: output.writing)
    close(input.reading)
    close(output.writing)
    lifeline = input.writing
    var line = [UInt8](repeating: 0, count: 20)
    let count = read(output.reading, &line, line.count)
    close(output.reading)
    process = pid_t(String(decoding: line.prefix(max(count - 1, 0)), as: UTF8.self)) ?? 0
    guard process > 0 else { throw Failure(description: "the server has no process ID") }
    do {
      try waitUntil("the server answers") { try runs("SELECT 1") }
    } catch {
      // The failure counts, also if the log cannot be read.
      let log = (try? String(contentsOfFile: folder.path(of: "log"), encoding: .utf8)) ?? ""
      throw Failure(description: "\(error)\n\(log.suffix(4000))")
    }
  }

  /// Ends the server, by default like a failing machine.
  func stop(_ signal: Int32 = SIGQUIT) {
    guard let keeper, process > 0 else { return }
    kill(process, SIGCONT)
    kill(process, signal)
    // The folder is deleted with this object.
    _ = write(lifeline, "keep\n", 5)
    close(lifeline)
    keeper.wait()
    self.keeper = nil
    process = 0
  }

  /// Promotes a standby to primary.
  func promote() throws {
    try Self.run(["pg_ctl", "promote", "-w", "-t", "30", "-D", data])
  }

  /// Returns the child processes whose title contains a word.
  func children(_ word: String) -> [pid_t] {
    let all = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
    return all.compactMap { pid_t($0) }.filter { child in
      let status = (try? String(contentsOfFile: "/proc/\(child)/stat", encoding: .utf8)) ?? ""
      let title = (try? String(contentsOfFile: "/proc/\(child)/cmdline", encoding: .utf8)) ?? ""
      // The name in parentheses is followed by the state and the parent.
      let parent = status.split(separator: ")").last?.split(separator: " ").dropFirst().first
      return parent == "\(process)" && title.contains(word)
    }
  }

  // MARK: Connections

  func url(_ database: String = "postgres") -> String {
    "postgresql://postgres@127.0.0.1:\(port)/\(database)"
  }

  /// Returns whether psql, which also connects to standbys, runs a statement without an error.
  @discardableResult
  func runs(_ sql: String) throws -> Bool {
    try Self.status(["psql", "-X", "-q", "-d", url(), "-v", "ON_ERROR_STOP=1", "-c", sql]) == 0
  }

  /// Returns a separate connection to the primary.
  func connection(
    _ database: String = "postgres", deadline: Double = 10
  ) throws -> PostgresConnection {
    let target = try PostgresTarget(url: url(database), statementTimeout: 10)
    return try PostgresConnection(target.hosts[0], connectDeadline: 10, deadline: deadline)
  }

  /// Creates a database.
  ///
  /// - Returns: Its name.
  func freshDatabase() throws -> String {
    let name = "d" + UUID().uuidString.lowercased().filter { $0 != "-" }
    try connection().execute("CREATE DATABASE \(name)")
    return name
  }

  // MARK: Programs

  /// The folder of PostgreSQL's programs; `nil` if it is not installed.
  static let programs: String? = {
    let places =
      (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":").map(String.init)
      + ((try? FileManager.default.contentsOfDirectory(atPath: "/usr/lib/postgresql")) ?? [])
      .sorted { $0.compare($1, options: .numeric) == .orderedDescending }
      .map { "/usr/lib/postgresql/\($0)/bin" }
    return places.first { place in
      ["initdb", "postgres", "pg_basebackup", "pg_ctl"].allSatisfy {
        FileManager.default.isExecutableFile(atPath: "\(place)/\($0)")
      }
    }
  }()

  /// Returns the arguments that run a PostgreSQL program as a user other than root.
  private static func asServer(_ words: [String]) -> [String] {
    let program = [programs.map { "\($0)/\(words[0])" } ?? words[0]] + words.dropFirst()
    // Runs in a folder that all users can read; the shell is replaced by the program.
    let fromRoot = ["/bin/sh", "-c", "cd / && exec \"$@\"", "sh"]
    guard geteuid() == 0 else { return fromRoot + program }
    return fromRoot + ["setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups"]
      + program
  }

  struct Failure: Error, CustomStringConvertible {
    let description: String
  }

  private static func run(_ words: [String]) throws {
    let status = try status(words)
    if status != 0 { throw Failure(description: "\(words[0]) ends with \(status)") }
  }

  private static func status(_ words: [String]) throws -> Int32 {
    try ChildProcess(asServer(words)).wait()
  }

  /// Returns a port below the ephemeral range, so that no other test is given it in the meantime.
  private static func freePort() throws -> Int {
    for _ in 0..<1000 {
      let port = UInt16.random(in: 20_000..<32_000)
      // A server that another test starts now would inherit the socket, and keep the port.
      let socket = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
      defer { close(socket) }
      var address = sockaddr_in()
      address.sin_family = sa_family_t(AF_INET)
      address.sin_port = port.bigEndian
      address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
      let isFree = withUnsafePointer(to: &address) { address in
        address.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
          bind(socket, address, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
        }
      }
      if isFree { return Int(port) }
    }
    throw Failure(description: "there is no free port")
  }
}

/// Waits until a condition holds, for a number of seconds.
func waitUntil(
  _ what: String, seconds: Double = 60, _ condition: () throws -> Bool
) throws {
  let end = Date().addingTimeInterval(seconds)
  while try !condition() {
    if Date() > end { throw PostgresServer.Failure(description: "not in time: \(what)") }
    usleep(20_000)
  }
}
