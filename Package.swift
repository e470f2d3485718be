// swift-tools-version:5.5
// The package for Swift, and on Apple's systems for Objective-C: docs/guides/swift.md.
import PackageDescription

var targets: [Target] = [
    .target(
        name: "CGradmote",
        path: ".",
        sources: [
            "runtime_c/src", "runtime_c/kernels", "runtime_c/generated", "bindings/shared/gm_handle.c",
            "bindings/shared/generated/gm_handle_errors.c", "bindings/threads/gm_threads.c",
        ],
        publicHeadersPath: "bindings/swift/CGradmote",
        cSettings: [
            .define("GM_THREADS", to: "1"),
            .headerSearchPath("runtime_c/include"),
            .headerSearchPath("runtime_c/src"),
            .headerSearchPath("bindings/threads"),
            .headerSearchPath("bindings/shared"),
        ]
    ),
    .target(name: "Gradmote", dependencies: ["CGradmote"], path: "bindings/swift/Gradmote"),
    .executableTarget(name: "TrainDigits", dependencies: ["Gradmote"], path: "bindings/swift/examples"),
]
#if canImport(Darwin)
targets.append(
    .target(
        name: "GradmoteObjC",
        dependencies: ["CGradmote"],
        path: "bindings/objc",
        exclude: ["examples", "README.md", "SConscript"],
        publicHeadersPath: "include",
        cSettings: [.headerSearchPath("../shared"), .headerSearchPath("../../runtime_c/include")]
    ))
#endif

let package = Package(
    name: "Gradmote",
    products: targets.filter { $0.name == "Gradmote" || $0.name == "GradmoteObjC" }.map { .library(name: $0.name, targets: [$0.name]) },
    targets: targets
)
