import Foundation

/// The benchmark program of a commit, built in a worktree of that commit.
struct ComparedBuild {
  /// The folder of worktrees, which git ignores. They remain, so that later comparisons with the
  /// same commit can reuse the build.
  static let folder = ".build/compare"

  let program: String

  /// Builds the program, in the current folder, which must be a checkout.
  ///
  /// - Throws: ``Failure`` for an unknown commit, or if it cannot be built.
  init(commit name: String) throws {
    guard
      let commit = ProgramOutput.line(
        of: "git", ["rev-parse", "--verify", "--quiet", "--short=12", "\(name)^{commit}"])
    else { throw Failure(.inputOutput, "unknown commit '\(name)'") }
    let folder = FileManager.default.currentDirectoryPath + "/\(Self.folder)/\(commit)"
    if !FileManager.default.fileExists(atPath: folder) {
      // Forgets worktrees whose folders were removed, for example by `make clean`.
      _ = try ProgramOutput.of("git", ["worktree", "prune"])
      _ = try ProgramOutput.of("git", ["worktree", "add", "--quiet", "--detach", folder, commit])
    }
    let build = ["build", "-c", "release", "--package-path", "\(folder)/Benchmarks"]
    // The package manager reports its progress on standard output.
    _ = try ProgramOutput.of("swift", build + ["--product", "LayoutCacheBenchmark"])
    let products = try ProgramOutput.of("swift", build + ["--show-bin-path"])
    program =
      products.trimmingCharacters(in: .whitespacesAndNewlines) + "/LayoutCacheBenchmark"
  }
}
