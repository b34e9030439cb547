//! How much the assertions of test libraries demand, by language. One that is not named demands one value.

use crate::language::Matchers;

/// pytest, unittest, unittest.mock, numpy, Django, hamcrest, playwright.
pub const PYTHON: Matchers = Matchers {
    something: "\
        assertTrue assertFalse assertIsNotNone assertIsInstance assertNotEqual assertNotEquals failIfEqual assertIsNot assertNotIn assertNotIsInstance \
        assertNoLogs assert_ ok_ failUnless failIf assert_called assert_not_called assert_awaited assert_not_awaited \
        deprecated_call is_not_none is_true is_false not_to_be_visible to_be_hidden to_be_visible to_be_attached to_be_enabled is_instance_of isinstance \
        assertIsNotEmpty assertQuerySetNotEmpty",
    part: "\
        assertIn assertGreater assertGreaterEqual assertLess assertLessEqual assertAlmostEqual assertAlmostEquals \
        assertNotAlmostEqual assertNotAlmostEquals failUnlessAlmostEqual failIfAlmostEqual assertRegex \
        assertRegexpMatches assertNotRegex assertNotRegexpMatches assertContains assertNotContains \
        assertStartsWith assertEndsWith assertHasAttr assertCountGreater assertLogs assertWarns warns match in \
        != < > <= >= assert_called_once assert_awaited_once assert_any_call assert_has_calls \
        assert_any_await assert_has_awaits assert_allclose assert_almost_equal assert_approx_equal assert_array_almost_equal \
        assert_array_less assertTemplateUsed contains has_length starts_with ends_with matches to_contain_text \
        to_have_count is_length is_in fail AssertionError pytest.fail self.fail assertDictContainsSubset \
        assertInHTML",
    exact: "",
};

/// The standard library, pretty_assertions, claims, approx, googletest, insta, assert_cmd.
pub const RUST: Matchers = Matchers {
    something: "\
        assert debug_assert prop_assert assert_ok assert_err assert_some assert_none assert_ready assert_pending expect_true \
        expect_false verify_true verify_false success failure assert_panics should_panic",
    part: "\
        assert_ne debug_assert_ne prop_assert_ne assert_not_equal expect_ne verify_ne assert_relative_ne assert_lt assert_le \
        assert_gt assert_ge expect_lt expect_le expect_gt expect_ge assert_contains assert_starts_with assert_approx_eq \
        assert_relative_eq assert_ulps_eq assert_abs_diff_eq expect_near assert_in_delta != < > <= >= panic unreachable",
    exact: "",
};

/// testing, testify, gotest.tools, quicktest, gocheck, Gomega, GoConvey.
pub const GO: Matchers = Matchers {
    something: "\
        Nil Nilf NotNil NotNilf True Truef False Falsef NoError NoErrorf NoErr NilError Empty Emptyf NotEmpty NotEmptyf Zero \
        Zerof NotZero NotZerof NotEqual NotEqualf NotSame NotContains NotContainsf NotPanics NotPanicsf Implements IsType \
        BeIdenticalTo IsNil IsNotNil IsTrue IsFalse Assert Check Ok BeNil BeTrue BeFalse HaveOccurred Succeed BeEmpty BeZero \
        ShouldBeNil ShouldNotBeNil ShouldBeTrue ShouldBeFalse ShouldBeEmpty ShouldNotBeEmpty ShouldNotEqual qt.IsNil \
        qt.IsNotNil qt.IsTrue qt.IsFalse NotNilError AssertNotCalled BeAssignableToTypeOf FileExists DirExists NoFileExists",
    part: "\
        Error Errorf Err Fail Failf FailNow FailNowf Contains Containsf Len Lenf ErrorContains ErrorContainsf Regexp Regexpf \
        NotRegexp Greater Greaterf GreaterOrEqual Less Lessf LessOrEqual Positive Negative Subset Subsetf InDelta InDeltaf \
        InEpsilon WithinDuration WithinRange Panics Panicsf Eventually Eventuallyf Never Condition ContainSubstring \
        ContainElement ContainElements HaveLen HavePrefix HaveSuffix HaveKey MatchRegexp BeNumerically Panic \
        ShouldContain ShouldContainSubstring ShouldHaveLength ShouldStartWith ShouldEndWith ShouldBeGreaterThan \
        ShouldBeLessThan ShouldPanic ShouldAlmostEqual HasLen Matches ErrorMatches qt.HasLen qt.Matches qt.ErrorMatches \
        qt.Contains AssertNumberOfCalls != < > <= >=",
    exact: "",
};

