//! What runs have spent by the records of runs.jsonl, and which of their turns are under way.

use crate::amount::Spent;
use crate::orphan;
use review_gate::store::daily::day;
use review_gate::store::journal::Journal;
use review_gate::store::record::{Body, ModelCall, ModelSpending, RunAgent, RunProcess, RunStep};
use review_gate::sys::clock::{self, Time};
use review_gate::sys::procfs;
use std::collections::{HashMap, HashSet};

/// What some runs have spent.
#[derive(Clone, Debug)]
pub struct Account {
    /// The sum.
    pub spent: Spent,
    /// Why the sum is unknown, if it is not an agent that reported nothing.
    pub unknown: Option<Unknown>,
    /// The most that one turn spent; None if none has ended.
    turn: Option<Spent>,
    /// The most that was spent while one round was judged; None if none was.
    judging: Option<Spent>,
    /// How many agents are at work.
    working: usize,
    /// How many rounds are being judged.
    judged_now: usize,
}

/// Why a sum is unknown, and how the user goes on.
#[derive(Clone, Debug)]
pub struct Unknown {
    /// The reason.
    pub why: String,
    /// The remedy.
    pub remedy: &'static str,
}

impl Unknown {
    /// The remedy where records were removed.
    const RESTORE: &str = "restore the file, or remove the limit";
    /// The remedy where something was not reported.
    pub const REMOVE: &str = "to go on, remove the limit";
}

/// Whose records are counted.
pub struct Scope<'a> {
    /// Whether a run is one of them.
    pub has: &'a dyn Fn(&str) -> bool,
    /// Whether only what was spent today counts.
    pub is_today: bool,
    /// The run that asks: its own turn is not under way.
    pub own: &'a str,
}

/// Where a run is.
#[derive(Default)]
enum Phase {
    /// Between two rounds.
    #[default]
    Idle,
    /// Its agent works since then.
    Working(RunAgent, Time),
    /// Its round is judged.
    Judging,
}

/// A run of the journal.
#[derive(Default)]
struct Course {
    phase: Phase,
    runner: Option<RunProcess>,
    models: Models,
}

/// The models that judges of a run asked.
#[derive(Default)]
struct Models {
    /// The calls whose end is not recorded.
    open: HashSet<String>,
    /// How many were asked since the last verdict.
    calls: u32,
    /// What they spent.
    spent: Spent,
}

impl Models {
    /// Adds a step, and returns what it tells was spent.
    fn add(&mut self, call: &ModelCall) -> Option<Spent> {
        match call {
            ModelCall::Asked(asked) => {
                self.open.insert(asked.call.clone());
                self.calls += 1;
                None
            }
            ModelCall::Answered(answered) => {
                self.open.remove(&answered.call);
                self.spent.add(answered.tokens, answered.cost);
                Some(Spent { tokens: answered.tokens, cost: answered.cost })
            }
        }
    }
}

impl Account {
    /// That much was spent, and no turn is under way.
    pub fn with(spent: Spent) -> Account {
        Account { spent, unknown: None, turn: None, judging: None, working: 0, judged_now: 0 }
    }

    /// What was spent is unknown, because records were removed.
    pub fn unknown(why: String) -> Account {
        let unknown = Unknown { why, remedy: Unknown::RESTORE };
        Account { unknown: Some(unknown), ..Account::with(Spent::UNKNOWN) }
    }

    /// The account of the runs in that scope.
    pub fn of(journal: &Journal, scope: &Scope<'_>) -> Account {
        let now = day(clock::now());
        let counts = |at: Time| !scope.is_today || day(at) == now;
        let mut account = Account::with(Spent::NOTHING);
        let mut courses: HashMap<&str, Course> = HashMap::new();
        for (at, entry) in entries(journal).filter(|(_, entry)| (scope.has)(entry.run())) {
            let course = courses.entry(entry.run()).or_default();
            let step = match entry {
                Entry::Step(step) => step,
                Entry::Call(call) => {
                    if let Some(spent) = course.models.add(call).filter(|_| counts(at)) {
                        account.spent.add(spent.tokens, spent.cost);
                    }
                    continue;
                }
            };
            let closes = matches!(step, RunStep::Judged(_) | RunStep::Resumed(_) | RunStep::End(_) | RunStep::Lost(_));
            if closes && !course.models.open.is_empty() && counts(at) {
                account.lose(entry.run());
            }
            if closes {
                course.models.open.clear();
            }
            match step {
                RunStep::Agent(agent) => {
                    course.phase = Phase::Working(agent.clone(), at);
                    course.runner = agent.runner;
                }
                RunStep::Turn(turn) => {
                    course.phase = Phase::Judging;
                    if counts(at) {
                        account.add_turn(Spent { tokens: turn.tokens, cost: turn.cost });
                    }
                }
                RunStep::Judged(verdict) => {
                    course.phase = Phase::Idle;
                    let models = std::mem::take(&mut course.models);
                    if counts(at) && verdict.receipt.is_some() {
                        let before = account.judging.unwrap_or(Spent::NOTHING);
                        account.judging = Some(before.max(models.spent));
                    }
                }
                RunStep::Lost(lost) => {
                    course.phase = Phase::Idle;
                    if counts(at) {
                        account.lose(&lost.run);
                    }
                }
                RunStep::Resumed(resumed) => course.runner = Some(resumed.runner),
                RunStep::End(_) => course.phase = Phase::Idle,
                _ => {}
            }
        }
        for (run, course) in courses.into_iter().filter(|(run, _)| *run != scope.own) {
            let is_alive = course.runner.is_some_and(is_alive);
            match course.phase {
                Phase::Working(..) if is_alive => account.working += 1,
                Phase::Working(agent, at) if counts(at) || !orphan::members(&agent).is_empty() => account.lose(run),
                Phase::Judging if is_alive => account.judged_now += 1,
                _ if !is_alive && !course.models.open.is_empty() => account.lose(run),
                _ => {}
            }
        }
        account
    }

