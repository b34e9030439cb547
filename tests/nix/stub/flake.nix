# A stand-in for nixpkgs, just large enough to evaluate and build our flake without a network: tests/nix/run uses it.
{
  outputs =
    { self }:
    let
      lib = import ./lib.nix;
      host = builtins.fromJSON (builtins.readFile ./host.json);
    in
    {
      inherit lib;
      legacyPackages = lib.genAttrs [
        "x86_64-linux"
        "aarch64-linux"
        "aarch64-darwin"
      ] (system: import ./pkgs.nix { inherit lib host system; });
    };
}
