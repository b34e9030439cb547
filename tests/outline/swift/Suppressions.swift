// swiftlint:disable force_try
import Foundation

// swiftlint:disable:next function_body_length cyclomatic_complexity
func long() {
    let x = try! parse("x")
    let y = x as! Int // swiftlint:disable:this force_cast
    // TODO: remove
    debugPrint(y)
    dump(x)
    print("TODO in a text is none")
}
// swiftlint:enable force_try

// swift-format-ignore: NoAssignmentInExpressions
let z = 1
/* FIXME: later */
