//! A hire: what a listing asks of the buyer, and the task that becomes of the answers.

use serde_json::{Value, json};

use super::{AnswerType, Answers, Listing, Requirement, State};
use crate::task::{AcceptWindow, Brief, Rail, ReviewWindow, SelectionMode, Tier};
use crate::{Code, Refusal};

/// How long the answers may be together, in bytes.
const MAX_ANSWERS: usize = 32_768;

/// When work that was sold from a listing is done.
const CRITERION: &str = "The delivery is what the listing promises, made for the answers given.";

impl Listing {
    /// Refuses a hire that cannot be: not for sale, changed since, or without the answers it needs.
    pub fn check_hire(&self, version: u32, answers: &Answers) -> Result<(), Refusal> {
        self.check_hireable(version)?;
        self.check_answers(answers)
    }

    /// Refuses a hire of what is not for sale, or has changed since it was read.
    pub fn check_hireable(&self, version: u32) -> Result<(), Refusal> {
        if self.state != State::Published {
            return Err(Refusal::new(
                Code::ListingNotHireable,
                format!("The listing is {}.", self.state.name()),
            ));
        }
        if self.version != version {
            return Err(Refusal::new(
                Code::ListingChanged,
                format!("The listing is at version {}.", self.version),
            ));
        }
        Ok(())
    }

    fn check_answers(&self, answers: &Answers) -> Result<(), Refusal> {
        let incomplete = |reason: String| Err(Refusal::new(Code::RequirementsIncomplete, reason));
        let size: usize = answers.values().map(|answer| readable(answer).len()).sum();
        if size > MAX_ANSWERS {
            return incomplete(format!(
                "answers: may be {MAX_ANSWERS} bytes long together, and are {size}."
            ));
        }
        let asked = &self.pitch.requirements;
        if let Some(key) = answers.keys().find(|key| asked.iter().all(|one| *one.key != ***key)) {
            return incomplete(format!("answers.{key}: is not asked for."));
        }
        for requirement in asked {
            let key: &str = &requirement.key;
            match answers.get(key) {
                None if requirement.required => {
                    return incomplete(format!("answers.{key}: is required."));
                }
                Some(answer) if !requirement.fits(answer) => {
                    return incomplete(format!(
                        "answers.{key}: does not fit the type {}.",
                        requirement.answer.name()
                    ));
                }
                _ => {}
            }
        }
        Ok(())
    }

    /// Refuses one hire more than the owner takes on at once.
    pub fn check_room(&self, live_hires: i64) -> Result<(), Refusal> {
        match self.pitch.max_open_hires {
            Some(most) if live_hires >= i64::from(most) => Err(Refusal::new(
                Code::HireLimitReached,
                format!("{live_hires} hires of the listing are open, and it takes {most}."),
            )
            .suggest("Try again when one of them has ended.")),
            _ => Ok(()),
        }
    }

    /// The task that a hire makes. Only the agent sees it, because the answers are the buyer's own.
    #[must_use]
    pub fn brief(&self, answers: &Answers) -> Brief {
        let pitch = &self.pitch;
        Brief {
            title: pitch.title.to_string(),
            brief: self.told(answers),
            criteria: vec![CRITERION.to_owned()],
            checks: json!([]),
            auto_accept_on_checks: false,
            budget: pitch.price,
            rail: Rail::Credits,
            tier: Tier::Private,
            invited_agent_ids: vec![self.agent_id],
            selection_mode: SelectionMode::Manual,
            accept_window: AcceptWindow::default(),
            delivery_window: pitch.delivery_window,
            review_window: ReviewWindow::default(),
            parent_task_id: None,
            depth: 0,
            listing_id: Some(self.listing_id),
            hire: Some(json!({
                "agent_id": self.agent_id, "version": self.version, "answers": exact(answers),
            })),
        }
    }

    /// The description, and the answers under their questions.
    fn told(&self, answers: &Answers) -> String {
        let answered = self.pitch.requirements.iter().filter_map(|requirement| {
            let answer = answers.get(&*requirement.key)?;
            Some(format!("{}\n{}", requirement.label, readable(answer)))
        });
        let parts: Vec<_> =
            std::iter::once(self.pitch.description.to_string()).chain(answered).collect();
        parts.join("\n\n")
    }
}

/// An answer as a person would write it.
fn readable(answer: &Value) -> String {
    match answer {
        Value::String(text) => text.clone(),
        Value::Bool(true) => "yes".to_owned(),
        Value::Bool(false) => "no".to_owned(),
        other => other.to_string(),
    }
}

/// The answers as they go into the terms, which are hashed: there, a number with a fraction is its text.
fn exact(answers: &Answers) -> Answers {
    let exact = |answer: &Value| match answer {
        Value::Number(number) if number.is_f64() => Value::String(number.to_string()),
        other => other.clone(),
    };
    answers.iter().map(|(key, answer)| (key.clone(), exact(answer))).collect()
}

impl Requirement {
    fn fits(&self, answer: &serde_json::Value) -> bool {
        match self.answer {
            AnswerType::Text => answer.as_str().is_some_and(|text| text.len() <= 10_000),
            AnswerType::Number => answer.is_number(),
            AnswerType::Boolean => answer.is_boolean(),
            AnswerType::Choice => answer
                .as_str()
                .is_some_and(|text| self.choices.iter().any(|choice| &**choice == text)),
            AnswerType::File => {
                answer.as_str().is_some_and(|text| text.parse::<crate::FileId>().is_ok())
            }
        }
    }
}
