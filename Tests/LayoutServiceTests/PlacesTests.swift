import Synchronization
import Testing

@testable import LayoutCacheService

/// Permits of transfers, and the pace that their clients must keep.
@Suite struct PlacesTests {
  private final class Clock: Sendable {
    private let time = Mutex(ContinuousClock.now)
    func now() -> ContinuousClock.Instant { time.withLock { $0 } }
    func pass(_ seconds: Double) { time.withLock { $0 += .seconds(seconds) } }
  }

  private let clock = Clock()
  private static let rateMin = ServiceTimeouts().transferRateMin

  private func pace() -> TransferPace {
    TransferPace(ServiceTimeouts()) { [clock] in clock.now() }
  }

  /// Moves bytes at a multiple of the minimum rate; returns whether the client has been too slow.
  private func move(_ pace: TransferPace, seconds: Int, _ multiple: Double) -> Bool {
    for _ in 0..<seconds {
      pace.waits()
      clock.pass(1)
      pace.moved(Int(Double(Self.rateMin) * multiple))
    }
    return pace.isSlow
  }

  @Test func theServicesOwnTimeDoesNotCount() {
    let pace = pace()
    clock.pass(1_000)
    pace.waits()
    clock.pass(5)
    pace.moved(1)
    clock.pass(1_000)
    #expect(!pace.isSlow)
    pace.waits()
    clock.pass(6)
    #expect(pace.isSlow)
  }

  @Test func theRateIsMeasuredOverTenSeconds() {
    #expect(!move(pace(), seconds: 100, 1))
    #expect(!move(pace(), seconds: 9, 0))
    #expect(move(pace(), seconds: 10, 0.99))
    let pace = pace()
    #expect(!move(pace, seconds: 100, 50))
    // An earlier rate is no credit.
    #expect(move(pace, seconds: 20, 0.5))
  }

  @Test(arguments: [
    ("10.1.2.3", "10.1.2.3", true), ("10.1.2.3", "10.1.2.4", false),
    ("10.1.2.3", "::ffff:10.1.2.3", true), ("10.1.2.3", "10.1.2.3:8080", true),
    ("2001:db8:1:2::3", "2001:db8:1:2:9:9:9:9", true),
    ("2001:db8:1:2::3", "2001:db8:1:3::3", false),
    ("2001:db8:1:2::3", "[2001:db8:1:2::4]:443", true),
  ])
  func clientsAreCountedByNetwork(one: String, other: String, isSame: Bool) throws {
    let (one, other) = (try #require(ClientAddress(one)), try #require(ClientAddress(other)))
    #expect((one.network == other.network) == isSame)
  }

  @Test(arguments: ["", "unknown", "_hidden", "10.1.2", "proxy.example", "10.1.2.3, 10.1.2.4"])
  func textsThatAreNoAddressesAreNoClients(text: String) {
    #expect(ClientAddress(text) == nil)
    var configuration = ServiceConfiguration()
    configuration.trustedProxies = [text]
    #expect(throws: ServiceConfigurationError.invalidProxy(text)) { try configuration.validate() }
  }
}
