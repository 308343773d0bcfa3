//! The rules one by one, and all of them together under random commands.

use std::time::Duration;

use proptest::prelude::*;

use super::*;

const NOW: Timestamp = Timestamp::from_millis(1_800_000_000_000);

fn credits(micros: i64) -> Credits {
    Credits::from_micros(micros)
}

fn policy() -> SpendPolicy {
    let rules = Rules {
        max_per_command: credits(100),
        max_per_day: credits(250),
        max_per_month: Some(credits(600)),
        max_total: Some(credits(1_000)),
        max_open_tasks: Some(3),
        max_per_worker_day: Some(credits(150)),
        allowed_operations: Some(vec![Operation::Post, Operation::Inference]),
        allowed_models: Some(vec!["small".into()]),
        worker_allowlist: None,
        worker_blocklist: Some(vec![worker(7)]),
        approval_above: Some(credits(90)),
        max_delegation_depth: 2,
        paused: false,
        expires_at: Some(NOW.after(Duration::from_secs(86_400 * 400))),
    };
    SpendPolicy {
        policy_id: PolicyId::new(NOW, 0, 1),
        account_id: AccountId::new(NOW, 0, 1),
        version: 1,
        stored_status: Status::Active,
        rules,
        usage: Usage::none(NOW),
        created_at: NOW,
        updated_at: NOW,
        revision: 0,
    }
}

fn worker(number: u64) -> AgentId {
    AgentId::new(NOW, 0, number)
}

fn ask(amount: i64) -> Ask<'static> {
    Ask {
        operation: Operation::Post,
        amount: credits(amount),
        worker: None,
        worker_day: Credits::ZERO,
        model: None,
        depth: 0,
        opens_task: true,
    }
}

fn code(policy: &SpendPolicy, ask: &Ask) -> Option<Code> {
    policy.evaluate(NOW, ask).refusal.map(|refusal| refusal.code)
}

#[test]
fn each_rule_refuses_with_its_code() {
    use Code::{DemandForbidden, DemandInvalid, DemandLimit, DemandUnavailable};
    let policy = policy();
    assert_eq!(code(&policy, &ask(100)), None);
    assert_eq!(code(&policy, &ask(0)), Some(DemandInvalid));
    assert_eq!(code(&policy, &ask(101)), Some(DemandLimit));
    let hire = Ask { operation: Operation::Hire, ..ask(1) };
    assert_eq!(code(&policy, &hire), Some(DemandForbidden));
    let model = Ask { model: Some("large"), ..ask(1) };
    assert_eq!(code(&policy, &model), Some(DemandForbidden));
    assert_eq!(code(&policy, &Ask { depth: 3, ..ask(1) }), Some(DemandForbidden));
    assert_eq!(code(&policy, &Ask { worker: Some(worker(7)), ..ask(1) }), Some(DemandForbidden));
    let promised = Ask { worker: Some(worker(8)), worker_day: credits(150), ..ask(1) };
    assert_eq!(code(&policy, &promised), Some(DemandLimit));
    let mut paused = policy.clone();
    paused.rules.paused = true;
    assert_eq!(code(&paused, &ask(1)), Some(DemandUnavailable));
    let mut ended = policy;
    ended.stored_status = Status::Inactive;
    assert_eq!(code(&ended, &ask(1)), Some(DemandForbidden));
}

#[test]
fn an_empty_list_admits_nothing_and_an_absent_one_everything() {
    let mut policy = policy();
    policy.rules.allowed_operations = Some(Vec::new());
    assert_eq!(code(&policy, &ask(1)), Some(Code::DemandForbidden));
    policy.rules.allowed_operations = None;
    assert_eq!(code(&policy, &Ask { operation: Operation::Hire, ..ask(1) }), None);
    policy.rules.worker_allowlist = Some(Vec::new());
    assert_eq!(
        code(&policy, &Ask { worker: Some(worker(8)), ..ask(1) }),
        Some(Code::DemandForbidden)
    );
}

#[test]
fn the_owner_is_asked_above_the_threshold_only() {
    assert!(!policy().evaluate(NOW, &ask(90)).needs_approval);
    assert!(policy().evaluate(NOW, &ask(91)).needs_approval);
}

#[test]
fn a_refusal_names_rule_limit_used_asked_and_reset() {
    let spent = policy().reserve(NOW, &ask(100)).unwrap().into_next();
    let spent = spent.reserve(NOW, &ask(100)).unwrap().into_next();
    let reason = spent.reserve(NOW, &ask(51)).unwrap_err().reason;
    let expected = format!(
        "max_per_day_micros would be passed: limit 250, used 200, asked 51; it resets at {}.",
        NOW.next_day()
    );
    assert_eq!(reason, expected);
}

#[test]
fn a_day_gives_back_its_cap_and_a_release_goes_to_its_own_window() {
    let today = policy().reserve(NOW, &ask(100)).unwrap().into_next();
    let tomorrow = NOW.next_day();
    assert_eq!(today.usage.at(tomorrow).day, Credits::ZERO);
    assert_eq!(today.usage.at(tomorrow).month, credits(100));
    let spent = today.reserve(tomorrow, &ask(40)).unwrap().into_next();
    let released = spent.settle(tomorrow, NOW, &back(credits(100))).into_next().usage;
    assert_eq!(
        (released.day, released.month, released.total),
        (credits(40), credits(40), credits(40))
    );
}

#[test]
fn a_policy_ends_by_its_date() {
    let policy = policy();
    let end = policy.rules.expires_at.unwrap();
    assert_eq!(policy.status(end), Status::Expired);
    assert!(policy.expire(NOW).is_none());
    assert_eq!(policy.expire(end).unwrap().into_next().stored_status, Status::Expired);
    assert_eq!(policy.amend(end, policy.rules.clone()).unwrap_err().code, Code::Conflict);
    assert!(policy.deactivate(end).is_none());
}

proptest! {
    /// Whatever is asked, in whatever order, at whatever times: no window ever holds more than its cap.
    #[test]
    fn no_sequence_passes_a_cap(
        commands in prop::collection::vec((1..160_i64, 0..40_i64, any::<bool>()), 1..80)
    ) {
        let mut policy = policy();
        policy.rules.max_open_tasks = None;
        let mut now = NOW;
        let mut live: Vec<(Timestamp, Credits)> = Vec::new();
        for (amount, hours, give_back) in commands {
            now = now.after(Duration::from_secs(3_600 * u64::try_from(hours).unwrap()));
            if give_back && let Some((taken_at, amount)) = live.pop() {
                policy = policy.settle(now, taken_at, &back(amount)).into_next();
            } else if let Ok(step) = policy.reserve(now, &ask(amount)) {
                policy = step.into_next();
                live.push((now, credits(amount)));
            }
            let sum = |of: &dyn Fn(Timestamp) -> bool| -> i64 {
                live.iter().filter(|(at, _)| of(*at)).map(|(_, amount)| amount.micros()).sum()
            };
            prop_assert!(sum(&|at| at.day() == now.day()) <= 250);
            prop_assert!(sum(&|at| at.month() == now.month()) <= 600);
            prop_assert!(sum(&|_| true) <= 1_000);
            let usage = policy.usage.at(now);
            prop_assert_eq!(usage.day.micros(), sum(&|at| at.day() == now.day()));
            prop_assert_eq!(usage.month.micros(), sum(&|at| at.month() == now.month()));
            prop_assert_eq!(usage.total.micros(), sum(&|_| true));
        }
    }
}

fn back(released: Credits) -> Settled {
    Settled { charged: Credits::ZERO, released, closes_task: false }
}
