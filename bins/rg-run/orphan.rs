//! Agents that an interrupted run left behind.

use review_gate::store::record::RunAgent;
use review_gate::sys::procfs;
use review_gate::sys::text::{cut_end, one_line};
use rustix::process::{Pid, Signal, kill_process_group};

/// Ends what is left of an agent's process group, and names its processes. A group whose number another program has now is left alone.
pub fn end(agent: &RunAgent) -> Vec<String> {
    let leader = procfs::start_of(agent.group);
    // The kernel gives the number to another process only after the whole group has ended.
    if leader.is_some() && leader != agent.ticks {
        return Vec::new();
    }
    let members = procfs::group_of(agent.group);
    let name = |pid: &i32| {
        let words = procfs::command_line(*pid).join(" ");
        format!("process {pid} ({})", cut_end(&one_line(words.trim()), 60))
    };
    let names = members.iter().map(name).collect();
    if !members.is_empty()
        && let Some(group) = Pid::from_raw(agent.group)
    {
        let _ = kill_process_group(group, Signal::KILL);
    }
    names
}