    fn add_turn(&mut self, turn: Spent) {
        self.spent.add(turn.tokens, turn.cost);
        self.turn = Some(self.turn.map_or(turn, |before| before.max(turn)));
    }

    /// A turn was lost, with what it spent.
    fn lose(&mut self, run: &str) {
        self.spent = Spent::UNKNOWN;
        let why = format!("a turn of {run} was interrupted");
        self.unknown.get_or_insert(Unknown { why, remedy: Unknown::REMOVE });
    }

    /// Adds another account.
    pub fn add(&mut self, other: Account) {
        self.spent.add(other.spent.tokens, other.spent.cost);
        self.unknown = self.unknown.take().or(other.unknown);
        let larger = |one: Option<Spent>, other: Option<Spent>| match (one, other) {
            (Some(one), Some(other)) => Some(one.max(other)),
            (one, other) => one.or(other),
        };
        self.turn = larger(self.turn, other.turn);
        self.judging = larger(self.judging, other.judging);
        self.working += other.working;
        self.judged_now += other.judged_now;
    }

    /// How many turns are under way, if that many runs of the asker have begun.
    pub fn under_way(&self, begun: usize) -> usize {
        begun.max(self.working + self.judged_now)
    }

    /// What the turns under way may spend: as much as the largest one so far. None if that is not known yet.
    pub fn reserved(&self, begun: usize) -> Option<Spent> {
        let working = self.under_way(begun) - self.judged_now;
        let mut sum = Spent::NOTHING;
        for _ in 0..working {
            let turn = self.turn?;
            sum.add(turn.tokens, turn.cost);
        }
        for _ in 0..working + self.judged_now {
            let judging = self.judging?;
            sum.add(judging.tokens, judging.cost);
        }
        Some(sum)
    }
}

/// What the models spent that the judges of a run asked, in all, and since its last verdict. No judge is at work.
pub fn models(journal: &Journal, run: &str) -> (Spent, Option<ModelSpending>) {
    let (mut sum, mut models) = (Spent::NOTHING, Models::default());
    let mut is_held = false;
    for (_, entry) in entries(journal).filter(|(_, entry)| entry.run() == run) {
        match entry {
            Entry::Call(call) => {
                if let Some(spent) = models.add(call) {
                    sum.add(spent.tokens, spent.cost);
                }
            }
            Entry::Step(RunStep::Begin(_)) => is_held = true,
            Entry::Step(RunStep::Judged(_)) => {
                if !models.open.is_empty() {
                    sum = Spent::UNKNOWN;
                }
                models = Models::default();
            }
            Entry::Step(_) => {}
        }
    }
    // A call without a recorded end, or records that were removed.
    if !models.open.is_empty() || !is_held {
        (sum, models.spent) = (Spent::UNKNOWN, Spent::UNKNOWN);
    }
    let Models { calls, spent: Spent { tokens, cost }, .. } = models;
    (sum, (calls > 0).then_some(ModelSpending { calls, tokens, cost }))
}

/// What each run that the journal holds from its begin has spent.
pub fn totals(journal: &Journal) -> HashMap<String, Spent> {
    let mut totals: HashMap<String, Spent> = HashMap::new();
    for (_, entry) in entries(journal) {
        if let Entry::Step(RunStep::Begin(start)) = entry {
            totals.insert(start.run.clone(), Spent::NOTHING);
        }
        let Some(sum) = totals.get_mut(entry.run()) else { continue };
        match entry {
            Entry::Step(RunStep::Turn(turn)) => sum.add(turn.tokens, turn.cost),
            Entry::Step(RunStep::Lost(_)) => *sum = Spent::UNKNOWN,
            Entry::Call(ModelCall::Answered(answered)) => sum.add(answered.tokens, answered.cost),
            _ => {}
        }
    }
    totals
}

/// A record of runs.jsonl.
#[derive(Clone, Copy)]
enum Entry<'a> {
    Step(&'a RunStep),
    Call(&'a ModelCall),
}

impl<'a> Entry<'a> {
    fn run(self) -> &'a str {
        match self {
            Entry::Step(step) => step.run(),
            Entry::Call(call) => call.run(),
        }
    }
}

/// The records of all runs, the oldest first, without those that break the chain.
fn entries(journal: &Journal) -> impl Iterator<Item = (Time, Entry<'_>)> {
    let own = journal.records().filter(|(line, _)| line.is_in_chain);
    own.filter_map(|(line, record)| match &record.body {
        Body::RunStep(step) => Some((line.at, Entry::Step(step))),
        Body::ModelCall(call) => Some((line.at, Entry::Call(call))),
        _ => None,
    })
}

/// Whether that process of rg-run still works.
fn is_alive(runner: RunProcess) -> bool {
    procfs::is_running(runner.pid) && procfs::start_of(runner.pid) == runner.ticks
}

/// This process.
pub fn this_process() -> RunProcess {
    let pid = procfs::own_pid();
    RunProcess { pid, ticks: procfs::start_of(pid) }
}
