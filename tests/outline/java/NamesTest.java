import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Disabled;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

class NamesTest {
    @Test
    void adds() {
        assertEquals(3, 1 + 2);
    }

    @Disabled("later")
    @Test
    void isDisabled() {
        assertEquals(4, 1 + 2);
    }

    @Nested
    class Zero {
        @Test
        void addsNothing() {
            assertEquals(1, 1 + 0);
        }
    }

    void helper() {
        assertEquals(1, 1);
    }

    // @Test void inAComment() {}
    static final String TEXT = "@Test void inAString() {}";
}
