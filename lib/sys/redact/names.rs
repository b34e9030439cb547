//! Names whose value is a secret.

/// Endings of names whose value counts as a secret.
const NAMES: [&str; 8] = ["password", "passwd", "secret", "token", "api_key", "apikey", "access_key", "private_key"];

/// Whether a name's value is a secret, by the end of the name.
pub(super) fn is_secret_name(name: &str) -> bool {
    // Only the end of the name matters; it is ASCII.
    let name = name[name.len().saturating_sub(32)..].to_ascii_lowercase().replace('-', "_");
    let name = name.trim_end_matches(['=', '_']);
    NAMES.iter().any(|secret| name.ends_with(secret))
}
