# The packages that our flake uses: host tools, and a builder that does what rustPlatform's does, as far as we need it.
{
  lib,
  host,
  system,
}:
let
  # A host tool as a package: a directory with links.
  tool =
    name: programs:
    derivation {
      inherit name system;
      builder = host.bash;
      args = [
        "-ec"
        "mkdir -p $out/bin; for p in ${toString programs}; do ln -s $(command -v $p) $out/bin/; done; :"
      ];
      PATH = host.path;
    };

  make =
    build: f:
    let
      attrs = f final;
      final = attrs // {
        finalPackage = package;
      };
      package =
        derivation {
          name = "${attrs.pname}-${attrs.version}";
          inherit system;
          inherit (attrs) src;
          builder = host.bash;
          args = [ ./build.sh ];
          PATH = host.path;
          CARGO_HOME = host.cargoHome;
          RUSTUP_HOME = host.rustupHome;
          bash = host.bash;
          flags = toString (attrs.cargoBuildFlags or [ ]);
          doCheck = if host.tests && attrs.doCheck or true then "1" else "";
          buildPhase = attrs.buildPhase or "";
          installPhase = attrs.installPhase or "";
          postInstall = attrs.postInstall or "";
          postFixup = attrs.postFixup or "";
          outputs = [ "out" ];
        }
        // {
          inherit (attrs) meta;
          overrideAttrs =
            g:
            make build (
              final:
              let
                before = f final;
              in
              before // g before
            );
        }
        // (attrs.passthru or { });
    in
    package;

  self = {
    inherit lib;
    stdenv.hostPlatform = { inherit system; };
    callPackage =
      file: args:
      let
        f = import file;
      in
      f (builtins.intersectAttrs (builtins.functionArgs f) self // args);
    rustPlatform.buildRustPackage = make "rust";
    runCommand =
      name: attrs: script:
      derivation (
        {
          inherit name system;
          builder = host.bash;
          args = [
            "-ec"
            script
          ];
          PATH = host.path;
          outputs = [ "out" ];
        }
        // builtins.removeAttrs attrs [ "meta" ]
      )
      // {
        meta = attrs.meta or { };
      };
    mkShell =
      _:
      derivation {
        name = "shell";
        inherit system;
        builder = host.bash;
        args = [
          "-ec"
          "touch $out; :"
        ];
        PATH = host.path;
        outputs = [ "out" ];
      };
    installShellFiles = tool "install-shell-files" [ ];
    makeBinaryWrapper = tool "make-binary-wrapper" [ ];
    gitMinimal = tool "git" [ "git" ];
    mandoc = tool "mandoc" [ "mandoc" ];
    procps = tool "procps" [ "ps" ];
    python3 = tool "python3" [ "python3" ];
    util-linux = tool "util-linux" [
      "script"
      "setsid"
    ];
    bash = tool "bash" [ "bash" ];
    clippy = tool "clippy" [ "cargo-clippy" ];
    rustfmt = tool "rustfmt" [ "rustfmt" ];
    shellcheck = tool "shellcheck" [ ];
    nixfmt = tool "nixfmt" [ ];
  };
in
self
