//! Mounts and links: paths of this machine that have another name as well.

use super::flags::Flags;
use super::path::{is_in, join};
use std::rc::Rc;

/// A mount of a container, or a link.
#[derive(Clone, Debug, PartialEq)]
pub struct Mount {
    /// The path in the container; the link's own path.
    remote: String,
    /// The path on this machine; None for a named volume.
    local: Option<String>,
}

/// A link that a command creates.
pub fn link(name: String, target: String) -> Mount {
    Mount { remote: name, local: Some(target) }
}

/// The mounts of a container that is started in `cwd`: `-v HERE:THERE`, `--mount type=bind,source=HERE,target=THERE`.
pub fn mounts(options: &Flags<'_>, cwd: &str) -> Rc<[Mount]> {
    let joined = options.options.iter().filter_map(|option| {
        let long = option.split_once('=');
        let short = option.strip_prefix("-v").filter(|value| !value.is_empty()).map(|value| ("-v", value));
        long.filter(|(name, _)| matches!(*name, "--volume" | "--mount")).or(short)
    });
    let apart = options.values.iter().map(|(name, value)| (*name, value.text.as_str()));
    let mount = |(name, value): (&str, &str)| {
        let (here, there) = match name {
            name if name == "--volume" || !name.starts_with("--") && name.ends_with('v') => {
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
        Some(Mount { remote: join("/", &there), local: is_dir.then(|| join(cwd, &here)) })
    };
    joined.chain(apart).filter_map(mount).collect()
}

fn nearest<'a>(mounts: &'a [Mount], whole: &str) -> Option<&'a Mount> {
    mounts.iter().filter(|mount| is_in(whole, &mount.remote)).max_by_key(|mount| mount.remote.len())
}

/// The path on this machine of an absolute path in a container; None where only the container has it.
pub fn local_path(mounts: &[Mount], whole: &str) -> Option<String> {
    let mount = nearest(mounts, whole)?;
    Some(join(mount.local.as_ref()?, &format!("./{}", &whole[mount.remote.len()..])))
}

/// Whether an absolute path in a container lies in a mount, which outlives the container.
pub fn is_mounted(mounts: &[Mount], whole: &str) -> bool {
    nearest(mounts, whole).is_some()
}

/// The target of an absolute path below a link. The link itself is not below it.
pub fn link_target(links: &[Mount], whole: &str) -> Option<String> {
    let link = nearest(links, whole).filter(|link| link.remote.len() < whole.len())?;
    Some(join(link.local.as_ref()?, &format!("./{}", &whole[link.remote.len()..])))
}
