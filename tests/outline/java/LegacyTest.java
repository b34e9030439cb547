import org.junit.Test;
import static org.hamcrest.Matchers.*;
import static org.junit.Assert.*;

@RunWith(MockitoJUnitRunner.class)
public class LegacyTest {
    @Rule public ExpectedException thrown = ExpectedException.none();

    @Test(expected = IllegalArgumentException.class)
    public void rejects() {
        new Parser().parse(null);
    }

    @Test(expected = Exception.class, timeout = 1000)
    public void rejectsSomehow() {
        new Parser().parse(null);
    }

    @Test
    public void throwsByRule() {
        thrown.expect(ParseException.class);
        thrown.expectMessage("line 3");
        new Parser().parse("(");
    }

    @Ignore("flaky")
    @Test
    public void isIgnored() {
        assertEquals("message", 3, new Parser().parse("3"));
    }

    @Test
    public void matches() {
        assertThat(new Parser().parse("3"), is(3));
        assertThat(parser.name(), is(notNullValue()));
        assertThat("why", parser.all(), hasItem("a"));
        assertThat(parser.name(), containsString("x"));
        assertThat(parser.name(), not(equalTo("y")));
        assertThat(parser.name(), anything());
        assertSame(parser, parser);
        assertEquals(3, 3);
        Assert.assertArrayEquals(new int[] {1}, parser.ints());
    }

    @Test
    public void verifies() {
        parser.run(sink);
        verify(sink).accept("a");
        verify(sink, times(2)).accept(any());
        verify(sink, never()).close();
        verifyNoMoreInteractions(sink);
    }

    @org.junit.Test
    public void chains() {
        assertThat(parser.name()).isEqualTo("x");
        assertThat(parser.name()).isNotNull();
        assertThat(parser.all()).isNotNull().hasSize(3);
        assertThat(parser.all()).as("all").containsExactly("a", "b");
        assertThat(true).isTrue();
        assertThat(parser.name());
        assertThatThrownBy(() -> parser.parse("(")).isInstanceOf(ParseException.class).hasMessage("line 1");
        assertWithMessage("name").that(parser.name()).isEqualTo("x");
        Assertions.assertThat(parser.size()).isGreaterThan(2);
    }

    @Test
    public void requests() throws Exception {
        mvc.perform(get("/")).andExpect(status().isOk()).andExpect(jsonPath("$.a").value(1));
        given().param("a", 1).when().get("/").then().statusCode(200).body("a", equalTo(1));
        StepVerifier.create(flux).expectNext(1, 2).verifyComplete();
    }

    @Test
    public void assumes() {
        Assume.assumeTrue(parser.isFast());
        assertTrue(parser.isFast());
        assert parser.size() == 3;
    }
}

class OldStyleTest extends TestCase {
    protected void setUp() {
        parser = new Parser();
    }

    public void testParses() {
        assertEquals(1, parser.parse("1"));
    }

    public void helper() {
        assertTrue(parser.isFast());
    }
}

abstract class TestNgTest {
    @DataProvider(name = "numbers")
    public Object[][] numbers() {
        return new Object[][] {{1, "one"}, {2, "two"}};
    }

    @Test(dataProvider = "numbers")
    public void names(int number, String name) {
        Assert.assertEquals(parser.name(number), name);
    }

    @Test(enabled = false)
    public void isNotEnabled() {
        Assert.assertEquals(parser.size(), 3);
    }

    @Test(groups = "fast", expectedExceptions = {ParseException.class})
    public void fails() {
        throw new SkipException("later");
    }
}
