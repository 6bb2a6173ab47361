import LayoutStore
import SumTree

extension ItemLeaf {
  /// Returns the index of the item with a key.
  func firstIndex(ofKey key: String) -> Int? {
    var key = key
    return key.withUTF8 { key in
      keyBytes.withUnsafeBytes { bytes in
        var start = 0
        for (index, end) in keyEnds.enumerated() {
          let candidate = UnsafeRawBufferPointer(rebasing: bytes[start..<Int(end)])
          start = Int(end)
          // Keys of neighbouring items mostly have the same beginning and different ends.
          guard candidate.count == key.count, candidate.last == key.last else { continue }
          if candidate.elementsEqual(UnsafeRawBufferPointer(key)) { return index }
        }
        return nil
      }
    }
  }
}

extension ItemLeaf: LabelledLeaf {
  func keyHash(at index: Int, _ hash: KeyedHash) -> UInt64 {
    keyBytes.withUnsafeBytes { bytes in
      hash.ofKey(UnsafeRawBufferPointer(rebasing: bytes[keyRange(at: index)]))
    }
  }
}
