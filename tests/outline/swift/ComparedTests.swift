import Testing

struct ComparedTests {
    @Test func order() throws {
        #expect(try one < Version("1.10.0"))
        #expect(try Version("2.0.0") == one)
        #expect(one.major == 1)
    }
}
