import XCTest

class AssertsTests: XCTestCase {
    func testStrengths() throws {
        XCTAssertEqual(got, 1, "message")
        XCTAssertEqual(got, 0.3, accuracy: 0.1)
        XCTAssertEqual(got.count, 1)
        XCTAssertNotEqual(got, 1)
        XCTAssertTrue(got)
        XCTAssertTrue(got == 1)
        XCTAssert(got > 1)
        XCTAssertFalse(got)
        XCTAssertNil(got)
        XCTAssertNotNil(got)
        XCTAssertGreaterThan(got, 1)
        XCTAssertThrowsError(try parse("")) { error in
            XCTAssertEqual(error as? BadValue, .empty)
        }
        XCTAssertNoThrow(try parse("x"))
        let value = try XCTUnwrap(got)
        assertSnapshot(of: got, as: .lines)
        guard let other = got else {
            XCTFail("nil")
            return
        }
        do {
            try parse("")
        } catch {
            XCTFail("\(error)")
        }
    }

    func testNothing() {
        XCTAssertTrue(true)
        XCTAssertEqual(1, 1)
        XCTAssertEqual(got, got)
        XCTAssert(true)
    }

    func testEmpty() {}
}

class SlugSpec: QuickSpec {
    override class func spec() {
        beforeEach { reset() }

        describe("add") {
            it("adds") { expect(add(1, 1)).to(equal(2)) }
            it("is not nil") { expect(add(1, 1)).toNot(beNil()) }
            xit("is pending") { expect(add(1, 1)).to(equal(2)) }
            fit("is focused") { expect(add(1, 1)).to(equal(2)) }
        }

        xdescribe("off") {
            it("is in a pending block") { expect(add(1, 1)) == 2 }
        }
    }
}
