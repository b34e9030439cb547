; What JSX adds to javascript.scm.
(jsx_opening_element name: (_) @call)
(jsx_self_closing_element name: (_) @call)