/// PHPUnit, Pest, Mockery, phpspec, Laravel, Codeception.
pub const PHP: Matchers = Matchers {
    something: "\
        assertTrue assertFalse assertNotNull assertNotEmpty assertNotSame assertNotEquals assertInstanceOf \
        assertNotInstanceOf assertIsArray assertIsString assertIsInt assertIsBool assertIsFloat assertIsObject \
        assertInternalType assertIsCallable assertIsIterable assertIsNumeric assertIsResource assertIsScalar assertNotFalse assertNotTrue \
        assertObjectHasProperty assertFileExists assertDirectoryExists assertNotContains assertSuccessful \
        toBeTruthy toBeFalsy toBeInstanceOf toBeArray toBeString toBeInt toBeFloat toBeBool toBeObject toBeCallable \
        toBeIterable toBeNumeric toBeFile toBeDirectory toExist not shouldBeCalled shouldHaveBeenCalled shouldHaveType \
        shouldBeAnInstanceOf assert",
    part: "\
        assertContains assertStringContainsString assertStringContainsStringIgnoringCase assertStringNotContainsString \
        assertStringStartsWith assertStringEndsWith assertMatchesRegularExpression assertRegExp assertCount assertNotCount \
        assertArrayHasKey assertArrayNotHasKey assertContainsEquals assertContainsOnly assertContainsOnlyInstancesOf \
        assertGreaterThan assertGreaterThanOrEqual assertLessThan assertLessThanOrEqual assertEqualsWithDelta \
        assertArraySubset assertJson assertSee assertSeeText assertDontSee assertJsonFragment assertJsonStructure \
        assertDatabaseHas assertDatabaseMissing assertSessionHas assertSessionHasErrors assertViewHas \
        expectExceptionMessage expectExceptionMessageMatches expectOutputRegex expectDeprecation expectWarning expectError \
        toContain toHaveCount toHaveKey toHaveKeys toHaveLength toMatch toMatchArray toMatchObject toStartWith toEndWith \
        toBeGreaterThan toBeLessThan toBeGreaterThanOrEqual toBeLessThanOrEqual toBeBetween toEqualWithDelta toHaveProperty \
        toBeIn shouldHaveCount shouldContain shouldThrow shouldHaveKey shouldMatch see dontSee fail",
    exact: "toBeTrue toBeFalse toBeNull toBeEmpty toBe toEqual",
};

/// XCTest, Swift Testing, Quick and Nimble.
pub const SWIFT: Matchers = Matchers {
    something: "\
        XCTAssert XCTAssertTrue XCTAssertFalse XCTAssertNotNil XCTAssertNotEqual XCTAssertNotIdentical XCTAssertNoThrow \
        XCTUnwrap expect require beNil beTruthy beFalsy beTrue beFalse beAKindOf beAnInstanceOf toNot notTo wait \
        waitForExpectations fulfillment",
    part: "\
        XCTAssertGreaterThan XCTAssertGreaterThanOrEqual XCTAssertLessThan XCTAssertLessThanOrEqual XCTAssertThrowsError \
        XCTFail contain beginWith endWith match haveCount beCloseTo beGreaterThan beLessThan beEmpty throwError confirmation \
        Issue.record != < > <= >=",
    exact: "",
};

/// ExUnit, Mox.
pub const ELIXIR: Matchers = Matchers {
    something: "assert refute flunk_unless",
    part: "\
        != !== < > <= >= in =~ assert_raise assert_receive assert_received refute_receive refute_received assert_in_delta \
        refute_in_delta flunk catch_error catch_exit catch_throw assert_redirect has_element? =",
    exact: "",
};

