import Foundation
import TestSupport
import Testing

@Suite struct TemporaryDirectoryTests {
  @Test func folderIsDeletedWithItsContents() throws {
    var directory: TemporaryDirectory? = try TemporaryDirectory()
    let path = try #require(directory?.path)
    let file = try #require(directory?.path(of: "a.sqlite"))
    try Data("x".utf8).write(to: URL(fileURLWithPath: file))
    #expect(FileManager.default.fileExists(atPath: file))
    directory = nil
    #expect(!FileManager.default.fileExists(atPath: path))
  }

  @Test func twoFoldersHaveDifferentPaths() throws {
    #expect(try TemporaryDirectory().path != TemporaryDirectory().path)
  }
}
