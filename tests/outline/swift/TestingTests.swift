import Testing

@Test func plain() {
    #expect(add(1, 1) == 2)
}

@Test("a title", .tags(.slow))
func titled() {
    #expect(add(1, 1) == 2)
}

@Test(.disabled("flaky"))
func disabled() {
    #expect(add(1, 1) == 2)
}

@Test(.disabled()) func disabledWithoutReason() {
    #expect(add(1, 1) == 2)
}

@Test(.disabled(if: isOld)) func disabledUnderCondition() {
    #expect(add(1, 1) == 2)
}

@Test(.enabled(if: hasNetwork, "offline")) func enabledUnderCondition() {
    #expect(add(1, 1) == 2)
}

@Test(.enabled(if: false)) func neverEnabled() {
    #expect(add(1, 1) == 2)
}

@Test(arguments: [1, 2, 3])
func rows(value: Int) {
    #expect(value > 0)
}

@Test("pairs", arguments: zip([1, 2], [2, 3]))
func pairs(a: Int, b: Int) {
    #expect(a + 1 == b)
}

@Test func knownIssue() {
    withKnownIssue("issue") {
        #expect(add(1, 1) == 3)
    }
}

@Suite("off", .disabled("no server"))
struct Off {
    @Test func one() {
        #expect(add(1, 1) == 2)
    }
}

struct Strengths {
    @Test func all() throws {
        #expect(got == 1)
        #expect(got != 1)
        #expect(got != nil)
        #expect(got > 1)
        #expect(got.count == 1)
        #expect(got.contains(1))
        #expect(got)
        #expect(!got)
        #expect(throws: BadValue.self) { try parse("") }
        #expect(throws: (any Error).self) { try parse("") }
        #expect(throws: BadValue.empty) { try parse("") }
        let value = try #require(got)
        #expect(true)
        #expect(1 == 1)
        #expect(got == got)
        Issue.record("not reached")
    }

    @Test func returnsFirst() {
        return;
        #expect(got == 1)
    }

    @Test func dead() {
        if false {
            #expect(got == 1)
        } else {
            #expect(got == 2)
        }
        _ = { #expect(got == 3) }
    }

    @Test func empty() {}
}
