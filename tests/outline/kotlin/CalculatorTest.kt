@file:Suppress("UNUSED_VARIABLE", "MagicNumber")

package com.example

import kotlin.test.*

class CalculatorTest {
    private val calculator = Calculator()

    @BeforeTest
    fun setUp() {
        assertNotNull(calculator)
    }

    @Test
    fun `adds two numbers`() {
        assertEquals(4, calculator.add(2, 2))
        assertEquals(4, calculator.add(2, 2), "sum")
        assertTrue(calculator.isReady())
        assertTrue(calculator.size == 3)
        assertTrue(true)
        assertEquals(1, 1)
        assertContains(calculator.items, 3)
        assertThat(calculator.name).isEqualTo("c")
        assertThat(calculator.name).isNotNull()
    }

    @Test
    fun throws() = runTest {
        assertFailsWith<ArithmeticException> { calculator.divide(1, 0) }
        assertFailsWith(ArithmeticException::class) { calculator.divide(1, 0) }
        assertFails { calculator.divide(1, 0) }
        verify { sink.accept(1) }
        verify(exactly = 2) { sink.accept(1) }
    }

    @Ignore
    @Test
    fun isIgnored() {
        assertEquals(0, calculator.size)
    }

    @Disabled("why")
    @Test
    fun isDisabled() {
        assertEquals(0, calculator.size)
    }

    @Test(expected = ParseException::class)
    fun rejects() {
        calculator.parse("(")
    }

    @Test
    @EnabledOnOs(OS.LINUX)
    fun runsOnLinux() {
        assumeTrue(calculator.isFast())
        assertEquals(0, calculator.size)
    }

    @ParameterizedTest
    @ValueSource(ints = [1, 2, 3])
    fun takesValues(value: Int) {
        assertEquals(value, calculator.same(value))
    }

    @ParameterizedTest
    @CsvSource("1, one", "2, two")
    fun takesLines(number: Int, name: String) {
        assertEquals(name, calculator.name(number))
    }

    @ParameterizedTest
    @MethodSource("sums")
    fun takesAMethod(a: Int, b: Int) {
        assertEquals(b, calculator.same(a))
    }

    @Test
    fun returnsFirst() {
        return
        assertEquals(0, calculator.size)
    }

    @Test
    fun neverAsserts() {
        if (false) {
            assertEquals(0, calculator.size)
        }
        try {
            assertEquals(0, calculator.size)
        } catch (e: Throwable) {
        }
    }

    @Suppress("DEPRECATION")
    private fun assertValid(it: Calculator) {
        assertEquals(0, it.size) // NOSONAR
    }

    companion object {
        @JvmStatic
        fun sums() = Stream.of(Arguments.of(1, 1), Arguments.of(2, 2))
    }
}
