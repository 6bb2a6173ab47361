/// A value shared by the copies of a state.
///
/// A state is copied several times per commit. For a rarely changed value with many strings and
/// arrays, each copy would retain each of them; in shared storage it takes one retain.
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
