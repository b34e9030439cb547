# `cargo xtask demo`, with the built programs.
{
  lib,
  review-gate,
  makeBinaryWrapper,
  gitMinimal,
  bash,
  util-linux,
}:
review-gate.overrideAttrs (before: {
  pname = "review-gate-demo";
  cargoBuildFlags = [ "--package=xtask" ];
  doCheck = false;
  nativeBuildInputs = before.nativeBuildInputs ++ [ makeBinaryWrapper ];
  postInstall = "";
  postFixup = ''
    mv $out/bin/xtask $out/bin/.review-gate-demo
    makeWrapper $out/bin/.review-gate-demo $out/bin/review-gate-demo \
      --add-flags demo --add-flags --plugin --add-flags ${review-gate}/share/review-gate/plugin \
      --prefix PATH : ${
        lib.makeBinPath [
          gitMinimal
          bash
          util-linux
        ]
      }
  '';
  meta = before.meta // {
    mainProgram = "review-gate-demo";
  };
})
