#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// The reason why a service cannot listen at its address.
public struct ServiceListenError: Error, Hashable, Sendable {
  @nonexhaustive
  public enum Reason: Hashable, Sendable {
    /// Another process, or another service of this process, listens there.
    case addressInUse
    /// No interface of this machine has the address.
    case addressNotAvailable
    /// The process may not use the port, such as one below 1024.
    case permissionDenied
  }

  public let host: String
  public let port: Int
  public let reason: Reason

  /// Creates the error for an error number of `bind`; `nil` for another number.
  init?(_ code: Int32, host: String, port: Int) {
    switch code {
    case EADDRINUSE: reason = .addressInUse
    case EADDRNOTAVAIL: reason = .addressNotAvailable
    case EACCES, EPERM: reason = .permissionDenied
    default: return nil
    }
    (self.host, self.port) = (host, port)
  }
}

extension ServiceListenError: CustomStringConvertible {
  /// The reason in one clause.
  public var description: String {
    switch reason {
    case .addressInUse: "port \(port) of \(host) is in use"
    case .addressNotAvailable: "\(host) is not an address of this machine"
    case .permissionDenied: "port \(port) of \(host) needs more rights"
    }
  }
}
