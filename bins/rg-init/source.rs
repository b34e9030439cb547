//! `--from`: other places that name the checks of a repository.

use crate::dualagent;
use crate::part::Part;
use crate::proposal::Plan;
use crate::stacks::node;
use review_gate::sys::error::{Error, Result};
use std::path::Path;

/// The checks that a source names.
pub fn read(from: &str, root: &Path) -> Result<Plan> {
    let part = Part::root(root);
    let mut plan = Plan::default();
    match from {
        "package.json" => {
            let manifest = part.json("package.json").ok_or_else(|| Error::usage("--from: no package.json here"))?;
            let manifest =
                manifest.map_err(|why| Error::usage(format!("--from: package.json is not valid JSON: {why}")))?;
            node::scripts(&part, &mut plan, &manifest, true);
        }
        file if file.ends_with(".json") => plan = dualagent::read(&root.join(file), file, root)?,
        other => {
            let known = "Use package.json, donegate, or the path of a .dualagent.json";
            return Err(Error::usage(format!("--from: unknown source {other:?}. {known}")));
        }
    }
    Ok(plan)
}
