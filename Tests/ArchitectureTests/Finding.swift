/// What the checks of this target can find.
enum Rule: String {
    case imports = "a room imports only what its row of the table names"
    case manifest = "Package.swift agrees with the table of rooms and with the imports"
    case systemModules = "Glibc and CLinux belong to the rooms of Linux, Glibc with its Musl twin"
    case reexports = "@_exported stands only in Exports.swift of a product"
    case logicRooms = "rooms of logic know no concurrency, class, global variable, clock or chance"
    case machines = "a machine of the engine keeps its state to itself"
    case traps = "nothing is forced and nothing traps in Sources"
    case sleeping = "a test does not sleep"
    case size = "files to 600 lines, functions to 70, lines to 100 columns"
    case documentation = "every public declaration has a doc comment"
    case names = "no type is called Manager, Helper, Handler, Util, Base or Impl"
    case unfinished = "nothing is left for later"
    case otherLanguages = "Sources hold Swift, and in CLinux headers"
    case fixtures = "every fixture is named by a test"
}

/// A place that breaks a rule.
struct Finding: Equatable, CustomStringConvertible {
    let path: String
    let line: Int
    let what: String
    let rule: Rule

    var description: String { "\(path):\(line): \(what) (\(rule.rawValue))" }
}
