; C#: xUnit, NUnit, MSTest, TUnit; assertions of those, FluentAssertions, Shouldly, Moq, NSubstitute.

; --- tests
(method_declaration (attribute_list (attribute name: (_) @_a)) name: (identifier) @name body: (_)? @body
  (#match? @_a "^(\\w+\\.)*(\\w*Fact|\\w*Theory|Test|TestCase|TestCaseSource|TestMethod|DataTestMethod|STATestMethod|Property|Arguments|WpfFact|StaFact|Combinatorial|Scenario)(Attribute)?$")) @test
; --- suites
(class_declaration name: (_) @name body: (_)? @body) @suite
(struct_declaration name: (_) @name body: (_)? @body) @suite
(record_declaration name: (_) @name body: (_)? @body) @suite
; --- functions, hooks, names, calls
(method_declaration (attribute_list (attribute name: (_) @_a)) name: (identifier) @name body: (_) @body
  (#match? @_a "^(SetUp|TearDown|OneTimeSetUp|OneTimeTearDown|TestInitialize|TestCleanup|ClassInitialize|ClassCleanup|Before|After)$") (#set! kind "hook")) @function
(method_declaration name: (identifier) @name body: (_) @body) @function
(constructor_declaration name: (identifier) @name body: (_) @body) @function
(local_function_statement name: (identifier) @name body: (_) @body) @function
[(method_declaration name: (_) @define) (class_declaration name: (_) @define) (struct_declaration name: (_) @define) (record_declaration name: (_) @define) (interface_declaration name: (_) @define) (enum_declaration name: (_) @define) (property_declaration name: (_) @define) (delegate_declaration name: (_) @define) (enum_member_declaration name: (_) @define)]
(field_declaration (variable_declaration (variable_declarator name: (_) @define)))
(invocation_expression function: [(identifier) @call (generic_name . (identifier) @call) (member_access_expression name: [(identifier) @call (generic_name . (identifier) @call)]) (conditional_access_expression (member_binding_expression name: (identifier) @call))])
(object_creation_expression type: [(identifier) @call (generic_name . (identifier) @call) (qualified_name name: (identifier) @call)])

; --- rows of tables
(attribute name: (_) @_a (#match? @_a "^(\\w+\\.)*(InlineData|TestCase|DataRow|Arguments|ClassData|Repeat|InlineAutoData|InlineAutoMoqData|ValueSource|CsvData|JsonData)(Attribute)?$") (#set! rows "one")) @rows
; MemberData(nameof(Rows)): the rows of a list in the same file
(attribute name: (_) @_a (attribute_argument_list . (attribute_argument (string_literal (string_literal_content) @rows))) (#match? @_a "(MemberData|TestCaseSource|DynamicData)$") (#set! rows "name"))
(attribute name: (_) @_a (attribute_argument_list . (attribute_argument (invocation_expression function: (identifier) @_n arguments: (argument_list (argument (identifier) @rows))))) (#match? @_a "(MemberData|TestCaseSource|DynamicData)$") (#eq? @_n "nameof") (#set! rows "name"))
(property_declaration name: (identifier) @name value: (_ (initializer_expression) @list))
(property_declaration name: (identifier) @name value: (arrow_expression_clause (_ (initializer_expression) @list)))
(field_declaration (variable_declaration (variable_declarator name: (identifier) @name (_ (initializer_expression) @list))))

; --- what keeps tests from running
(attribute name: (_) @_a (attribute_argument_list (attribute_argument name: (identifier) @_k [(string_literal) (verbatim_string_literal) (identifier) (member_access_expression) (binary_expression) (interpolated_string_expression)]) @skip) @_list
  (#match? @_a "^(\\w+\\.)*(\\w*Fact|\\w*Theory|InlineData|MemberData|ClassData)(Attribute)?$") (#eq? @_k "Skip") (#not-match? @_list "\\bSkip(Unless|When)\\b"))
(attribute name: (_) @_a (attribute_argument_list (attribute_argument name: (identifier) @_k (_) @condition)) @skip (#match? @_a "^(\\w+\\.)*(\\w*Fact|\\w*Theory)(Attribute)?$") (#any-of? @_k "SkipUnless" "SkipWhen"))
(attribute name: (_) @_a (attribute_argument_list (attribute_argument name: (identifier) @_k (_)) @skip) (#match? @_a "^(\\w+\\.)*TestCase(Attribute)?$") (#any-of? @_k "Ignore" "IgnoreReason" "Explicit"))
(attribute name: (_) @skip (#match? @skip "^(\\w+\\.)*(Ignore|Explicit|Skip|Inconclusive)(Attribute)?$"))
(attribute name: (_) @skip (attribute_argument_list) @condition (#match? @skip "^(\\w+\\.)*(Platform|OSCondition|CICondition|ConditionalIgnore|SkipOnPlatform|SkipIf\\w*|IgnoreOn\\w*|SkipOn\\w*|PlatformSpecific|ActiveIssue|RunOn\\w*|ExcludeOn\\w*|MemberCondition)(Attribute)?$"))
(invocation_expression function: (member_access_expression expression: (_) @_o name: (identifier) @_m) @mark (#match? @_o "^(\\w+\\.)*(Assert|Skip)$") (#match? @_m "^(Ignore|Inconclusive|Skip|Pass|Test)$")) @skip
(invocation_expression function: (member_access_expression expression: (_) @_o name: (identifier) @_m) @mark arguments: (argument_list . (argument) @condition) (#match? @_o "^(\\w+\\.)*(Assert|Skip|Assume)$") (#match? @_m "^(SkipWhen|SkipUnless|If|IfNot|Unless|When|That)$") (#not-match? @mark "Assert\\.That$") (#not-match? @condition "^(true|false)$")) @skip
(invocation_expression function: (member_access_expression expression: (_) @_o name: (identifier) @_m) @mark arguments: (argument_list . (argument (boolean_literal))) (#match? @_o "^(\\w+\\.)*(Assert|Skip|Assume)$") (#match? @_m "^(SkipWhen|SkipUnless|If|IfNot|Unless|When)$")) @skip
(preproc_if condition: [(identifier) (prefix_unary_expression) (unary_expression) (binary_expression) (parenthesized_expression)] @condition (#set! of "inside")) @skip
(throw_statement (object_creation_expression type: (_) @_t) (#match? @_t "(^|\\.)(IgnoreException|InconclusiveException|AssertInconclusiveException|SkipException|SkipTestException)$")) @skip
(method_declaration (attribute_list (attribute name: (_) @_a)) (modifier) @skip name: (_) (#any-of? @skip "private" "protected" "internal") (#match? @_a "^(\\w+\\.)*(Test|TestCase|TestMethod|DataTestMethod)(Attribute)?$"))

; --- assertions: constants and the like first
(invocation_expression function: (member_access_expression expression: (_) @_o name: [(identifier) @how (generic_name . (identifier) @how)]) arguments: (argument_list . (argument [(boolean_literal) (null_literal) (integer_literal) (string_literal)]) @subject)
  (#match? @_o "(^|\\.)(\\w*Assert|Xunit\\.Assert)$") (#match? @how "^(True|False|IsTrue|IsFalse|NotNull|IsNotNull|Null|IsNull|That)$") (#not-match? @subject "^\"") (#set! strength "nothing")) @assert
(invocation_expression function: (member_access_expression expression: (_) @_o name: (identifier) @how) arguments: (argument_list . (argument [(boolean_literal) (null_literal) (integer_literal) (string_literal)]) @expected . (argument [(boolean_literal) (null_literal) (integer_literal) (string_literal)]) @subject .)
  (#match? @_o "Assert$") (#match? @how "^(Equal|AreEqual|Same|AreSame|StrictEqual)$") (#set! strength "nothing")) @assert
(invocation_expression function: (member_access_expression expression: (_) @_o name: (identifier) @how) arguments: (argument_list . (argument) @expected . (argument) @subject) (#match? @_o "Assert$") (#match? @how "^(Equal|AreEqual|Same|AreSame|Equivalent|AreEquivalent|StrictEqual)$") (#eq? @expected @subject) (#set! strength "nothing")) @assert
(invocation_expression function: (member_access_expression expression: [(boolean_literal) (integer_literal) (string_literal)] @subject name: (identifier) @_s) arguments: (argument_list) @_none (#eq? @_s "Should") (#set! strength "nothing") (#match? @_none "^\\(\\s*\\)$") (#set! chain "member_access_expression invocation_expression")) @assert
; Assert.Throws<Exception>(...)
(invocation_expression function: (member_access_expression expression: (_) @_o name: (generic_name . (identifier) @how (type_argument_list) @expected)) arguments: (argument_list . (argument) @subject) (#match? @_o "Assert$") (#match? @how "^(Throws|ThrowsAny|Catch)") (#match? @expected "^<(System\\.)?(Exception|SystemException|ApplicationException)>$") (#set! strength "something")) @assert
(invocation_expression function: (member_access_expression expression: (_) @_o name: (generic_name . (identifier) @how (type_argument_list) @expected)) arguments: (argument_list . (argument) @subject) (#match? @_o "Assert$") (#match? @how "^(Throws|Catch|IsType|IsAssignableFrom|IsNotType|IsInstanceOf|IsInstanceOfType|IsNotInstanceOf|DoesNotThrow)")) @assert
(attribute name: (identifier) @how (attribute_argument_list . (attribute_argument) @expected) (#match? @how "^ExpectedException(Attribute)?$")) @assert
; Assert.True(a == b), Assert.True(a.Equals(b)), Assert.True(a.Contains(b))
(invocation_expression function: (member_access_expression expression: (_) @_o name: (identifier) @_f) arguments: (argument_list . (argument (binary_expression left: (_) @subject operator: "==" @how right: (_) @expected)) .) (#match? @_o "Assert$") (#match? @_f "^(True|IsTrue|That)$") (#not-match? @expected "^null$") (#set! strength "exact")) @assert
(invocation_expression function: (member_access_expression expression: (_) @_o name: (identifier) @_f) arguments: (argument_list . (argument (binary_expression left: (_) @subject operator: "==" @how right: (_) @expected)) . (argument (string_literal))) (#match? @_o "Assert$") (#match? @_f "^(True|IsTrue|That)$") (#not-match? @expected "^null$") (#set! strength "exact")) @assert
(invocation_expression function: (member_access_expression expression: (_) @_o name: (identifier) @_f) arguments: (argument_list . (argument (binary_expression left: (_) @subject operator: ["<" ">" "<=" ">="] @how right: (_) @expected))) (#match? @_o "Assert$") (#match? @_f "^(True|IsTrue|That)$") (#set! strength "part")) @assert
(invocation_expression function: (member_access_expression expression: (_) @_o name: (identifier) @_f) arguments: (argument_list . (argument (binary_expression left: (_) @subject operator: ["<" ">" "<=" ">="] @how right: (_) @expected))) (#match? @_o "Assert$") (#match? @_f "^(False|IsFalse)$") (#set! strength "part") (#set! opposite "how")) @assert
(invocation_expression function: (member_access_expression expression: (_) @_o name: (identifier) @_f) arguments: (argument_list . (argument (invocation_expression function: (member_access_expression expression: (_) @subject name: (identifier) @how) arguments: (argument_list (argument) @expected)))) (#match? @_o "Assert$") (#match? @_f "^(True|IsTrue)$") (#match? @how "^(Equals|SequenceEqual|SetEquals)$") (#set! strength "exact")) @assert
(invocation_expression function: (member_access_expression expression: (_) @_o name: (identifier) @_f) arguments: (argument_list . (argument (invocation_expression function: (member_access_expression expression: (_) @subject name: (identifier) @how) arguments: (argument_list . (argument) @expected .)))) (#match? @_o "Assert$") (#match? @_f "^(True|IsTrue)$") (#match? @how "^(Contains|StartsWith|EndsWith|ContainsKey|Any|All)$") (#set! strength "part")) @assert
; NUnit's constraints: Assert.That(x, Is.EqualTo(3)), Assert.That(x, Is.Not.Null)
(invocation_expression function: (member_access_expression expression: (_) @_o name: (identifier) @_m) arguments: (argument_list . (argument) @subject . (argument [(member_access_expression) (invocation_expression)] @expected))
  (#match? @_o "Assert$") (#eq? @_m "That") (#match? @expected "^(NUnit\\.Framework\\.)?(Is|Has|Does|Contains|Throws|Iz)\\.") (#set! read "constraint")) @assert
(expression_statement (invocation_expression function: (member_access_expression expression: (_) @_o name: (identifier) @how) arguments: (argument_list . (argument) @subject .)) @assert (#match? @_o "Assert$") (#eq? @how "That") (#set! strength "something"))
; TUnit: Assert.That(x).IsEqualTo(y)
(invocation_expression function: (member_access_expression expression: (_) @_o name: (identifier) @_m) arguments: (argument_list . (argument) @subject .) (#match? @_o "Assert$") (#eq? @_m "That") (#set! chain "member_access_expression invocation_expression")) @assert
; FluentAssertions: x.Should().Be(3); Shouldly: x.ShouldBe(3)
(invocation_expression function: (member_access_expression expression: (_) @subject name: (identifier) @_s) arguments: (argument_list) @_none (#eq? @_s "Should") (#match? @_none "^\\(\\s*\\)$") (#set! chain "member_access_expression invocation_expression")) @assert
(invocation_expression function: (member_access_expression expression: (_) @subject name: (identifier) @how) arguments: (argument_list . (argument) @expected . (argument [(real_literal) (integer_literal)]) @expected) (#eq? @how "ShouldBe") (#set! strength "part")) @assert
(invocation_expression function: (member_access_expression expression: (_) @subject name: (generic_name . (identifier) @how (type_argument_list) @expected)) arguments: (argument_list) (#match? @how "^Should(Not)?[A-Z]\\w*$")) @assert
(invocation_expression function: (member_access_expression expression: (_) @subject name: (identifier) @how) arguments: (argument_list . (argument)? @expected) (#match? @how "^Should(Not)?[A-Z]\\w*$")) @assert
(invocation_expression function: (member_access_expression expression: (identifier) @_o name: (generic_name . (identifier) @how (type_argument_list) @expected)) arguments: (argument_list . (argument) @subject) (#eq? @_o "Should")) @assert
(invocation_expression function: (member_access_expression expression: (identifier) @_o name: (identifier) @how) arguments: (argument_list . (argument)? @subject) (#eq? @_o "Should")) @assert
; Moq, NSubstitute, FakeItEasy
(invocation_expression function: (member_access_expression expression: (_) @subject name: (identifier) @how) arguments: (argument_list . (argument) @expected) (#match? @how "^Verify(Get|Set|Add)?$") (#match? @expected "It\\.(IsAny|IsNotNull)") (#set! strength "part")) @assert
(invocation_expression function: (member_access_expression expression: (_) @subject name: (identifier) @how) arguments: (argument_list . (argument)? @expected . (argument)? @expected) (#match? @how "^(Verify(Get|Set|Add|All|NoOtherCalls)?|MustHaveHappened\\w*|MustNotHaveHappened)$")) @assert
(invocation_expression function: (member_access_expression expression: (invocation_expression function: (member_access_expression expression: (_) @subject name: (identifier) @how) arguments: (argument_list) @expected) name: (_) @expected) arguments: (argument_list) @expected (#match? @how "^(Received|DidNotReceive|ReceivedWithAnyArgs|DidNotReceiveWithAnyArgs)$")) @assert
; expected first, then the subject, and how far it may be away
(invocation_expression function: (member_access_expression expression: (_) @_o name: (identifier) @how) arguments: (argument_list . (argument) @expected . (argument) @subject . (argument [(real_literal) (integer_literal)]) @expected) (#match? @_o "(^|\\.)(\\w*Assert)$") (#any-of? @how "Equal" "AreEqual") (#set! strength "part")) @assert
(invocation_expression function: (member_access_expression expression: (_) @_o name: (identifier) @how) arguments: (argument_list . (argument) @expected . (argument) @subject . (argument) @_named @expected) (#match? @_o "(^|\\.)(\\w*Assert)$") (#any-of? @how "Equal" "AreEqual") (#match? @_named "^(tolerance|delta|precision|ignoreCase) *:") (#set! strength "part")) @assert
; any other: expected first, then the subject
(invocation_expression function: (member_access_expression expression: (_) @_o name: (identifier) @how) arguments: (argument_list . (argument) @expected . (argument) @subject) (#match? @_o "(^|\\.)(\\w*Assert)$") (#match? @how "^(Equal|AreEqual|AreNotEqual|NotEqual|Same|NotSame|AreSame|AreNotSame|Equivalent|AreEquivalent|StrictEqual|HasCount|Contains|DoesNotContain|StartsWith|EndsWith|Matches|DoesNotMatch|EqualTo|IsSubsetOf)$")) @assert
(invocation_expression function: (member_access_expression expression: (_) @_o name: [(identifier) @how (generic_name . (identifier) @how)]) arguments: (argument_list . (argument)? @subject . (argument)? @expected) (#match? @_o "(^|\\.)(\\w*Assert)$") (#not-match? @how "^(Multiple|Ignore|Inconclusive|Skip\\w*|Pass|That|EnterMultipleScope|Warn)$")) @assert
(invocation_expression function: [(identifier) @how (generic_name . (identifier) @how)] arguments: (argument_list . (argument)? @subject . (argument)? @expected) (#match? @how "^(Assert|Verify)[A-Z]\\w*$")) @assert
(invocation_expression function: (member_access_expression expression: (identifier) @_o name: (identifier) @how) arguments: (argument_list . (argument) @subject) (#eq? @_o "Debug") (#eq? @how "Assert") (#set! strength "something")) @assert
(invocation_expression function: (identifier) @how arguments: (argument_list . (argument) @subject) (#eq? @how "Verify") (#set! strength "exact")) @assert

; --- code that is not reached, and failures that are lost
(block [(return_statement) (throw_statement) (break_statement) (continue_statement)] @return)
(if_statement condition: (boolean_literal) @_c consequence: (_) @dead (#eq? @_c "false")) @mark
(if_statement condition: (binary_expression operator: "&&" (boolean_literal) @_c) consequence: (_) @dead (#eq? @_c "false")) @mark
(if_statement condition: (boolean_literal) @_c alternative: (_) @dead (#eq? @_c "true"))
(while_statement condition: (boolean_literal) @_c body: (_) @dead (#eq? @_c "false")) @mark
(preproc_if condition: (boolean_literal) @_c (#eq? @_c "false")) @dead
(preproc_if condition: (identifier) @_c (#match? @_c "^(FALSE|NEVER|DISABLED|IGNORE|SKIP|NOT_?YET|TODO|BROKEN)$")) @dead
(if_statement condition: (_) @condition consequence: (_) @branch)
(if_statement condition: (_) @condition alternative: (_) @branch)
(preproc_if condition: (identifier) @condition) @branch
(try_statement body: (block) @swallow (catch_clause . (block) @handler))
(try_statement body: (block) @swallow (catch_clause (catch_declaration type: (_) @_t) body: (block) @handler) (#match? @_t "^(\\w+\\.)*(Exception|XunitException|AssertionException|AssertFailedException|UnitTestAssertException|SystemException)$"))
(throw_statement) @throw
(invocation_expression function: (member_access_expression name: (identifier) @throw) (#match? @throw "^(Fail|SetException|TrySetException)$"))

; --- suppressions, comments, debugging aids
(preproc_pragma "warning" "disable" [(identifier) (integer_literal)]+ @rule (#set! linter "csharp") (#set! reach "block")) @suppress
(preproc_pragma "warning" "disable" . (#set! linter "csharp") (#set! reach "block")) @suppress
(attribute name: (_) @_a (attribute_argument_list . (attribute_argument) . (attribute_argument (string_literal) @rule)) (#match? @_a "^(\\w+\\.)*(SuppressMessage|UnconditionalSuppressMessage)(Attribute)?$") (#set! linter "csharp")) @suppress
(attribute name: (_) @_a (#match? @_a "^(\\w+\\.)*(ExcludeFromCodeCoverage)(Attribute)?$") (#set! linter "coverage")) @suppress
(comment) @comment
(invocation_expression function: (member_access_expression expression: (_) @_o name: (identifier) @_m) @what (#match? @_o "(^|\\.)Debugger$") (#match? @_m "^(Break|Launch)$")) @debug
