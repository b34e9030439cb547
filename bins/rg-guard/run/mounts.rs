//! Directories of this machine that a container sees under other names.

use super::arguments::Flags;
use super::place::{is_in, join};
use std::rc::Rc;

/// A directory of this machine in a container.
#[derive(Clone, Debug, PartialEq)]
pub struct Mount {
    /// Where it is there.
    inside: String,
    /// Where it is here.
    outside: String,
}

/// The mounts that a container is started with from `cwd`: `-v HERE:THERE`, `--mount type=bind,source=HERE,target=THERE`. Volumes with
/// a name are nobody's directory.
pub fn mounts(options: &Flags<'_>, cwd: &str) -> Rc<[Mount]> {
    let joined = options.options.iter().filter_map(|option| {
        let long = option.split_once('=');
        let short = option.strip_prefix("-v").filter(|value| !value.is_empty()).map(|value| ("-v", value));
        long.filter(|(name, _)| matches!(*name, "--volume" | "--mount")).or(short)
    });
    let apart = options.values.iter().map(|(name, value)| (*name, value.text.as_str()));
    let mount = |(name, value): (&str, &str)| {
        let (here, there) = match name {
            "-v" | "--volume" => {
                let mut parts = value.split(':');
                (parts.next()?.to_string(), parts.next()?.to_string())
            }
            "--mount" => {
                let field = |names: &[&str]| {
                    let mut fields = value.split(',').filter_map(|field| field.split_once('='));
                    fields.find(|(name, _)| names.contains(name)).map(|(_, value)| value.to_string())
                };
                (field(&["source", "src"])?, field(&["target", "destination", "dst"])?)
            }
            _ => return None,
        };
        let is_dir = here.starts_with(['/', '.']);
        is_dir.then(|| Mount { inside: join("/", &there), outside: join(cwd, &here) })
    };
    joined.chain(apart).filter_map(mount).collect()
}

/// What a whole path of a container is called here; None where it is the container's own.
pub fn outside(mounts: &[Mount], whole: &str) -> Option<String> {
    let around = mounts.iter().filter(|mount| is_in(whole, &mount.inside));
    let nearest = around.max_by_key(|mount| mount.inside.len())?;
    Some(join(&nearest.outside, &format!("./{}", &whole[nearest.inside.len()..])))
}
