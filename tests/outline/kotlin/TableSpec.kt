class TableSpec : FunSpec({
    context("limits") {
        listOf(0, -1).forEach { limit ->
            test("rejects $limit") {
                shouldThrow<IllegalArgumentException> { Cache(limit) }
            }
        }
        withData(0, -1, -2) { limit ->
            shouldThrow<IllegalArgumentException> { Cache(limit) }
        }
    }
})
