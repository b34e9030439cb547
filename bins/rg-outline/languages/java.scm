; Java: JUnit 3, 4 and 5, TestNG, jqwik, ArchUnit; assertions of JUnit, TestNG, AssertJ, Hamcrest, Truth, Mockito, Spring, REST Assured, Reactor.

; --- tests
(method_declaration
  (modifiers [(marker_annotation name: (_) @_a) (annotation name: (_) @_a)])
  name: (identifier) @name body: (block)? @body
  (#match? @_a "^(\\w+\\.)*(\\w*Test|TestFactory|TestTemplate|Theory|Property|Example|Scenario)$")
  (#not-match? @_a "(Before|After|Ignore|Disabled|VisibleFor|Flaky|Ui|Small|Medium|Large)\\w*Test$")) @test
(class_declaration superclass: (superclass (_) @_super) body: (class_body (method_declaration type: (void_type) name: (identifier) @name body: (block) @body) @test)
  (#match? @_super "TestCase$") (#match? @name "^test"))
(class_declaration (modifiers [(marker_annotation name: (_) @_a) (annotation name: (_) @_a)])
  body: (class_body (method_declaration (modifiers "public" !name) type: (void_type) name: (identifier) @name body: (block) @body) @test)
  (#match? @_a "^(org\\.testng\\.annotations\\.)?Test$") (#not-match? @name "^(setUp|tearDown|before|after|setup|init)"))
(field_declaration (modifiers [(marker_annotation name: (_) @_a) (annotation name: (_) @_a)])
  declarator: (variable_declarator name: (identifier) @name value: (_) @body) (#match? @_a "(^|\\.)ArchTest$")) @test

; --- suites
(class_declaration name: (identifier) @name body: (_) @body) @suite
(interface_declaration name: (identifier) @name body: (_) @body) @suite
(record_declaration name: (identifier) @name body: (_) @body) @suite
(enum_declaration name: (identifier) @name body: (_) @body) @suite

; --- functions, hooks, names, calls
(method_declaration (modifiers [(marker_annotation name: (_) @_a) (annotation name: (_) @_a)]) name: (identifier) @name body: (block) @body
  (#match? @_a "^(\\w+\\.)*(Before|After)(Each|All|Class|Method|Suite|Test|Groups|Container|Property|Try|Example)?$") (#set! kind "hook")) @function
(class_declaration superclass: (superclass (_) @_super) body: (class_body (method_declaration name: (identifier) @name body: (block) @body) @function)
  (#match? @_super "TestCase$") (#any-of? @name "setUp" "tearDown") (#set! kind "hook"))
(method_declaration name: (identifier) @name body: (block) @body) @function
(constructor_declaration name: (identifier) @name body: (_) @body) @function
(method_declaration name: (identifier) @define)
(class_declaration name: (identifier) @define)
(interface_declaration name: (identifier) @define)
(record_declaration name: (identifier) @define)
(enum_declaration name: (identifier) @define)
(annotation_type_declaration name: (identifier) @define)
(enum_constant name: (identifier) @define)
(field_declaration declarator: (variable_declarator name: (identifier) @define))
(constant_declaration declarator: (variable_declarator name: (identifier) @define))
(record_declaration parameters: (formal_parameters (formal_parameter name: (identifier) @define)))
(method_invocation name: (identifier) @call)
(method_reference (identifier) @call .)
(object_creation_expression type: [(type_identifier) @call (generic_type . (type_identifier) @call) (scoped_type_identifier (type_identifier) @call .)])

; --- rows of tables
(annotation name: (_) @_a arguments: (annotation_argument_list (element_value_array_initializer) @rows)
  (#match? @_a "(^|\\.)(ValueSource|CsvSource|MethodSource|FieldSource|EnumSource|CsvFileSource|ArgumentsSources|JsonSource|IntRangeSource|Examples)$"))
(annotation name: (_) @_a arguments: (annotation_argument_list (element_value_pair value: (element_value_array_initializer) @rows))
  (#match? @_a "(^|\\.)(ValueSource|CsvSource|EnumSource|JsonSource)$"))
(annotation name: (_) @_a arguments: (annotation_argument_list (element_value_pair key: (identifier) @_key value: (string_literal) @rows))
  (#match? @_a "(^|\\.)CsvSource$") (#eq? @_key "textBlock") (#set! rows "name"))
(annotation name: (_) @_a arguments: (annotation_argument_list
    [(string_literal) (class_literal) (decimal_integer_literal) (field_access) (identifier)
     (element_value_pair value: [(string_literal) (class_literal) (decimal_integer_literal) (decimal_floating_point_literal) (character_literal) (true) (false) (field_access) (identifier)])] @rows)
  (#match? @_a "(^|\\.)(ValueSource|CsvSource|EnumSource|CsvFileSource|ArgumentsSource|JsonSource|RepeatedTest)$") (#set! rows "one"))
([(marker_annotation name: (_) @_a) (annotation name: (_) @_a)] @rows
  (#match? @_a "(^|\\.)(NullSource|EmptySource|NullAndEmptySource)$") (#set! rows "one"))
(annotation name: (_) @_a arguments: (annotation_argument_list (string_literal (string_fragment) @rows))
  (#match? @_a "(^|\\.)(MethodSource|FieldSource|UseDataProvider)$") (#set! rows "name"))
(method_declaration (modifiers [(marker_annotation name: (_) @_a)]) name: (identifier) @rows (#match? @_a "(^|\\.)(MethodSource|UseDataProvider)$") (#set! rows "name"))
(annotation name: (_) @_a arguments: (annotation_argument_list (element_value_pair key: (identifier) @_k value: (string_literal (string_fragment) @rows)))
  (#match? @_a "(^|\\.)Test$") (#eq? @_k "dataProvider") (#set! rows "name"))
(method_declaration name: (identifier) @name
  body: (block (return_statement [(method_invocation arguments: (argument_list (_) (_)) @list) (array_creation_expression value: (array_initializer) @list)
    (method_invocation arguments: (argument_list . (array_creation_expression value: (array_initializer) @list) .))
    (method_invocation object: (method_invocation arguments: (argument_list (_) (_)) @list))])))
(method_declaration (modifiers (annotation name: (_) @_a arguments: (annotation_argument_list (element_value_pair value: (string_literal (string_fragment) @name)))))
  body: (block (return_statement (array_creation_expression value: (array_initializer) @list))) (#match? @_a "DataProvider$"))
(field_declaration declarator: (variable_declarator name: (identifier) @name value: [(array_initializer) @list (method_invocation arguments: (argument_list (_) (_)) @list)]))

; --- what keeps tests from running
([(marker_annotation name: (_) @_a) (annotation name: (_) @_a)] @skip
  (#match? @_a "^(\\w+\\.)*(Disabled|Ignore|Ignored|DisabledTest|Suppress)$"))
(annotation name: (_) @_a arguments: (annotation_argument_list . [(string_literal) (true)] @_c) (#match? @_a "(^|\\.)DisabledIf$") (#match? @_c "^\"?(#\\{)?true\\}?\"?$")) @skip
(annotation name: (_) @_a arguments: (annotation_argument_list . [(string_literal) (false)] @_c) (#match? @_a "(^|\\.)EnabledIf$") (#match? @_c "^\"?(#\\{)?false\\}?\"?$")) @skip
(annotation name: (_) @_a arguments: (annotation_argument_list) @condition
  (#match? @_a "^(\\w+\\.)*((Disabled|Enabled)(If|On|For|Until|In|When)\\w*|IfProfileValue|RunIf|SkipIf\\w*|IgnoreIf|Requires\\w*|DisabledOn\\w*|SdkSuppress|AssumeThat\\w*)$")
  (#not-match? @condition "^\\(\\s*\"?(#\\{)?(true|false)\\}?\"?\\s*\\)$")) @skip
(marker_annotation name: (_) @condition (#match? @condition "^(\\w+\\.)*(Disabled|Enabled)(If|On|For|In|When)\\w+$")) @skip
(annotation name: (_) @_a arguments: (annotation_argument_list (element_value_pair key: (identifier) @_k value: (false)) @mark) (#match? @_a "(^|\\.)Test$") (#eq? @_k "enabled")) @skip
(method_declaration (modifiers ["private" "static"] @skip [(marker_annotation name: (_) @_a) (annotation name: (_) @_a)]) (#match? @_a "^(\\w+\\.)*(Test|ParameterizedTest|RepeatedTest|TestFactory|TestTemplate)$"))
(method_declaration (modifiers [(marker_annotation name: (_) @_a) (annotation name: (_) @_a)] ["private" "static"] @skip) (#match? @_a "^(\\w+\\.)*(Test|ParameterizedTest|RepeatedTest|TestFactory|TestTemplate)$"))
(method_invocation name: (identifier) @_f arguments: (argument_list [(false) (null_literal)]) (#match? @_f "^(assumeTrue|assumeNotNull)$")) @skip
(method_invocation name: (identifier) @_f arguments: (argument_list (true)) (#eq? @_f "assumeFalse")) @skip
(method_invocation name: (identifier) @_f arguments: (argument_list . [(identifier) (method_invocation) (field_access) (binary_expression) (unary_expression) (parenthesized_expression) (instanceof_expression) (lambda_expression) (method_reference) (ternary_expression)]+ @condition)
  (#match? @_f "^assume(True|False|That|NotNull|NoException|\\w+)$") (#not-match? @_f "^assumeThatCode")) @skip
(method_invocation name: (identifier) @_f arguments: (argument_list . (string_literal) . [(identifier) (method_invocation) (field_access) (binary_expression) (unary_expression)] @condition .) (#match? @_f "^assume(True|False|NotNull)$")) @skip
(method_invocation object: (_) @_o name: (identifier) @_f (#match? @_o "(^|\\.)Assumptions$") (#eq? @_f "abort")) @skip
(throw_statement (object_creation_expression type: (_) @_t) (#match? @_t "(^|\\.)(TestAbortedException|SkipException|AssumptionViolatedException|TestSkippedException|AssumptionFailedException)$")) @skip

; an inner class runs only if it is marked, or static for a runner of its own
(class_body (class_declaration name: (identifier) @skip) @_class (#match? @_class "@Test\\b") (#not-match? @_class "^[^{]*(@Nested|\\bstatic\\b|\\babstract\\b|@RunWith)"))
; a test that ends early by its environment
(if_statement condition: (parenthesized_expression (_) @condition) consequence: [(return_statement) (block . (return_statement) .)] !alternative (#match? @condition "System\\.(getenv|getProperty)\\(|Boolean\\.getBoolean\\(")) @skip

; --- assertions: constants and the like first
(method_invocation name: (identifier) @how arguments: (argument_list [(true) (false) (null_literal)] @subject @constant .)
  (#any-of? @how "assertTrue" "assertFalse" "assertNull" "assertNotNull")) @assert
(method_invocation name: (identifier) @how arguments: (argument_list . [(true) (false) (null_literal)] @subject @constant)
  (#any-of? @how "assertTrue" "assertFalse" "assertNull" "assertNotNull")) @assert
(method_invocation name: (identifier) @how arguments: (argument_list . [(string_literal) (object_creation_expression) (class_literal) (array_creation_expression)] @subject @constant .) (#eq? @how "assertNotNull")) @assert
(method_invocation name: (identifier) @how arguments: (argument_list (unary_expression operand: [(true) (false)]) @subject @constant) (#any-of? @how "assertTrue" "assertFalse")) @assert
(method_invocation name: (identifier) @how arguments: (argument_list (binary_expression operator: "||" [(true) (parenthesized_expression (true))]) @subject @constant) (#eq? @how "assertTrue")) @assert
(method_invocation name: (identifier) @how arguments: (argument_list (binary_expression operator: "&&" (false)) @subject @constant) (#eq? @how "assertFalse")) @assert
(method_invocation name: (identifier) @how arguments: (argument_list (binary_expression left: (_) @_l right: (_) @_r) @subject @constant) (#any-of? @how "assertTrue" "assertFalse") (#eq? @_l @_r)) @assert
(method_invocation name: (identifier) @how arguments: (argument_list (binary_expression left: [(decimal_integer_literal) (string_literal)] right: [(decimal_integer_literal) (string_literal)]) @subject @constant) (#any-of? @how "assertTrue" "assertFalse")) @assert
(method_invocation name: (identifier) @how arguments: (argument_list (method_invocation object: (_) @_l name: (identifier) @_e arguments: (argument_list . (_) @_r .)) @subject @constant) (#eq? @how "assertTrue") (#eq? @_e "equals") (#eq? @_l @_r)) @assert
(method_invocation name: (identifier) @how arguments: (argument_list . [(true) (false) (null_literal) (string_literal) (decimal_integer_literal)] @expected @constant . [(true) (false) (null_literal) (string_literal) (decimal_integer_literal)] @subject .)
  (#match? @how "^assert(Not)?(Equals|Same)$")) @assert
(method_invocation name: (identifier) @how arguments: (argument_list . (_) @_l . (_) @_r) @subject (#match? @how "^assert(Equals|Same|ArrayEquals|IterableEquals)$") (#eq? @_l @_r) (#set! strength "nothing")) @assert
(assert_statement . [(true) (binary_expression left: (true) operator: "||")] @subject (#set! strength "nothing") (#set! how "assert")) @assert
(assert_statement . (binary_expression left: (_) @subject operator: "==" right: (_) @expected) (#set! strength "exact") (#set! how "assert")) @assert
(assert_statement . (method_invocation object: (_) @subject name: (_) @_e arguments: (argument_list . (_) @expected .)) (#eq? @_e "equals") (#set! strength "exact") (#set! how "assert")) @assert
(assert_statement . (_) @subject (#set! strength "something") (#set! how "assert")) @assert

; assertEquals(expected, actual), with a message first (JUnit 4) or last (JUnit 5), with a tolerance
(method_invocation name: (identifier) @how arguments: (argument_list . [(string_literal) (binary_expression left: (string_literal))] . (_) @expected . (_) @subject . (_)? @_delta .)
  (#match? @how "^assert(Not)?(Equals|Same|ArrayEquals)$") (#not-match? @subject "^\"")) @assert
(method_invocation name: (identifier) @how arguments: (argument_list . (_) @expected . (_) @subject . [(decimal_floating_point_literal) (decimal_integer_literal) (identifier)] @_delta @expected .)
  (#any-of? @how "assertEquals" "assertArrayEquals") (#match? @_delta "^(?i:[0-9.]*[1-9][0-9.]*(e-?\\d+)?[dfl]?|.*(eps|delta|tolerance|precision).*|1e-?\\d+[dfl]?)$") (#set! strength "part")) @assert
(method_invocation name: (identifier) @how arguments: (argument_list . (_) @expected . (_) @subject)
  (#match? @how "^assert(Not)?(Equals|Same|ArrayEquals|IterableEquals|EqualsNoOrder|LinesMatch|DeepEquals)$")) @assert
; assertTrue(a.equals(b)), assertTrue(a == b), assertTrue(s.contains("x"))
(method_invocation name: (identifier) @_f arguments: (argument_list (method_invocation object: (_)? @subject name: (identifier) @how arguments: (argument_list (_) @expected)))
  (#eq? @_f "assertTrue") (#match? @how "^(equals|equalsIgnoreCase|contentEquals|deepEquals|isEqual|isEqualTo)$") (#set! strength "exact")) @assert
(method_invocation name: (identifier) @_f arguments: (argument_list (method_invocation object: (_) @subject name: (identifier) @how arguments: (argument_list (_) @expected)))
  (#eq? @_f "assertTrue") (#match? @how "^(contains|containsAll|containsKey|containsValue|startsWith|endsWith|matches|hasItem|anyMatch|allMatch|noneMatch)$") (#set! strength "part")) @assert
(method_invocation name: (identifier) @_f arguments: (argument_list (binary_expression left: (_) @subject operator: "==" @how right: (_) @expected)) (#eq? @_f "assertTrue") (#not-match? @expected "^null$") (#set! strength "exact")) @assert
(method_invocation name: (identifier) @_f arguments: (argument_list (binary_expression left: (_) @subject operator: ["<" ">" "<=" ">="] @how right: (_) @expected)) (#eq? @_f "assertTrue") (#set! strength "part")) @assert
(method_invocation name: (identifier) @_f arguments: (argument_list (binary_expression left: (_) @subject operator: ["<" ">" "<=" ">="] @how right: (_) @expected)) (#eq? @_f "assertFalse") (#set! strength "part") (#set! opposite "how")) @assert
(method_invocation name: (identifier) @_f arguments: (argument_list (binary_expression left: (_) @subject operator: "!=" @how right: (_) @expected)) (#eq? @_f "assertFalse") (#not-match? @expected "^null$") (#set! strength "exact") (#set! opposite "how")) @assert
; assertThrows(X.class, ...)
(method_invocation name: (identifier) @how arguments: (argument_list . (class_literal) @expected . (_) @subject) (#match? @how "^(assertThrows|assertThrowsExactly|expectThrows|catchThrowableOfType|assertThatThrownBy)$")
  (#match? @expected "^(java\\.lang\\.)?(Exception|Throwable|RuntimeException|Error)\\.class$") (#set! strength "something")) @assert
(method_invocation name: (identifier) @how arguments: (argument_list . (class_literal) @expected . (_) @subject) (#match? @how "^(assertThrows|assertThrowsExactly|expectThrows|assertInstanceOf|catchThrowableOfType)$")) @assert
(annotation name: (_) @_a arguments: (annotation_argument_list (element_value_pair key: (identifier) @how value: (_) @expected) @assert) (#match? @_a "(^|\\.)Test$") (#any-of? @how "expected" "expectedExceptions")
  (#match? @expected "^\\{?\\s*(java\\.lang\\.)?(Exception|Throwable|RuntimeException|Error)\\.class") (#set! strength "something"))
(annotation name: (_) @_a arguments: (annotation_argument_list (element_value_pair key: (identifier) @how value: (_) @expected) @assert) (#match? @_a "(^|\\.)Test$") (#any-of? @how "expected" "expectedExceptions" "expectedExceptionsMessageRegExp")
  (#not-match? @expected "^(Test\\.)?None\\.class$"))
(method_invocation object: (identifier) @subject name: (identifier) @how arguments: (argument_list . (_) @expected) (#match? @subject "^(thrown|expectedException|exceptionRule|expected|exception|thrownException)$") (#match? @how "^expect(Message|Cause)?$")) @assert

; Hamcrest: contains(a, b) demands all elements in their order
(method_invocation name: (identifier) @_f arguments: (argument_list (_) @subject . (method_invocation !object name: (identifier) @how arguments: (argument_list) @expected) .) (#any-of? @_f "assertThat" "checkThat") (#any-of? @how "contains" "containsInAnyOrder" "arrayContaining" "containsInRelativeOrder") (#set! strength "exact")) @assert
(method_invocation name: (identifier) @_f arguments: (argument_list (_) @subject . (method_invocation name: (identifier) @_m) .) (#any-of? @_f "assertThat" "checkThat") (#eq? @_m "anything") (#set! strength "nothing")) @assert
; Hamcrest: assertThat(x, is(3)), assertThat("why", x, is(not(nullValue())))
(method_invocation name: (identifier) @_f arguments: (argument_list (_) @subject . (method_invocation) @expected .) (#any-of? @_f "assertThat" "checkThat") (#set! read "matcher")) @assert
(method_invocation name: (identifier) @how arguments: (argument_list (_) @subject . (_) @expected .) (#any-of? @how "assertThat" "checkThat") (#not-match? @expected "\\)$")) @assert

; AssertJ and Truth: assertThat(x).isEqualTo(y), assertWithMessage("why").that(x).isTrue()
(method_invocation object: (method_invocation name: (identifier) @_w) name: (identifier) @_t arguments: (argument_list . (_) @subject .) (#match? @_w "^(assertWithMessage|assert_|assertAbout|withMessage|about)$") (#eq? @_t "that") (#set! chain "method_invocation")) @assert
(method_invocation object: (identifier) @_w name: (identifier) @_t arguments: (argument_list . (_) @subject .) (#eq? @_w "expect") (#eq? @_t "that") (#set! chain "method_invocation")) @assert
(method_invocation name: (identifier) @_f arguments: (argument_list . (_) @subject .) (#any-of? @_f "assertThatThrownBy" "thenThrownBy" "catchThrowable") (#set! chain "method_invocation") (#set! begin "throws")) @assert
(method_invocation name: (identifier) @_f arguments: (argument_list . (_) @subject .) (#match? @_f "^(assertThat(Code|ExceptionOfType|Object|List|Stream|Json|Iterable|Collection|Comparable|Predicate|Path|No\\w*|\\w*Exception)?|then|thenCode|and_then)$") (#set! chain "method_invocation")) @assert
(method_invocation name: (identifier) @_f arguments: (argument_list . [(true) (false) (null_literal) (string_literal) (decimal_integer_literal)] @subject @constant .) (#any-of? @_f "assertThat" "then") (#set! chain "method_invocation")) @assert
(method_invocation name: (identifier) @subject arguments: (argument_list) @_none (#match? @subject "^assertThat\\w+Exception$") (#match? @_none "^\\(\\s*\\)$") (#set! chain "method_invocation")) @assert
(method_invocation name: (identifier) @_f arguments: (argument_list) @_none (#match? @_f "^assertThat\\w+$") (#match? @_none "^\\(\\s*\\)$") (#set! chain "method_invocation")) @assert
(expression_statement (method_invocation object: (method_invocation name: (identifier) @_f arguments: (argument_list . (_) @subject .)) name: (identifier) @how) @assert
  (#eq? @_f "assertThat") (#match? @how "^(as|describedAs|withFailMessage|overridingErrorMessage|extracting|usingRecursiveComparison|asString|asList|first|last|isSatisfied)$") (#set! strength "nothing"))
; REST Assured: given()...then().statusCode(200)
(method_invocation object: (_) @subject name: (identifier) @_f arguments: (argument_list) @_none (#eq? @_f "then") (#match? @_none "^\\(\\s*\\)$") (#set! chain "method_invocation")) @assert

; Mockito, EasyMock
(method_invocation object: (method_invocation name: (identifier) @how arguments: (argument_list) @subject) name: (_) arguments: (argument_list) @expected
  (#eq? @how "verify") (#match? @expected "\\b(any\\w*|isA|isNull|notNull|anyOf)\\(") (#set! strength "part")) @assert
(method_invocation object: (method_invocation name: (identifier) @how arguments: (argument_list) @subject) name: (_) arguments: (argument_list) @expected
  (#eq? @how "verify") (#match? @subject "\\b(atLeast\\w*|atMost\\w*)\\(") (#set! strength "part")) @assert
(method_invocation object: (method_invocation name: (identifier) @how arguments: (argument_list) @subject) name: (_) arguments: (argument_list) @expected (#eq? @how "verify") (#set! strength "exact")) @assert
(method_invocation name: (identifier) @how arguments: (argument_list) @subject (#match? @how "^verify(NoMoreInteractions|NoInteractions|ZeroInteractions|All|Unexpected|NoInvocations)$")) @assert
(expression_statement (method_invocation name: (identifier) @how arguments: (argument_list . (_) @subject) (#eq? @how "verify") (#set! strength "something")) @assert)
; Spring, Reactor, Awaitility
(method_invocation object: (_) name: (identifier) @how arguments: (argument_list . (_) @expected) (#match? @how "^(andExpect|andExpectAll|expectNext|expectError\\w*|expectNextCount|expectNextMatches|expectErrorMatches|assertNext|verifyErrorMatches|verifyError\\w*|until|untilAsserted|untilTrue|untilFalse|assertValue\\w*|assertResult|assertError\\w*)$")) @assert
(method_invocation object: (_) name: (identifier) @how arguments: (argument_list) @_none (#match? @_none "^\\(\\s*\\)$") (#match? @how "^(verifyComplete|expectComplete|verifyError|assertNoErrors|assertComplete|assertNoValues)$")) @assert
(method_invocation object: (_) @subject name: (identifier) @_f arguments: (argument_list) (#match? @_f "^(expectStatus|expectHeader|expectBody|expectBodyList|expectCookie)$") (#set! chain "method_invocation")) @assert
; any other assertion
(method_invocation name: (identifier) @how arguments: (argument_list . (_)? @subject . (_)? @expected) (#match? @how "^(assert[A-Z]\\w*|failBecause\\w+)$") (#not-match? @how "^(assertAll|assertThat\\w*|assertSoftly|assertWithMessage|assertAbout)$")) @assert
(method_invocation !object name: (identifier) @how (#match? @how "^(fail|failWithMessage|failWithActualExpectedAndMessage|failWithActual|failWithoutActual|throwAssertionError)$")) @assert
(method_invocation object: (_) @_o name: (identifier) @how (#match? @_o "(^|\\.)(Assert|Assertions|TestCase|Fail)$") (#eq? @how "fail")) @assert
(throw_statement (object_creation_expression type: (_) @how arguments: (argument_list . (_)? @subject)) (#match? @how "(^|\\.)(AssertionError|AssertionFailedError|ComparisonFailure)$")) @assert

; --- code that is not reached, and failures that are lost
(block (if_statement condition: (parenthesized_expression (true)) consequence: [(return_statement) (block . (return_statement))]) @return)
(block [(return_statement) (throw_statement) (break_statement) (continue_statement)] @return)
(constructor_body [(return_statement) (throw_statement)] @return)
(block (expression_statement (method_invocation object: (_) @_o name: (_) @_f)) @return (#any-of? @_o "System" "Runtime.getRuntime()") (#any-of? @_f "exit" "halt"))
(if_statement condition: (parenthesized_expression (false)) consequence: (_) @dead) @mark
(if_statement condition: (parenthesized_expression (binary_expression operator: "&&" (false))) consequence: (_) @dead) @mark
(if_statement condition: (parenthesized_expression (unary_expression operator: "!" operand: (true))) consequence: (_) @dead) @mark
(if_statement condition: (parenthesized_expression (binary_expression left: (decimal_integer_literal) @_l right: (decimal_integer_literal) @_r) @_c) consequence: (_) @dead (#match? @_c "^(\\d+ ?== ?\\d+|\\d+ ?> ?\\d+)$") (#not-eq? @_l @_r) (#match? @_c "^(1 ?== ?[02-9]|0 ?== ?[1-9]|0 ?> ?\\d)")) @mark
(if_statement condition: (parenthesized_expression (true)) alternative: (_) @dead)
(for_statement condition: (false) body: (_) @dead)
(enhanced_for_statement value: (method_invocation) @_e body: (_) @dead (#match? @_e "^(List|Set)\\.of\\(\\)$|^(Collections\\.)?empty(List|Set)\\(\\)$"))
(if_statement condition: (parenthesized_expression (_) @condition) consequence: (_) @branch)
(if_statement condition: (parenthesized_expression (_) @condition) alternative: (_) @branch)
(try_statement body: (block) @swallow (catch_clause (catch_formal_parameter (catch_type) @_t) body: (block) @handler) (#match? @_t "\\b(Throwable|Error|AssertionError|AssertionFailedError|ComparisonFailure)\\b"))
(try_with_resources_statement body: (block) @swallow (catch_clause (catch_formal_parameter (catch_type) @_t) body: (block) @handler) (#match? @_t "\\b(Throwable|Error|AssertionError|AssertionFailedError|ComparisonFailure)\\b"))
(try_statement body: (block) @swallow (catch_clause (catch_formal_parameter (catch_type) @_t) body: (block) @handler) (#match? @_t "\\b(Exception|RuntimeException)\\b") (#not-match? @swallow "\\b(fail|failBecause\\w+)\\("))
(try_with_resources_statement body: (block) @swallow (catch_clause (catch_formal_parameter (catch_type) @_t) body: (block) @handler) (#match? @_t "\\b(Exception|RuntimeException)\\b") (#not-match? @swallow "\\bfail\\("))
(try_statement body: (block) @swallow (finally_clause (block (return_statement))))
(throw_statement) @throw
(method_invocation name: (identifier) @throw (#match? @throw "^(fail|addError|error|sneakyThrow|set|countDown|compareAndSet|add|complete\\w*)$"))

; --- suppressions, comments, debugging aids
(annotation name: (_) @_a arguments: (annotation_argument_list . (string_literal) @rule) (#match? @_a "(^|\\.)SuppressWarnings$") (#set! linter "java") (#set! reach "definition")) @suppress
(annotation name: (_) @_a arguments: (annotation_argument_list . (element_value_array_initializer (string_literal) @rule)) (#match? @_a "(^|\\.)SuppressWarnings$") (#set! linter "java") (#set! reach "definition")) @suppress
(annotation name: (_) @_a arguments: (annotation_argument_list . (element_value_pair value: [(string_literal) @rule (element_value_array_initializer (string_literal) @rule)])) (#match? @_a "(^|\\.)SuppressWarnings$") (#set! linter "java") (#set! reach "definition")) @suppress
(annotation name: (_) @_a (#match? @_a "(^|\\.)SuppressWarnings$") (#set! linter "java") (#set! reach "definition")) @suppress
(annotation name: (_) @_a arguments: (annotation_argument_list [(string_literal) @rule (element_value_array_initializer (string_literal) @rule)]) (#match? @_a "(^|\\.)(SuppressFBWarnings|SuppressFindBugsWarnings)$") (#set! linter "spotbugs")) @suppress
(annotation name: (_) @_a arguments: (annotation_argument_list (element_value_pair key: (_) @_k value: [(string_literal) @rule (element_value_array_initializer (string_literal) @rule)])) (#eq? @_k "value") (#match? @_a "(^|\\.)(SuppressFBWarnings|SuppressFindBugsWarnings)$") (#set! linter "spotbugs")) @suppress
([(marker_annotation name: (_) @_a) (annotation name: (_) @_a)] @suppress (#match? @_a "(^|\\.)(SuppressFBWarnings|SuppressFindBugsWarnings)$") (#set! linter "spotbugs"))
(annotation name: (_) @_a arguments: (annotation_argument_list . [(string_literal) @rule (element_value_array_initializer (string_literal) @rule)]) (#match? @_a "(^|\\.)(SuppressLint)$") (#set! linter "android-lint")) @suppress
([(marker_annotation name: (_) @_a) (annotation name: (_) @_a)] @suppress (#match? @_a "(^|\\.)(ExcludeFromJacocoGeneratedReport|CoverageIgnore|ExcludeFromCoverage\\w*)$") (#set! linter "coverage"))
([(marker_annotation name: (_) @_a) (annotation name: (_) @_a)] @suppress (#match? @_a "(^|\\.)(SuppressForbidden|SuppressAjWarnings|CheckReturnValueIgnored|IgnoreJRERequirement|SuppressAnimalSniffer)$") (#set! linter "java"))
[(line_comment) (block_comment)] @comment
(method_invocation object: (_) @_o name: (identifier) @what arguments: (argument_list) @_none (#match? @_none "^\\(\\s*\\)$") (#eq? @what "printStackTrace")) @debug
(method_invocation object: (_) @_o name: (identifier) @_f (#any-of? @_o "Thread" "Thread.currentThread()") (#any-of? @_f "dumpStack")) @debug
