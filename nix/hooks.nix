# The hooks of hooks.json for a client's settings: each program by its path in the store.
package:
let
  inherit (builtins.fromJSON (builtins.readFile ../hooks.json)) hooks;
  absolute =
    builtins.replaceStrings
      [
        "\"\${CLAUDE_PLUGIN_ROOT}\"/bin/"
        "\${CLAUDE_PLUGIN_ROOT}/bin/"
      ]
      [
        "${package}/bin/"
        "${package}/bin/"
      ];
  hook = one: one // { command = absolute one.command; };
  group = one: one // { hooks = map hook one.hooks; };
in
builtins.mapAttrs (_: map group) hooks