/// JUnit, TestNG, AssertJ, Hamcrest, Truth, Mockito, Spring, Reactor.
pub const JAVA: Matchers = Matchers {
    something: "\
        assertTrue assertFalse assertNotNull assertNotEquals assertNotSame assertDoesNotThrow assertInstanceOf \
        assertNotInstanceOf assertNoException isNotNull isNotEqualTo isNotSameAs isInstanceOf isInstanceOfAny \
        isExactlyInstanceOf isTrue isFalse isNotBlank isNotEmpty isPresent isNotZero isNotNegative \
        doesNotThrowAnyException isPositive isNegative isNotIn doesNotContain doesNotContainNull isAlive exists \
        notNullValue instanceOf isA any isAssignableFrom verifyComplete assertNoErrors assertComplete \
        expectComplete isNotInstanceOf containsNoNulls isThrownBy",
    part: "\
        contains containsAll containsKey containsKeys containsValue containsAnyOf containsOnlyOnce \
        containsIgnoringCase containsSubsequence containsSequence containsPattern containsEntry containsAtLeast \
        containsAtLeastElementsIn hasSize hasLength hasSizeGreaterThan hasSizeLessThan hasSizeBetween \
        hasSameSizeAs startsWith endsWith matches satisfies allMatch anyMatch noneMatch anySatisfy allSatisfy \
        noneSatisfy isGreaterThan isLessThan isGreaterThanOrEqualTo isLessThanOrEqualTo isAtLeast isAtMost \
        isBetween isStrictlyBetween isCloseTo isWithin isIn isOneOf isSubsetOf isBefore isAfter \
        hasMessageContaining hasMessageStartingWith hasMessageMatching hasMessageThat hasMessageContainingAll \
        hasCauseInstanceOf hasRootCauseInstanceOf hasFieldOrProperty hasItem hasItems hasKey containsString \
        greaterThan lessThan greaterThanOrEqualTo lessThanOrEqualTo closeTo matchesPattern matchesRegex everyItem \
        anyOf either assertTimeout assertTimeoutPreemptively assertLinesMatch expectNextCount expectNextMatches \
        expectErrorMatches until untilTrue isThrownByAny expectMessage is2xxSuccessful is3xxRedirection \
        is4xxClientError is5xxServerError hasProperty expectError verifyError",
    exact: "\
        throws isEqualTo isSameAs isNull isEmpty isZero isOne isNullOrEmpty containsExactly containsExactlyInAnyOrder \
        containsOnly containsExactlyEntriesOf containsExactlyElementsOf containsExactlyElementsIn \
        isEqualByComparingTo isEqualToIgnoringCase isEqualToComparingFieldByField usingRecursiveComparison \
        hasToString hasMessage hasValue hasContent isTheSameInstanceAs isSameInstanceAs statusCode equalTo \
        inOrder hasFieldOrPropertyWithValue containsInAnyOrder arrayContaining contentEquals hasCause isOk \
        isCreated isNotFound isBadRequest isUnauthorized isForbidden isNoContent",
};

/// RSpec, minitest, test-unit, Rails, Capybara, shoulda.
pub const RUBY: Matchers = Matchers {
    something: "\
        assert refute assert_not assert_not_nil refute_nil assert_not_equal refute_equal refute_same \
        assert_not_same assert_nothing_raised assert_nothing_thrown assert_instance_of assert_kind_of \
        assert_respond_to assert_predicate refute_predicate assert_boolean assert_not_empty refute_empty \
        be_truthy be_falsey be_falsy be_a be_an be_kind_of be_a_kind_of be_instance_of be_an_instance_of \
        be_present be_valid be_invalid respond_to exist be_any be_success be_successful be_ok be_persisted \
        must_be wont_be_nil wont_equal wont_be_empty must_be_instance_of must_be_kind_of must_respond_to wont_be \
        wont_include wont_match wont_be_same_as assert_silent assert_true assert_false have_received receive \
        yield_control assert_success assert_valid assert_block refute_respond_to refute_includes refute_match \
        assert_no_match refute_instance_of refute_kind_of",
    part: "\
        assert_includes assert_include assert_match assert_in_delta assert_in_epsilon assert_operator \
        refute_operator assert_difference assert_no_difference assert_changes assert_no_changes assert_select \
        assert_raise_message assert_output include match start_with end_with have_key have_attributes \
        have_content have_text have_selector have_css have_link have_button have_xpath be_within be_between cover \
        all satisfy include_examples change throw_symbol have_size have_at_least at_least at_most by_at_least \
        by_at_most output respond_with must_include must_match must_be_close_to must_be_within_delta \
        must_be_within_epsilon match_schema match_response_schema yield_with_args with_message assert_send \
        assert_throws assert_enqueued_with assert_text assert_selector be_a_new an_object_having_attributes",
    exact: "\
        eq eql equal be be_nil be_empty be_zero be_blank contain_exactly match_array by from to with once twice \
        thrice exactly times must_equal must_be_nil must_be_empty must_be_same_as must_raise be_nan be_infinite \
        eq_json have_http_status redirect_to assert_equal assert_nil assert_same assert_empty \
        yield_successive_args raise_error raise_exception",
};

