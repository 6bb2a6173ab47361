import LayoutGeometry
import Logging

/// An environment variable that seems to be a setting of the service, and is none.
///
/// It is not an error: platforms set variables too, such as `LAYOUTCACHE_SERVICE_HOST` where a
/// service of Kubernetes has the name `layoutcache`.
struct IgnoredVariable {
  let name: String
  let advice: String?

  /// The variables of other commands.
  private static let others: Set = [DatabaseOptions.variable, DatasetOption.variable]

  /// Returns the ignored variables of this process.
  ///
  /// - Parameter origins: The source of each setting's value; `nil` for the default.
  static func all(origins: [String?]) -> [IgnoredVariable] {
    let known = ServiceSetting.variables.union(others)
    var ignored = environmentVariableNames(withPrefix: ServiceSetting.variablePrefix)
      .filter { !known.contains($0) }
      .map { IgnoredVariable(name: $0, advice: ServiceSetting.nearVariable($0)) }
    // Platforms that start one service per container name its port so.
    let portIsStated = zip(ServiceSetting.all, origins).contains { setting, origin in
      setting.name == "port" && origin != nil
    }
    if !portIsStated, environmentVariable("PORT")?.isEmpty == false {
      ignored.append(IgnoredVariable(name: "PORT", advice: "set LAYOUTCACHE_PORT, or pass --port"))
    }
    return ignored
  }

  var metadata: Logger.Metadata {
    var metadata: Logger.Metadata = ["name": "\(excerpt(name))"]
    if let advice { metadata["advice"] = "\(advice)" }
    return metadata
  }
}
