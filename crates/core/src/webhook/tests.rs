//! The lifecycle of a delivery, and what an endpoint's failures come to.

use super::*;
use crate::NotificationId;

const NOW: Timestamp = Timestamp::from_millis(1_800_000_000_000);

fn webhook() -> Webhook {
    Webhook {
        webhook_id: WebhookId::new(NOW, 0, 1),
        account_id: AccountId::new(NOW, 0, 1),
        url: "https://example.com/".to_owned(),
        kinds: None,
        secret: vec![1],
        former_secret: None,
        failing_since: None,
        disabled_at: None,
        created_at: NOW,
        revision: 0,
    }
}

fn delivery() -> Delivery {
    Delivery {
        webhook_id: WebhookId::new(NOW, 0, 1),
        item_id: NotificationId::new(NOW, 0, 1),
        status: Status::Pending,
        attempts: 0,
        due_at: NOW,
        attempted_at: None,
        answer: None,
        fault: None,
        created_at: NOW,
        revision: 0,
    }
}

/// Every (status, event) pair, written out once more by hand.
#[test]
fn the_table_is_total_and_as_decided() {
    use Status::{Delivered as D, Failed as F, Pending as P};
    let expected = [
        (P, [Some(D), Some(P), Some(F), Some(P)]),
        (D, [None, None, None, Some(P)]),
        (F, [None, None, None, Some(P)]),
    ];
    for (status, row) in expected {
        assert_eq!(Event::ALL.map(|event| status.after(event)), row, "{status:?}");
    }
}

/// "retries with backoff for 3 days".
#[test]
fn a_delivery_is_tried_with_growing_pauses_for_three_days() {
    let (mut delivery, mut now, mut pauses) = (delivery(), NOW, Vec::new());
    while delivery.status == Status::Pending {
        now = delivery.due_at;
        delivery = delivery.take_up(now).into_next();
        delivery = delivery.settle(now, &Outcome::Answered(500)).unwrap().into_next();
        pauses.push(delivery.due_at.since(now));
    }
    assert_eq!((delivery.status, delivery.attempts), (Status::Failed, 11));
    assert_eq!(pauses.pop(), Some(Duration::ZERO), "nothing follows the last");
    assert!(pauses.is_sorted_by(|a, b| a < b), "{pauses:?}");
    let whole = now.since(NOW);
    assert!(Duration::from_hours(71) < whole && whole <= PATIENCE, "{whole:?}");
}

#[test]
fn any_answer_of_two_hundred_and_something_is_a_success() {
    for (status, taken) in [(199, false), (200, true), (204, true), (299, true), (300, false)] {
        let taken_up = delivery().take_up(NOW).into_next();
        let settled = taken_up.settle(NOW, &Outcome::Answered(status)).unwrap().into_next();
        assert_eq!(settled.status == Status::Delivered, taken, "{status}");
        assert_eq!((settled.answer, settled.attempted_at), (Some(status.into()), Some(NOW)));
    }
}

/// "a crash re-sends": whoever takes a delivery up and is not heard of again leaves it to the next.
#[test]
fn what_was_taken_up_and_forgotten_is_due_again() {
    let taken = delivery().take_up(NOW).into_next();
    assert_eq!((taken.status, taken.attempts), (Status::Pending, 1));
    assert_eq!(taken.due_at, NOW.after(Duration::from_mins(1)));
}

#[test]
fn a_replay_begins_anew_whatever_came_of_it() {
    let mut failed = delivery();
    (failed.status, failed.attempts) = (Status::Failed, 11);
    let later = NOW.after(PATIENCE);
    let replayed = failed.replay(later).unwrap().into_next();
    assert_eq!((replayed.status, replayed.attempts), (Status::Pending, 0));
    assert_eq!((replayed.due_at, replayed.item_id), (later, failed.item_id));
    assert!(failed.settle(later, &Outcome::Answered(200)).is_none(), "a late word changes nothing");
}

#[test]
fn a_long_excuse_is_cut() {
    let taken = delivery().take_up(NOW).into_next();
    let settled = taken.settle(NOW, &Outcome::Unreached("ä".repeat(1_000))).unwrap().into_next();
    assert_eq!(settled.fault.unwrap().chars().count(), 200);
}

/// "endpoint disabled after 3 days of failures only".
#[test]
fn an_endpoint_that_took_nothing_for_three_days_is_disabled() {
    let failure = Outcome::Unreached("no connection".to_owned());
    let failing = webhook().note(NOW, &failure).unwrap().into_next();
    assert_eq!((failing.failing_since, failing.disabled_at), (Some(NOW), None));
    let almost = NOW.after(PATIENCE).before(Duration::from_millis(1));
    assert!(failing.note(almost, &failure).is_none());
    let end = NOW.after(PATIENCE);
    let disabled = failing.note(end, &failure).unwrap().into_next();
    assert_eq!(disabled.disabled_at, Some(end));
    assert_eq!(disabled.check_enabled().unwrap_err().code, Code::Conflict);
    let recovered = failing.note(almost, &Outcome::Answered(200)).unwrap().into_next();
    assert_eq!(recovered.failing_since, None);
    assert!(recovered.note(end, &Outcome::Answered(204)).is_none());
    let again = recovered.note(end, &failure).unwrap().into_next();
    assert_eq!((again.failing_since, again.disabled_at), (Some(end), None));
}

/// "410 from the endpoint disables it".
#[test]
fn an_endpoint_that_is_gone_is_disabled_at_once() {
    let gone = webhook().note(NOW, &Outcome::Answered(410)).unwrap().into_next();
    assert_eq!(gone.disabled_at, Some(NOW));
}

/// "during 24 h after a rotation both secrets sign".
#[test]
fn the_former_secret_signs_for_a_day() {
    let rotated = webhook().rotate(NOW, vec![2]).into_next();
    let signing =
        |webhook: &Webhook, now| webhook.signing_secrets(now).cloned().collect::<Vec<_>>();
    let end = NOW.after(FORMER_SECRET_LIFETIME);
    assert_eq!(signing(&webhook(), NOW), [[1]]);
    assert_eq!(signing(&rotated, end.before(Duration::from_millis(1))), [[2], [1]]);
    assert_eq!(signing(&rotated, end), [[2]]);
    let again = rotated.rotate(NOW, vec![3]).into_next();
    assert_eq!(signing(&again, NOW), [[3], [2]]);
}