/// kotlin.test, JUnit, kotest, AssertJ, Truth, AssertK, MockK.
pub const KOTLIN: Matchers = Matchers {
    something: "\
        assertTrue assertFalse assert assertNotNull assertNotEquals assertNotSame assertDoesNotThrow assertIs \
        assertIsNot assertInstanceOf assertIllegalArgument shouldNotBe shouldBeTrue shouldBeFalse shouldNotBeNull \
        shouldBeInstanceOf shouldNotThrow shouldNotThrowAny shouldNotThrowAnyUnit shouldThrowAny shouldNotBeEmpty \
        shouldNotBeBlank shouldBePositive shouldBeNegative shouldExist shouldBeTypeOf shouldNotEqual \
        shouldNotContain shouldFail assertFails isNotNull isNotEqualTo isInstanceOf isTrue isFalse isNotEmpty \
        isPresent doesNotThrowAnyException isNotSameAs doesNotContain beOfType beInstanceOf notNullValue \
        instanceOf checkAll",
    part: "\
        assertContains assertNotContains shouldContain shouldContainAll shouldContainAnyOf shouldStartWith \
        shouldEndWith shouldMatch shouldHaveSize shouldHaveLength shouldContainKey shouldContainKeys \
        shouldContainValue shouldBeGreaterThan shouldBeLessThan shouldBeGreaterThanOrEqual \
        shouldBeLessThanOrEqual shouldBeBetween shouldBeIn shouldHaveMessage shouldContainInOrder shouldBeOneOf \
        shouldHaveAtLeastSize shouldThrowMessage shouldHaveElementAt startWith endWith contain containKey match \
        haveLength haveSize shouldForAll shouldForAny shouldExistInOrder contains containsAll hasSize hasLength \
        startsWith endsWith matches isGreaterThan isLessThan isAtLeast isAtMost isBetween isCloseTo isWithin isIn \
        hasMessageContaining containsKey hasMessageThat containsString hasItem greaterThan lessThan assertTimeout \
        eventually",
    exact: "\
        throws isEqualTo isSameAs isSameInstanceAs isNull isEmpty isZero containsExactly containsExactlyInAnyOrder \
        containsExactlyElementsIn hasMessage hasToString hasValue shouldBe shouldBeNull shouldBeEmpty",
};

/// xUnit, NUnit, MSTest, TUnit, FluentAssertions, Shouldly, Moq, NSubstitute.
pub const CSHARP: Matchers = Matchers {
    something: "\
        True False IsTrue IsFalse NotNull IsNotNull NotEqual AreNotEqual NotSame AreNotSame IsType IsNotType \
        IsAssignableFrom IsInstanceOf IsInstanceOfType IsNotInstanceOf IsNotInstanceOfType NotEmpty IsNotEmpty \
        DoesNotThrow DoesNotThrowAsync NotStrictEqual DoesNotContain BeTrue BeFalse NotBeNull NotBe NotBeEmpty \
        BeOfType BeAssignableTo NotThrow NotThrowAsync NotBeNullOrEmpty NotBeNullOrWhiteSpace NotBeSameAs \
        BePositive BeNegative NotContain BeTypeOf ShouldNotBeNull ShouldNotBe ShouldBeTrue ShouldBeFalse \
        ShouldBeOfType ShouldNotBeEmpty ShouldNotThrow ShouldBeAssignableTo ShouldNotBeNullOrEmpty \
        ShouldNotContain InstanceOf TypeOf AssignableTo NaN IsNotEqualTo",
    part: "\
        Contains StartsWith EndsWith Matches DoesNotMatch InRange Collection All Greater GreaterOrEqual Less \
        LessOrEqual IsMatch HasCount Positive Negative AllItemsAreNotNull AllItemsAreUnique IsSubsetOf Subset \
        ProperSubset ThrowsAny ThrowsAnyAsync Contain ContainSingle ContainKey ContainEquivalentOf StartWith \
        EndWith Match MatchRegex HaveCount HaveCountGreaterThan HaveLength BeGreaterThan BeLessThan \
        BeGreaterThanOrEqualTo BeGreaterOrEqualTo BeLessThanOrEqualTo BeLessOrEqualTo BeCloseTo BeApproximately \
        BeInRange BeOneOf BeAfter BeBefore OnlyContain AllSatisfy Satisfy BeSubsetOf OnlyHaveUniqueItems \
        HaveElementAt ShouldContain ShouldStartWith ShouldEndWith ShouldMatch ShouldBeGreaterThan \
        ShouldBeLessThan ShouldBeInRange ShouldBeOneOf ShouldAllBe ShouldBeGreaterThanOrEqualTo \
        ShouldBeLessThanOrEqualTo GreaterThan LessThan GreaterThanOrEqualTo LessThanOrEqualTo AtLeast AtMost \
        SupersetOf SubsetOf Within AnyOf InRange Percent Items Member ContainInOrder ContainInConsecutiveOrder StartWith EndWith Substring Unique Ordered",
    exact: "\
        Be BeNull BeEmpty BeEquivalentTo Equal BeSameAs ThrowExactly ThrowExactlyAsync Throw ThrowAsync \
        WithMessage HaveValue IsEqualTo BeNullOrEmpty EqualTo EquivalentTo SameAs Message Throws",
};

