package com.example;

import static org.junit.jupiter.api.Assertions.*;

import org.junit.jupiter.api.*;
import org.junit.jupiter.params.*;

@DisplayName("Calculator")
class CalculatorTest {
    private Calculator calculator;

    @BeforeEach
    void setUp() {
        calculator = new Calculator();
        assertNotNull(calculator);
    }

    @Test
    void adds() {
        assertEquals(4, calculator.add(2, 2));
        assertEquals(4, calculator.add(2, 2), "sum");
        assertTrue(calculator.isReady());
        assertTrue(calculator.name().equals("c"));
        assertTrue(calculator.total() > 3);
        assertNotNull(calculator);
        assertTrue(true);
        assertEquals(0.3, calculator.add(0.1, 0.2), 0.0001);
    }

    @Test
    void divides() {
        assertThrows(ArithmeticException.class, () -> calculator.divide(1, 0));
        assertThrows(Exception.class, () -> calculator.divide(1, 0));
        assertDoesNotThrow(() -> calculator.divide(1, 1));
        assertAll("both", () -> assertEquals(2, calculator.divide(4, 2)), () -> assertEquals(1, calculator.divide(2, 2)));
    }

    @Disabled("slow")
    @Test
    void isDisabled() {
        assertEquals(1, calculator.one());
    }

    @Test
    @DisabledOnOs(OS.WINDOWS)
    @EnabledIfEnvironmentVariable(named = "CI", matches = "true")
    void runsOnUnixOnly() {
        assertEquals("/", calculator.separator());
    }

    @Test
    @DisabledIf("true")
    void isDisabledByAConstant() {
        assertEquals("/", calculator.separator());
    }

    @Test
    void isAssumed() {
        Assumptions.assumeTrue(System.getenv("CI") != null);
        assumeTrue(false);
        assertEquals(2, calculator.two());
    }

    @Test
    void isAborted() {
        if (calculator.isBusy()) {
            throw new TestAbortedException("busy");
        }
        assertEquals(2, calculator.two());
    }

    @ParameterizedTest
    @ValueSource(strings = {"a", "b", "c"})
    void takesValues(String value) {
        assertFalse(value.isEmpty());
    }

    @ParameterizedTest(name = "{0} is {1}")
    @CsvSource({"1, one", "2, two"})
    @NullSource
    void takesLines(int number, String name) {
        assertEquals(name, calculator.name(number));
    }

    @ParameterizedTest
    @MethodSource("sums")
    void takesAMethod(int a, int b, int sum) {
        assertEquals(sum, calculator.add(a, b));
    }

    static Stream<Arguments> sums() {
        return Stream.of(Arguments.of(1, 1, 2), Arguments.of(2, 2, 4));
    }

    @ParameterizedTest
    @EnumSource(value = Unit.class, names = {"DAY", "HOUR"})
    void takesUnits(Unit unit) {
        assertNotNull(unit.name());
    }

    @ParameterizedTest
    @EnumSource(Unit.class)
    void takesAllUnits(Unit unit) {
        assertNotNull(unit.name());
    }

    @RepeatedTest(5)
    void isRepeated() {
        assertEquals(1, calculator.one());
    }

    @TestFactory
    Stream<DynamicTest> makesTests() {
        return Stream.of(dynamicTest("a", () -> assertEquals(1, calculator.one())));
    }

    @Test
    private void isPrivate() {
        assertEquals(1, calculator.one());
    }

    @Test
    void returnsFirst() {
        return;
        assertEquals(1, calculator.one());
    }

    @Test
    void neverAsserts() {
        if (false) {
            assertEquals(1, calculator.one());
        }
    }

    @Test
    void losesFailures() {
        try {
            assertEquals(1, calculator.one());
        } catch (Throwable ignored) {
        }
        try {
            calculator.fail();
            fail("no exception");
        } catch (IllegalStateException expected) {
            assertEquals("x", expected.getMessage());
        }
    }

    @Test
    void isEmpty() {
    }

    @Nested
    @Disabled
    class WhenNew {
        @Test
        void hasNothing() {
            assertEquals(0, calculator.size());
        }
    }

    private void assertValid(Calculator it) {
        assertEquals(0, it.size());
    }
}
