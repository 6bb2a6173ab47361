import CollectionLayout
import LayoutGeometry
import LayoutStore
import SumTree

/// Runs `body` and turns the errors of the modules below into the library's own,
/// once; errors of the caller's closures pass unchanged.
func classified<R>(_ path: String, _ body: () throws -> R) throws -> R {
  do {
    return try body()
  } catch let error as LimitError {
    throw LayoutCacheError(.limit(error))
  } catch let error as ConfigurationError {
    throw LayoutCacheError(.configuration(error))
  } catch let error as StoreError {
    switch error.code {
    case .closed: throw LayoutCacheError(.closed(path: error.path))
    case .inUse: throw LayoutCacheError(.inUse(path: error.path))
    default: throw LayoutCacheError(.database(error.category, message: error.description))
    }
  } catch let error as TreeError {
    throw LayoutCacheError(.database(.corrupt, message: "\(path) is damaged: \(error)"))
  } catch let error as ByteError {
    throw LayoutCacheError(.database(.corrupt, message: "\(path) is damaged: \(error)"))
  }
}

extension LayoutCacheError {
  /// The error of a stored layout that contradicts itself, where it can't be laid
  /// out anew.
  static func damaged(_ layout: LayoutID, _ detail: String) -> LayoutCacheError {
    LayoutCacheError(.database(.corrupt, message: "\(layout) is damaged: \(detail)"))
  }
}

extension StoreError {
  /// Whose fault the error is.
  var category: LayoutCacheError.Category {
    switch code {
    case .noSuchFile: .notFound
    case .cannotOpen, .readOnly, .diskFull, .inputOutput: .inputOutput
    case .notADatabase, .newerVersion, .corrupt, .corruptNode, .missingNode: .corrupt
    case .busy: .busy
    case .closed, .inUse: .usage
    case .unexpected: .bug
    }
  }
}
