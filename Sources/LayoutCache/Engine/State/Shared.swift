/// A value that the copies of a state have in common.
///
/// A state is copied several times with each commit. What seldom changes, and is made of
/// many strings and arrays, would cost a retain for each of them every time; so it costs
/// one.
@propertyWrapper
struct Shared<Value: Sendable>: Sendable {
  private final class Storage: Sendable {
    let value: Value

    init(_ value: Value) { self.value = value }
  }

  private var storage: Storage

  init(wrappedValue: Value) { storage = Storage(wrappedValue) }

  var wrappedValue: Value {
    get { storage.value }
    set { storage = Storage(newValue) }
  }
}
