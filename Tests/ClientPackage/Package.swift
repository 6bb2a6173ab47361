// swift-tools-version: 6.2
import PackageDescription

// A user's package: it has the library as a dependency, and sees what is public.

let package = Package(
  name: "ClientPackage",
  platforms: [.macOS(.v15)],
  dependencies: [.package(name: "LayoutCache", path: "../..", traits: [])],
  targets: [
    .executableTarget(
      name: "Client", dependencies: [.product(name: "LayoutCache", package: "LayoutCache")],
      swiftSettings: [.treatAllWarnings(as: .error)])
  ]
)
