//! Goes through the tasks that a caller may see, index by index, newest first.

use guildhall_core::TaskId;
use guildhall_core::task::{Case, Status, Tier};
use guildhall_store::ReadTx;
use guildhall_store::tables::case::MOST_CASES;
use guildhall_store::tables::task::TasksOf;

use super::list::Filter;
use crate::caller::Caller;
use crate::cx::Cx;
use crate::error::Result;
use crate::market;
use crate::operation::Reads;
use crate::page::Limit;

/// How often a request looks on for tasks that fit its filter, before it answers with what it has.
const MOST_CHUNKS: usize = 10;

/// What a scan found, and where to go on if there may be more.
pub(super) struct Found {
    pub(super) cases: Vec<Case>,
    pub(super) place: Option<TaskId>,
}

/// Up to `limit` tasks below a place. What no index serves is filtered here, a bounded number of tasks at a time: a page
/// may have less than was asked for, and still a next one.
pub(super) fn scan(
    cx: &mut Cx<Reads>,
    filter: &Filter<'_>,
    before: Option<TaskId>,
    limit: Limit,
) -> Result<Found> {
    let caller = cx.caller();
    let wanted = usize::try_from(limit.get()).unwrap_or(usize::MAX);
    let chunk = if filter.is_selective() { MOST_CASES } else { (wanted + 1).min(MOST_CASES) };
    let sources = sources(caller, filter);
    let (mut cases, mut place) = (Vec::new(), before);
    for _ in 0..MOST_CHUNKS {
        let ids = next_ids(cx.tx, (&sources, filter.q), place, chunk)?;
        for case in cx.tx.find_cases(&ids.all)? {
            let task_id = case.task.task_id;
            let visible = ids.worked_on.contains(&task_id) || market::sees_at_sight(caller, &case);
            if !visible || !filter.admits(&case) {
                continue;
            }
            if cases.len() == wanted {
                // One more than asked for tells that there is a next page.
                let place = cases.last().map(|last: &Case| last.task.task_id);
                return Ok(Found { cases, place });
            }
            cases.push(case);
        }
        if ids.all.len() < chunk {
            return Ok(Found { cases, place: None });
        }
        place = ids.all.last().copied();
    }
    Ok(Found { cases, place })
}

/// The indexes that hold what the caller may see and the filter may admit.
fn sources(caller: &Caller, filter: &Filter<'_>) -> Vec<TasksOf> {
    let mut sources = match caller {
        Caller::Account(account) => vec![TasksOf::Account(*account), TasksOf::WorkersOf(*account)],
        Caller::Agent(agent) => {
            let agent = agent.agent_id();
            vec![TasksOf::BuyingAgent(agent), TasksOf::Worker(agent)]
        }
        _ => Vec::new(),
    };
    let open = filter.status.is_none_or(|status| status == Status::Open);
    if filter.mine || !open {
        return sources;
    }
    if filter.tier != Some(Tier::Private) {
        sources.push(TasksOf::Everybody);
    }
    if let (Caller::Agent(agent), true) = (caller, filter.tier != Some(Tier::Public)) {
        sources.push(TasksOf::Invited(agent.agent_id()));
    }
    sources
}

/// The next ids of all sources together.
struct Ids {
    /// Newest first, each once.
    all: Vec<TaskId>,
    /// Those that the calling agent was engaged for: it may see them whatever became of them.
    worked_on: Vec<TaskId>,
}

fn next_ids(
    tx: &mut ReadTx<'_>,
    (sources, words): (&[TasksOf], Option<&str>),
    before: Option<TaskId>,
    count: usize,
) -> Result<Ids> {
    let limit = i64::try_from(count).unwrap_or(i64::MAX);
    let mut ids = Ids { all: Vec::new(), worked_on: Vec::new() };
    for source in sources {
        let found = match words {
            None => tx.list_task_ids(*source, before, limit)?,
            Some(words) => tx.search_task_ids(*source, words, before, limit)?,
        };
        if matches!(source, TasksOf::Worker(_)) {
            ids.worked_on.clone_from(&found);
        }
        ids.all.extend(found);
    }
    // The newest of every source hold the newest of all.
    ids.all.sort_unstable_by(|one, other| other.cmp(one));
    ids.all.dedup();
    ids.all.truncate(count);
    Ok(ids)
}

impl Filter<'_> {
    /// Whether tasks of the sources may have to be left out.
    fn is_selective(&self) -> bool {
        self.status.is_some()
            || self.rail.is_some()
            || self.tier.is_some()
            || self.listing_id.is_some()
    }

    fn admits(&self, case: &Case) -> bool {
        let (task, brief) = (&case.task, &case.task.brief);
        self.status.is_none_or(|status| status == task.status)
            && self.rail.is_none_or(|rail| rail == brief.rail)
            && self.tier.is_none_or(|tier| tier == brief.tier)
            && self.listing_id.is_none_or(|listing| Some(listing) == brief.listing_id)
    }
}
