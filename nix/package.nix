# One derivation with all programs, manuals, schemas and the plugin; a small package of links for each program.
{
  lib,
  rustPlatform,
  installShellFiles,
  runCommand,
  gitMinimal,
  mandoc,
  procps,
  python3,
  util-linux,
}:
let
  manifest = lib.importTOML ../Cargo.toml;
  names = map (bin: bin.name) manifest.bin;
in
rustPlatform.buildRustPackage (finalAttrs: {
  pname = "review-gate";
  version = manifest.workspace.package.version;

  src = lib.fileset.toSource {
    root = ../.;
    fileset = lib.fileset.unions [
      ../.cargo
      # The tests look whether each file is there that a page names.
      ../.ci
      ../.claude-plugin
      ../.github
      ../ARCHITECTURE.md
      ../DONE.md
      ../deny.toml
      ../flake.nix
      ../nix
      ../agents
      ../commands
      ../install.sh
      ../skills
      ../CHANGELOG.md
      ../CONTRIBUTING.md
      ../Cargo.lock
      ../Cargo.toml
      ../LICENSE-APACHE
      ../LICENSE-MIT
      ../README.md
      ../bins
      ../clippy.toml
      ../docs
      ../hooks
      ../hooks.json
      ../lib
      ../man
      ../rustfmt.toml
      ../schema
      ../tests
      ../xtask
    ];
  };
  cargoLock.lockFile = ../Cargo.lock;
  cargoBuildFlags = [ "--package=review-gate" ];

  strictDeps = true;
  # The programs find git on PATH and name it where it is missing. A wrapper would start one more process in each stage of a hook.
  nativeBuildInputs = [ installShellFiles ];
  # The tests create repositories, lint the manuals and simulate a terminal.
  nativeCheckInputs = [
    gitMinimal
    mandoc
    procps
    python3
    util-linux
  ];

  postInstall = ''
    installManPage man/*.[157]
    for tool in ${toString names}; do
      installShellCompletion --cmd $tool \
        --bash <($out/bin/$tool --completion bash) \
        --zsh <($out/bin/$tool --completion zsh) \
        --fish <($out/bin/$tool --completion fish)
    done
    install -Dm644 -t $out/share/review-gate/schema schema/*.json
    mkdir $out/share/review-gate/plugin
    cp -r --no-preserve=mode .claude-plugin agents commands hooks hooks.json skills $out/share/review-gate/plugin/
    mkdir $out/share/review-gate/plugin/bin
    ln $out/bin/* $out/share/review-gate/plugin/bin/
  '';
  passthru = {
    # A package of links for each program and its manual.
    tools = lib.genAttrs names (
      tool:
      runCommand "${tool}-${finalAttrs.version}" { meta = finalAttrs.meta // { mainProgram = tool; }; } ''
        mkdir -p $out/bin $out/share/man/man1
        ln -s ${finalAttrs.finalPackage}/bin/${tool} $out/bin/${tool}
        ln -s ${finalAttrs.finalPackage}/share/man/man1/${tool}.1* $out/share/man/man1/; :
      ''
    );
    # A check on the same sources and crates that builds no program.
    lint =
      {
        name,
        tool,
        run,
      }:
      finalAttrs.finalPackage.overrideAttrs (before: {
        pname = "review-gate-${name}";
        nativeBuildInputs = before.nativeBuildInputs ++ [ tool ];
        buildPhase = run;
        doCheck = false;
        installPhase = "touch $out";
        postInstall = "";
      });
  };

  meta = {
    description = "Small programs that check the work of a coding agent before it may stop";
    license = with lib.licenses; [
      mit
      asl20
    ];
    mainProgram = "rg-check";
    platforms = lib.platforms.unix;
  };
})
