# Evaluates both modules, and tests that every program of their hooks is there, without a wrapper.
{
  self,
  lib,
  pkgs,
  runCommand,
  review-gate,
}:
let
  inherit (import ./modules.nix self) home nixos;
  evaluate =
    module:
    module {
      inherit pkgs;
      config.programs.review-gate = {
        enable = true;
        package = review-gate;
      };
      # A condition gives its content, so that no module system is needed.
      lib = lib // {
        mkIf = condition: content: if condition then content else { };
      };
    };
  users = evaluate home;
  system = evaluate nixos;
  file = system.config.environment.etc."claude-code/managed-settings.d/50-review-gate.json".text;
in
assert users.config.home.packages == [ review-gate ];
assert system.config.environment.systemPackages == [ review-gate ];
assert builtins.attrNames users.options.programs.review-gate == [
  "enable"
  "package"
];
runCommand "review-gate-modules"
  {
    hooks = builtins.toJSON users.config.programs.claude-code.settings.hooks + file;
  }
  ''
    programs=$(printf %s "$hooks" | grep -o '${review-gate}/bin/[a-z-]*' | sort -u)
    case $hooks in *CLAUDE_PLUGIN_ROOT*) exit 1 ;; esac
    [ "$(printf '%s\n' "$programs" | wc -l)" -ge 10 ]
    for program in $programs; do
      "$program" --version
    done
    # A wrapped program is hidden behind its wrapper.
    [ -z "$(find ${review-gate}/bin -name '.*' -type f)" ]
    touch $out; :
  ''
