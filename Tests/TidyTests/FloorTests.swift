import Foundation
import Testing

// The layers of `Sources/LayoutCache`, from the top. A folder may use its own types and those of
// lower layers; folders of one layer do not depend on each other.

@Suite struct FloorTests {
  static let floors: [Set<String>] = [
    // The API that users call.
    ["Public"],
    // Imports that build a dataset from scratch.
    ["Imports"],
    // The path of every change: request, resolution, transaction, commit.
    ["Changes"],
    ["Verification"],
    // Datasets as bytes, out of one file and into another.
    ["Archive"],
    // Client work between two layouts: transitions, movements, scrolling.
    ["Queries/Movement"],
    ["Queries/Transitions"],
    ["Queries/Scrolling"],
    ["Queries"],
    // Listeners to commits.
    ["Engine/Following"],
    // Datasets in memory, the log, batches, catching up.
    ["Engine"],
    ["Engine/State"],
    ["Engine/Layouts"],
    ["Engine/Updates"],
    ["Engine/Views"],
    ["Engine/Operations"],
    // Storage of a section: the switch between kinds, one folder per kind, and shared parts.
    ["Placement"],
    [
      "Placement/Waterfall", "Placement/Lines", "Placement/Carousel", "Placement/Custom",
      "Placement/Computed",
    ],
    ["Placement/Section"],
    // Items, sections, keys, labels.
    ["Dataset/Importing"],
    ["Dataset"],
    ["Dataset/Items", "Dataset/Sections", "Dataset/Keys", "Dataset/Data"],
    ["Dataset/Labels", "Dataset/Order"],
    // The positions in a list of elements at which one answer ends and the next begins.
    ["Queries/Continuation"],
    // Damage found in a file, and every module's errors as those of the library.
    ["Errors"],
    // Limits of the work per step, progress, and the clock.
    ["Work"],
    // The values that users give and get.
    ["Public/Values"],
  ]

  /// The class that users call. Each of these folders has a part of it.
  private static let facade = "LayoutCache"
  private static let foldersOfFacade: Set<String> = ["Public", "Imports", "Changes", "Archive"]

  private struct Room {
    var declared: Set<String> = []
    var used: Set<String> = []
  }

  /// The names of types that a text declares and those that it uses, comments aside.
  static func names(in text: String) -> (declared: Set<String>, used: Set<String>) {
    let code = text.replacing(/\/\/.*/, with: "")
    let declaration =
      /(?m)^ *(?<modifiers>(?:\w+(?:\(\w+\))? +)*)(?:struct|class|enum|protocol|actor|typealias) +(?<name>[A-Z]\w+)/
    var declared: Set<String> = []
    // A private type of a file shadows a type of that name elsewhere.
    var own: Set<String> = []
    for match in code.matches(of: declaration) {
      let name = String(match.output.name)
      if match.output.modifiers.contains("private") {
        own.insert(name)
      } else {
        declared.insert(name)
      }
    }
    let used = code.matches(of: /\b[A-Z]\w+/).map { String($0.output) }
    return (declared, Set(used).subtracting(own))
  }

  private static func rooms() throws -> [String: Room] {
    let module = "Sources/LayoutCache/"
    var rooms: [String: Room] = [:]
    for file in try TidyTests.files("Sources/LayoutCache") {
      let folder = file.path.dropFirst(module.count).split(separator: "/").dropLast()
      let (declared, used) = names(in: file.text)
      rooms[folder.joined(separator: "/"), default: Room()].declared.formUnion(declared)
      rooms[folder.joined(separator: "/"), default: Room()].used.formUnion(used)
    }
    return rooms
  }

  /// The pairs of folders of which the first uses a type of the second although it must not.
  static func turnedArrows(
    _ uses: (_ user: String, _ used: String) -> Set<String>
  ) -> [String] {
    var turned: [String] = []
    for (height, floor) in floors.enumerated() {
      for user in floor {
        for used in floors[...height].joined() where used != user {
          let names = uses(user, used)
          if !names.isEmpty { turned.append("\(user) uses \(names.sorted()) of \(used)") }
        }
      }
    }
    return turned.sorted()
  }

  @Test func everyFolderIsAssignedToALayer() throws {
    #expect(Set(try Self.rooms().keys) == Set(Self.floors.joined()))
  }

  @Test func foldersDependOnlyOnLowerLayers() throws {
    let rooms = try Self.rooms()
    // A name declared in several folders is ambiguous and ignored.
    let homes = rooms.values.flatMap(\.declared).reduce(into: [:]) { $0[$1, default: 0] += 1 }
    let turned = Self.turnedArrows { user, used in
      guard let user = rooms[user], let used = rooms[used] else { return [] }
      return used.declared.intersection(user.used).filter {
        homes[$0] == 1 && $0 != Self.facade
      }
    }
    #expect(turned == [])
  }

  @Test func onlyTheUpperFoldersExtendTheFacade() throws {
    var folders: Set<String> = []
    for file in try TidyTests.files("Sources/LayoutCache")
    where file.text.contains("\nextension \(Self.facade) {") {
      folders.insert(String(file.path.split(separator: "/")[2]))
    }
    #expect(folders == Self.foldersOfFacade)
  }

  @Test func theLayerCheckDetectsViolations() {
    let (declared, used) = Self.names(
      in: "package struct Room {\n  private enum Door {}\n  var wall: Wall // Roof\n}\n")
    #expect(declared == ["Room"])
    #expect(used == ["Room", "Wall"])
    let turned = Self.turnedArrows { user, used in
      user == "Public/Values" && used == "Public" ? ["LayoutCache"] : []
    }
    #expect(turned == [#"Public/Values uses ["LayoutCache"] of Public"#])
  }
}
