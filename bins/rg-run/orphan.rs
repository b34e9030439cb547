//! Processes that an interrupted run left behind.

use review_gate::store::record::RunAgent;
use review_gate::sys::env;
use review_gate::sys::procfs;
use review_gate::sys::text::{cut_end, one_line};
use rustix::process::{Pid, Signal, kill_process};
use std::collections::{BTreeMap, BTreeSet};

/// How often the processes are looked for.
const MOST_PASSES: usize = 100;

/// Ends what a run left, and names its processes: what is left of its agent's process group, and every process that was started with
/// the run's id in `RG_RUN` or `RG_RUN_BUDGET`, since a daemon leaves its group and judges have groups of their own.
pub fn end(run: &str, agent: Option<&RunAgent>) -> Vec<String> {
    let mut names = BTreeMap::new();
    // What forks while it is looked for is found the next time.
    for _ in 0..MOST_PASSES {
        let left = processes(run, agent);
        if left.is_empty() {
            break;
        }
        for pid in left {
            let words = procfs::command_line(pid).join(" ");
            names.entry(pid).or_insert(format!("process {pid} ({})", cut_end(&one_line(words.trim()), 60)));
            let _ = Pid::from_raw(pid).map(|pid| kill_process(pid, Signal::KILL));
        }
    }
    names.into_values().collect()
}

/// The processes that a run left.
fn processes(run: &str, agent: Option<&RunAgent>) -> BTreeSet<i32> {
    let own = procfs::line_of_descent(procfs::own_pid()).unwrap_or_default();
    let is_marked = |pid: &i32| {
        [env::RUN, env::RUN_BUDGET].iter().any(|name| procfs::has_value(*pid, name, run)) && procfs::is_running(*pid)
    };
    let marked = procfs::all().unwrap_or_default().into_iter().filter(is_marked);
    let all = marked.chain(agent.map(members).unwrap_or_default());
    all.filter(|pid| !own.contains(pid)).collect()
}

/// The processes of an agent's group; none if another program has the group's number now.
pub fn members(agent: &RunAgent) -> Vec<i32> {
    let leader = procfs::start_of(agent.group);
    // The kernel gives the number to another process only after the whole group has ended.
    if leader.is_some() && leader != agent.ticks {
        return Vec::new();
    }
    procfs::group_of(agent.group)
}
