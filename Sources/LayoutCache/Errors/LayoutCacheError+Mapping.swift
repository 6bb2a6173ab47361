import CollectionLayout
import LayoutGeometry
import LayoutStore
import SumTree

/// Runs `body` and converts the errors of lower modules to ``LayoutCacheError``; other errors,
/// such as those of the caller's closures, pass unchanged.
func mappingErrors<R>(_ path: String, _ body: () throws -> R) throws -> R {
  do {
    return try body()
  } catch {
    throw LayoutCacheError(mapping: error, path: path) ?? error
  }
}

extension LayoutCacheError {
  /// - Returns: `nil` for an error that is not from a lower module.
  init?(mapping error: any Error, path: String) {
    switch error {
    case let error as LayoutCacheError: self = error
    case let error as LimitError: self.init(.limit(error))
    case let error as ConfigurationError: self.init(.configuration(error))
    case let error as StoreError:
      switch error.code {
      case .closed: self.init(.closed(path: error.path))
      case .inUse: self.init(.inUse(path: error.path))
      case .replaced where error.mayBeStored: self.init(.outcomeUnknown(error.description))
      case .replaced(let replacement):
        self.init(.fileReplaced(path: error.path, reason: replacement.description))
      default:
        self.init(.database(error.category, message: error.description))
        cause =
          switch error.code {
          case .readOnly: .readOnly
          case .diskFull: .diskFull
          default: nil
          }
        mayBeStored = error.mayBeStored
      }
    case is Damage, is TreeError, is ByteError:
      self.init(.database(.corrupt, message: "\(path) is damaged: \(error)"))
    default: return nil
    }
  }
}

/// Runs `body`, with ``LayoutCacheError/Code/cannotLayOut(_:_:)`` for a refusal of the layout.
func layingOut<R>(_ layout: LayoutID, _ body: () throws -> R) throws -> R {
  do {
    return try body()
  } catch {
    guard let refusal = LayoutRefusal(error) else { throw error }
    throw LayoutCacheError(.cannotLayOut(layout, refusal))
  }
}

extension LayoutRefusal {
  /// Returns the refusal that an error thrown during layout is.
  ///
  /// - Returns: `nil` for an error that the layout did not cause.
  init?(_ error: any Error) {
    switch error {
    case let refusal as LayoutRefusal: self = refusal
    case let limit as LimitError: self.init(reason: limit)
    default: return nil
    }
  }
}

extension LayoutCacheError {
  /// Checks a requested name against `Limits`.
  ///
  /// - Throws: ``LayoutCacheError`` with `limit`. A bare `LimitError` would be taken for that
  ///   of a layout that can't be laid out.
  static func check(name: String, as subject: LimitError.Subject) throws(LayoutCacheError) {
    do { try Limits.check(name: name, as: subject) } catch { throw LayoutCacheError(.limit(error)) }
  }

  /// Checks a number of datasets or layouts.
  ///
  /// - Throws: ``LayoutCacheError`` with `countLimit`.
  static func check(count: Int, max: Int, as subject: LimitError.Subject) throws(LayoutCacheError) {
    guard count > max else { return }
    throw LayoutCacheError(
      .countLimit(LimitError(.tooLarge, subject, limit: Double(max), value: Double(count))))
  }

  /// Returns the error of an inconsistent stored layout that can't be laid out again.
  static func damaged(_ layout: LayoutID, _ detail: String) -> LayoutCacheError {
    LayoutCacheError(.database(.corrupt, message: "\(layout) is damaged: \(detail)"))
  }
}

extension StoreError {
  var category: LayoutCacheError.Category {
    switch code {
    case .noSuchFile: .notFound
    case .cannotOpen, .readOnly, .diskFull, .inputOutput, .replaced: .inputOutput
    case .notADatabase, .newerVersion, .unreleasedVersion, .corrupt, .corruptNode, .missingNode:
      .corrupt
    case .busy, .isOpen: .busy
    case .exists, .closed, .inUse: .usage
    case .unexpected: .bug
    }
  }
}
