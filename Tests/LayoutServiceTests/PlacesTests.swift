import Synchronization
import Testing

@testable import LayoutCacheService

/// Permits of transfers: the time that counts, and whose permit is lost.
@Suite struct PlacesTests {
  private final class Clock: Sendable {
    private let time = Mutex(ContinuousClock.now)
    func now() -> ContinuousClock.Instant { time.withLock { $0 } }
    func pass(_ seconds: Double) { time.withLock { $0 += .seconds(seconds) } }
  }

  private let clock = Clock()
  private let ended = Ended()

  private final class Ended: Sendable {
    private let names = Mutex<[String]>([])
    var all: [String] { names.withLock { $0 } }
    func add(_ name: String) { names.withLock { $0.append(name) } }
  }

  private func places(_ max: Int) -> Places {
    let clock = clock
    return Places(max: max, .busy, of: "exports") { clock.now() }
  }

  private func take(_ places: Places, _ client: String) -> Places.Place? {
    let ended = ended
    return try? places.take(for: client) { ended.add(client) }
  }

  @Test func theServicesOwnTimeDoesNotCount() throws {
    let places = places(1)
    let place = try #require(take(places, "a"))
    clock.pass(1_000)
    place.work.waits()
    clock.pass(5)
    place.work.moved(1)
    clock.pass(1_000)
    #expect(take(places, "b") == nil)
    withExtendedLifetime(place) {}
  }

  @Test func aClientAtItsLimitLosesOnlyItsOwnPermits() throws {
    let places = places(3)
    let held = try ["b", "a", "a"].map { try #require(take(places, $0)) }
    held[0].work.waits()
    clock.pass(20)
    #expect(take(places, "a") == nil)
    held[1].work.waits()
    clock.pass(20)
    #expect(take(places, "a") != nil && ended.all == ["a"])
    withExtendedLifetime(held) {}
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
