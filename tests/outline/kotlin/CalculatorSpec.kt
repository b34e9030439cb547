class CalculatorStrings : StringSpec({
    beforeTest {
        calculator.size shouldBe 0
    }

    "adds" {
        calculator.add(2, 2) shouldBe 4
        calculator.name shouldNotBe null
        calculator.items shouldContain 3
        calculator.name should startWith("c")
        calculator.name.shouldBeEmpty()
        1 shouldBe 1
        shouldThrow<ParseException> { calculator.parse("(") }
    }

    "is off".config(enabled = false) {
        calculator.size shouldBe 0
    }

    "runs on a condition".config(enabled = isLinux) {
        calculator.size shouldBe 0
    }

    "!is skipped" {
        calculator.size shouldBe 0
    }

    "f:is focused" {
        calculator.size shouldBe 0
    }
})

class CalculatorFun : FunSpec({
    test("adds") {
        calculator.add(2, 2) shouldBe 4
    }
    xtest("is skipped") {
        calculator.size shouldBe 0
    }
    test("is off").config(enabled = false) {
        calculator.size shouldBe 0
    }
    context("new") {
        test("has nothing") {
            calculator.size shouldBe 0
        }
    }
    xcontext("skipped group") {
        test("is in it") {
            calculator.size shouldBe 0
        }
    }
})

class CalculatorDescribe : DescribeSpec({
    describe("calculator") {
        it("adds") { calculator.add(1, 1) shouldBe 2 }
        xit("is skipped") { calculator.add(1, 1) shouldBe 2 }
    }
    xdescribe("nothing") {
        it("is in it") { calculator.size shouldBe 0 }
    }
})

class CalculatorBehavior : BehaviorSpec({
    given("a calculator") {
        `when`("two numbers come") {
            then("it adds them") { calculator.add(1, 1) shouldBe 2 }
        }
    }
})
