//! The name of the user who runs this process.

use crate::sys::env::is_below_agent;
use crate::sys::files;
use std::env;
use std::path::Path;

/// The name of whoever writes a message or an issue, if they name none: `agent` in an agent's shell, else the user.
pub fn sender() -> String {
    if is_below_agent() { "agent".to_string() } else { name() }
}

/// The user, for `who` in waivers: `USER`, `LOGNAME`, the name in the passwd file, or the user id.
pub fn name() -> String {
    let named = ["USER", "LOGNAME"].into_iter().find_map(|name| env::var(name).ok().filter(|user| !user.is_empty()));
    named.unwrap_or_else(|| {
        let uid = rustix::process::getuid().as_raw();
        let passwd = files::try_read_following(Path::new("/etc/passwd"), PASSWD).unwrap_or_default();
        name_in_passwd(&String::from_utf8_lossy(&passwd), uid).unwrap_or_else(|| uid.to_string())
    })
}

/// The longest passwd file that is read, in bytes.
const PASSWD: u64 = 1 << 20;

/// The name of a user id in a passwd file.
fn name_in_passwd(passwd: &str, uid: u32) -> Option<String> {
    passwd.lines().find_map(|line| {
        let mut fields = line.split(':');
        let (name, number) = (fields.next()?, fields.nth(1)?);
        (number.parse() == Ok(uid) && !name.is_empty()).then(|| name.to_string())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_passwd_file_names_the_user() {
        let passwd = "root:x:0:0:root:/root:/bin/sh\nbroken\n::7\nada:x:1000:1000::/home/ada:/bin/sh\n";
        assert_eq!(name_in_passwd(passwd, 1000), Some("ada".into()));
        assert_eq!(name_in_passwd(passwd, 0), Some("root".into()));
        assert_eq!(name_in_passwd(passwd, 7), None);
    }
}
