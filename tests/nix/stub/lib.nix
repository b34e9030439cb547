# The functions of nixpkgs' lib that our flake uses.
rec {
  genAttrs =
    names: f:
    builtins.listToAttrs (
      map (name: {
        inherit name;
        value = f name;
      }) names
    );
  importTOML = path: builtins.fromTOML (builtins.readFile path);
  makeBinPath = xs: builtins.concatStringsSep ":" (map (x: "${x}/bin") xs);
  getExe = p: "${p}/bin/${p.meta.mainProgram}";
  mkEnableOption = _: { };
  mkOption = option: option;
  types.package = { };
  licenses = {
    mit = { };
    asl20 = { };
  };
  platforms.unix = [ ];
  fileset = {
    unions = xs: xs;
    toSource =
      { root, fileset }:
      let
        hasPrefix = prefix: text: builtins.substring 0 (builtins.stringLength prefix) text == prefix;
        related =
          path: part:
          let
            p = toString part;
          in
          path == p || hasPrefix "${p}/" path || hasPrefix "${path}/" p;
      in
      builtins.path {
        name = "source";
        path = root;
        filter = path: _: builtins.any (related path) fileset;
      };
  };
}
