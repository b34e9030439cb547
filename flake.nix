{
  description = "Small programs that check the work of a coding agent before it may stop";

  inputs.nixpkgs.url = "github:NixOS/nixpkgs/nixpkgs-unstable";

  outputs =
    { self, nixpkgs }:
    let
      inherit (nixpkgs) lib;
      systems = [
        "x86_64-linux"
        "aarch64-linux"
        "aarch64-darwin"
      ];
      eachSystem = f: lib.genAttrs systems (system: f nixpkgs.legacyPackages.${system});
    in
    {
      overlays.default = final: _: { review-gate = final.callPackage ./nix/package.nix { }; };

      homeModules.default = (import ./nix/modules.nix self).home;
      nixosModules.default = (import ./nix/modules.nix self).nixos;

      packages = eachSystem (
        pkgs:
        let
          review-gate = pkgs.callPackage ./nix/package.nix { };
        in
        review-gate.tools
        // {
          inherit review-gate;
          default = review-gate;
          demo = pkgs.callPackage ./nix/demo.nix { inherit review-gate; };
        }
      );

      checks = eachSystem (
        pkgs:
        let
          inherit (self.packages.${pkgs.stdenv.hostPlatform.system}) review-gate demo;
        in
        {
          # The build runs all tests.
          package = review-gate;
          clippy = review-gate.lint {
            name = "clippy";
            tool = pkgs.clippy;
            run = "cargo clippy --offline --workspace --all-targets -- -D warnings";
          };
          fmt = review-gate.lint {
            name = "fmt";
            tool = pkgs.rustfmt;
            run = "cargo fmt --all --check";
          };
          modules = pkgs.callPackage ./nix/module-check.nix { inherit self review-gate pkgs; };
          demo = pkgs.runCommand "review-gate-demo-plays" { } ''
            export HOME=$PWD
            ${lib.getExe demo}
            touch $out; :
          '';
        }
      );

      devShells = eachSystem (pkgs: {
        default = pkgs.mkShell {
          inputsFrom = [ self.packages.${pkgs.stdenv.hostPlatform.system}.review-gate ];
          packages = [
            pkgs.clippy
            pkgs.rustfmt
            pkgs.mandoc
            pkgs.shellcheck
          ];
        };
      });

      formatter = eachSystem (pkgs: pkgs.nixfmt);
    };
}
