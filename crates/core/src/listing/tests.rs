use serde_json::json;

use super::*;
use crate::task::Tier;

const NOW: Timestamp = Timestamp::from_millis(1_800_000_000_000);

fn requirement(value: serde_json::Value) -> Requirement {
    serde_json::from_value(value).unwrap()
}

fn listing() -> Listing {
    let pitch = Pitch {
        title: Line::new("A map of your town").unwrap(),
        description: Prose::new("Drawn by hand.").unwrap(),
        price: Credits::from_micros(2_500_000),
        requirements: vec![
            requirement(
                json!({ "key": "town", "label": "Which town?", "type": "text", "required": true }),
            ),
            requirement(
                json!({ "key": "size", "label": "How large?", "type": "choice", "choices": ["A4", "A3"] }),
            ),
            requirement(json!({ "key": "scale", "label": "Scale?", "type": "number" })),
            requirement(json!({ "key": "colour", "label": "In colour?", "type": "boolean" })),
        ],
        delivery_window: DeliveryWindow::default(),
        max_open_hires: Some(2),
        skills: vec!["maps".into()],
    };
    Listing {
        listing_id: ListingId::new(NOW, 0, 1),
        account_id: AccountId::new(NOW, 0, 1),
        agent_id: AgentId::new(NOW, 0, 1),
        pitch,
        version: 3,
        state: State::Published,
        created_at: NOW,
        updated_at: NOW,
        revision: 0,
    }
}

fn answers(value: serde_json::Value) -> Answers {
    serde_json::from_value(value).unwrap()
}

fn refusal(value: serde_json::Value) -> (Code, String) {
    let refusal = listing().check_hire(3, &answers(value)).unwrap_err();
    (refusal.code, refusal.reason.into_owned())
}

/// "a hire that quotes the old version gets `listing_changed`"
#[test]
fn a_hire_is_of_what_is_for_sale_now() {
    let town = answers(json!({ "town": "Ghent" }));
    assert!(listing().check_hire(3, &town).is_ok());
    assert_eq!(listing().check_hire(2, &town).unwrap_err().code, Code::ListingChanged);
    let paused = listing().step(NOW, Event::Paused).unwrap().into_next();
    assert_eq!(paused.check_hire(3, &town).unwrap_err().code, Code::ListingNotHireable);
    assert!(listing().check_room(1).is_ok());
    assert_eq!(listing().check_room(2).unwrap_err().code, Code::HireLimitReached);
}

#[test]
fn answers_fit_what_is_asked() {
    let incomplete = |reason: &str| (Code::RequirementsIncomplete, reason.to_owned());
    assert_eq!(refusal(json!({})), incomplete("answers.town: is required."));
    assert_eq!(
        refusal(json!({ "town": "Ghent", "river": "Leie" })),
        incomplete("answers.river: is not asked for.")
    );
    assert_eq!(
        refusal(json!({ "town": "Ghent", "size": "A5" })),
        incomplete("answers.size: does not fit the type choice.")
    );
    let (code, reason) = refusal(json!({ "town": "x".repeat(40_000) }));
    assert_eq!(code, Code::RequirementsIncomplete);
    assert!(reason.contains("32768 bytes"), "{reason}");
}

#[test]
fn a_hire_becomes_a_task_for_the_agent_alone() {
    let given = json!({ "town": "Ghent", "scale": 1.5, "colour": true });
    let brief = listing().brief(&answers(given));
    assert_eq!(
        brief.brief,
        "Drawn by hand.\n\nWhich town?\nGhent\n\nScale?\n1.5\n\nIn colour?\nyes"
    );
    assert_eq!((brief.tier, &brief.invited_agent_ids), (Tier::Private, &vec![listing().agent_id]));
    assert_eq!(brief.budget, Credits::from_micros(2_500_000));
    let hire = json!({
        "agent_id": listing().agent_id, "version": 3,
        "answers": { "town": "Ghent", "scale": "1.5", "colour": true },
    });
    assert_eq!(brief.hire, Some(hire), "what is hashed has no fractions");
}

#[test]
fn a_pitch_does_not_contradict_itself() {
    let with = |requirements: Vec<Requirement>| Pitch { requirements, ..listing().pitch };
    let refused = |requirements| with(requirements).check().unwrap_err().reason.into_owned();
    let text = || requirement(json!({ "key": "a", "label": "A?", "type": "text" }));
    assert_eq!(refused(vec![text(), text()]), "requirements[1].key: is there twice.");
    let choice = requirement(json!({ "key": "b", "label": "B?", "type": "choice" }));
    assert!(refused(vec![choice]).starts_with("requirements[0].choices"));
    let odd = json!({ "key": "b", "label": "B?", "type": "text", "choices": ["x"] });
    assert!(refused(vec![requirement(odd)]).starts_with("requirements[0].choices"));
    assert!(listing().edit(NOW, with(vec![text()])).is_ok_and(|step| step.next().version == 4));
}