/// C and C++: GoogleTest, GoogleMock, Catch2, doctest, Boost.Test, Qt Test, Unity, Check, cmocka, CUnit, Criterion, glib.
pub const CPP: Matchers = Matchers {
    something: "\
        EXPECT_TRUE ASSERT_TRUE EXPECT_FALSE ASSERT_FALSE EXPECT_NE ASSERT_NE EXPECT_NO_THROW ASSERT_NO_THROW \
        EXPECT_STRNE ASSERT_STRNE NotNull Not IsTrue IsFalse A An CHECK REQUIRE CHECK_FALSE REQUIRE_FALSE \
        CHECK_NOTHROW REQUIRE_NOTHROW CHECK_UNARY REQUIRE_UNARY CHECK_NE REQUIRE_NE WARN STATIC_REQUIRE \
        CHECK_TRUE REQUIRE_TRUE CHECK_UNARY_FALSE BOOST_CHECK BOOST_REQUIRE BOOST_TEST BOOST_WARN BOOST_CHECK_NE \
        BOOST_REQUIRE_NE BOOST_CHECK_NO_THROW BOOST_REQUIRE_NO_THROW BOOST_CHECK_MESSAGE BOOST_REQUIRE_MESSAGE \
        QVERIFY QVERIFY2 QTRY_VERIFY assert ASSERT CU_ASSERT CU_ASSERT_TRUE CU_ASSERT_FALSE TEST_ASSERT \
        TEST_ASSERT_TRUE TEST_ASSERT_FALSE TEST_ASSERT_NOT_NULL TEST_ASSERT_NOT_EQUAL ck_assert ck_assert_msg \
        assert_true assert_false assert_non_null assert_int_not_equal g_assert g_assert_true g_assert_false \
        g_assert_nonnull cr_assert cr_expect cr_assert_not_null munit_assert munit_assert_true \
        munit_assert_not_null EXPECT_PRED1 EXPECT_PRED2 EXPECT_STATUS_OK ck_assert_ptr_nonnull ck_assert_int_ne",
    part: "\
        EXPECT_GT EXPECT_GE EXPECT_LT EXPECT_LE ASSERT_GT ASSERT_GE ASSERT_LT ASSERT_LE EXPECT_NEAR ASSERT_NEAR \
        EXPECT_ANY_THROW ASSERT_ANY_THROW EXPECT_DEATH ASSERT_DEATH EXPECT_EXIT HasSubstr StartsWith EndsWith \
        Contains ContainsRegex MatchesRegex SizeIs IsSupersetOf IsSubsetOf Gt Ge Lt Le DoubleNear FloatNear AllOf \
        AnyOf Each ContainsSubstring WithinRel WithinAbs Matches CHECK_THROWS REQUIRE_THROWS CHECK_GT CHECK_LT \
        CHECK_GE CHECK_LE REQUIRE_GT REQUIRE_LT REQUIRE_GE REQUIRE_LE BOOST_CHECK_GT BOOST_CHECK_LT \
        BOOST_CHECK_GE BOOST_CHECK_LE BOOST_CHECK_CLOSE BOOST_CHECK_SMALL BOOST_REQUIRE_CLOSE \
        TEST_ASSERT_GREATER_THAN TEST_ASSERT_LESS_THAN TEST_ASSERT_FLOAT_WITHIN TEST_ASSERT_INT_WITHIN \
        TEST_ASSERT_DOUBLE_WITHIN TEST_ASSERT_GREATER_OR_EQUAL TEST_ASSERT_LESS_OR_EQUAL ck_assert_int_gt \
        ck_assert_int_lt ck_assert_int_ge ck_assert_int_le assert_in_range",
    exact: "\
        IsNull Eq StrEq ElementsAre UnorderedElementsAre Pointwise IsEmpty",
};

/// bats-assert, bats-file, shunit2.
pub const BASH: Matchers = Matchers {
    something: "\
        assert refute assert_success assert_exists assert_file_exist assert_file_exists assert_dir_exists \
        refute_output refute_line assertTrue assertFalse assertNotNull assertNotEquals assert_not_equal \
        assert_file_not_empty refute_equal",
    part: "\
        assert_failure assert_regex assert_contains assertContains assert_file_contains assert_stderr_contains \
        fail assert_line",
    exact: "",
};
