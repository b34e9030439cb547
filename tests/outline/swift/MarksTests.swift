import XCTest
@testable import Slug

final class MarksTests: XCTestCase {
    func testPlain() {
        XCTAssertEqual(add(1, 1), 2)
    }

    func testSkip() throws {
        throw XCTSkip("flaky")
    }

    func testSkipIf() throws {
        try XCTSkipIf(isOld, "old")
        XCTAssertEqual(add(1, 1), 2)
    }

    func testSkipUnless() throws {
        try XCTSkipUnless(hasNetwork)
        XCTAssertEqual(add(1, 1), 2)
    }

    func testSkipAlways() throws {
        try XCTSkipIf(true, "off")
        XCTAssertEqual(add(1, 1), 2)
    }

    func testSkipInBranch() throws {
        if isOld {
            throw XCTSkip("old")
        }
        XCTAssertEqual(add(1, 1), 2)
    }

    func testSkipInGuard() throws {
        guard hasNetwork else { throw XCTSkip("offline") }
        XCTAssertEqual(add(1, 1), 2)
    }

    func testExpectedFailure() {
        XCTExpectFailure("issue")
        XCTAssertEqual(add(1, 1), 3)
    }

    @available(*, unavailable)
    func testUnavailable() {
        XCTAssertEqual(add(1, 1), 2)
    }

    func testTable() async throws {
        for (a, b) in [(1, 2), (2, 3)] {
            XCTAssertEqual(add(a, 1), b)
        }
    }

    func helper() {
        XCTAssertTrue(isReady)
    }

    #if false
    func testNever() {
        XCTAssertEqual(add(1, 1), 2)
    }
    #endif
}

extension MarksTests {
    func testInExtension() {
        XCTAssertEqual(add(1, 1), 2)
    }
}

class SetUpTests: XCTestCase {
    override func setUpWithError() throws {
        try XCTSkipIf(isOld)
    }

    func testOne() {
        XCTAssertEqual(add(1, 1), 2)
    }
}

class Connection {
    func testConnection() -> Bool { true }
}
