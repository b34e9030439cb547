//! Laws of rg-guard where the environment moves a client's own directory: its settings are protected there, too.

use crate::scratch::Scratch;

#[test]
fn settings_in_a_directory_that_the_environment_moves_are_protected() {
    let mut scratch = Scratch::repo();
    let status = |scratch: &Scratch, command: &str| scratch.run("rg-guard", &["-"], command.as_bytes()).status;
    let commands = [
        ("CLAUDE_CONFIG_DIR", "echo '{}' > /srv/Moved/settings.json"),
        ("CLAUDE_CONFIG_DIR", "cp x $CLAUDE_CONFIG_DIR/settings.json"),
        ("CLAUDE_CONFIG_DIR", "cp x /srv/Moved/agents/a.md"),
        ("CLAUDE_CONFIG_DIR", "rm /srv/Moved/sett*.json"),
        ("CODEX_HOME", "echo '{}' > /srv/Moved/hooks.json"),
        ("CODEX_HOME", "sed -i s/a/b/ /srv/Moved/config.toml"),
        ("CODEX_HOME", "cp x \"$CODEX_HOME/hooks.json\""),
        ("GEMINI_CLI_HOME", "cp x $GEMINI_CLI_HOME/.gemini/settings.json"),
    ];
    for (variable, command) in commands {
        scratch.set(variable, "/srv/Moved");
        assert_eq!(status(&scratch, command), 1, "{command}");
    }
    for command in ["cp x /srv/Moved/notes.json", "cat /srv/Moved/settings.json", "ls /srv/Moved"] {
        assert_eq!(status(&scratch, command), 0, "{command}");
    }
    let twin = Scratch::repo();
    assert_eq!(status(&twin, "cp x /srv/Moved/hooks.json"), 0, "no variable names this directory");
}
