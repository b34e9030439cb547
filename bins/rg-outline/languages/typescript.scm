; What TypeScript adds to javascript.scm.
(interface_declaration name: (_) @define)
(type_alias_declaration name: (_) @define)
(enum_declaration name: (_) @define)
(abstract_class_declaration name: (_) @define)
(function_signature name: (_) @define)
(call_expression
  function: (call_expression function: (member_expression property: (_) @_each)
    arguments: (arguments . (as_expression . (array) @rows) .)) (#any-of? @_each "each" "for"))
(variable_declarator name: (identifier) @name value: [(as_expression . (array) @list) (satisfies_expression . (array) @list)])
