# Modules that install the programs and add their hooks to the settings of Claude Code: one for home-manager, one for NixOS.
self:
let
  options =
    { lib, pkgs }:
    {
      enable = lib.mkEnableOption "review-gate, which checks the work of a coding agent before it may stop";
      package = lib.mkOption {
        type = lib.types.package;
        default = self.packages.${pkgs.stdenv.hostPlatform.system}.review-gate;
        description = "The package with the programs.";
      };
    };
in
{
  # home-manager's own module writes the settings, so the hooks of other modules are kept.
  home =
    {
      config,
      lib,
      pkgs,
      ...
    }:
    let
      cfg = config.programs.review-gate;
    in
    {
      options.programs.review-gate = options { inherit lib pkgs; };
      config = lib.mkIf cfg.enable {
        home.packages = [ cfg.package ];
        programs.claude-code.settings.hooks = import ./hooks.nix cfg.package;
      };
    };
  # The hooks are settings of the system: they apply to every user.
  nixos =
    {
      config,
      lib,
      pkgs,
      ...
    }:
    let
      cfg = config.programs.review-gate;
    in
    {
      options.programs.review-gate = options { inherit lib pkgs; };
      config = lib.mkIf cfg.enable {
        environment.systemPackages = [ cfg.package ];
        environment.etc."claude-code/managed-settings.d/50-review-gate.json".text = builtins.toJSON {
          hooks = import ./hooks.nix cfg.package;
        };
      };
    };
}
