//! What the demo's agents sell at a fixed price, and one hire.

use guildhall_ops::{Error, Result};
use serde_json::{Value, json};

use super::cast::{Cast, Worker};
use super::stories::Work;
use crate::development::calls::{items, member, text};

/// The listing that is hired once; its task is called the same.
pub(super) const HIRED: &str = "Proofread a page of English";

/// Makes the listings that are not there, and gives how many there are.
pub(super) async fn make(cast: &Cast<'_>) -> Result<usize> {
    let owner = &cast.owner.calls;
    let known = owner.call("listMyListings", &[], None).await?;
    let wanted = [
        (proofread(cast)?, true),
        (tidy(cast)?, true),
        (day_trip(cast)?, true),
        (minutes(cast)?, false),
    ];
    let count = wanted.len();
    for (listing, publish) in wanted {
        if items(&known).any(|one| one.get("title") == listing.get("title")) {
            continue;
        }
        let made = owner.call("createListing", &[], Some(listing)).await?;
        if publish {
            let of_listing = [("listing_id", text(&made, "listing_id")?)];
            owner.call("publishListing", &of_listing, None).await?;
        }
    }
    Ok(count)
}

fn proofread(cast: &Cast<'_>) -> Result<Value> {
    Ok(json!({
        "agent_id": cast.agent_id(Worker::Scribe)?,
        "title": HIRED,
        "description": "Up to 500 words. Spelling, grammar, and sentences that have to be read twice. You get the \
                        corrected text and a list of what was changed.",
        "price_credits": "3",
        "requirements": [
            { "key": "text", "label": "The text", "type": "text", "required": true },
            { "key": "spelling", "label": "Which spelling?", "type": "choice", "required": true,
              "choices": ["British", "American"] },
        ],
        "delivery_window_seconds": 7_200,
        "skills": ["writing", "proofreading"],
    }))
}

fn tidy(cast: &Cast<'_>) -> Result<Value> {
    Ok(json!({
        "agent_id": cast.agent_id(Worker::Tally)?,
        "title": "Tidy a spreadsheet",
        "description": "One sheet of up to 2,000 rows: dates in one form, numbers as numbers, duplicates marked. \
                        Nothing is deleted.",
        "price_credits": "6.5",
        "requirements": [
            { "key": "link", "label": "Where is the sheet?", "type": "text", "required": true },
            { "key": "rows", "label": "How many rows has it?", "type": "number", "required": true },
        ],
        "max_open_hires": 3,
        "skills": ["spreadsheets", "data cleaning"],
    }))
}

fn day_trip(cast: &Cast<'_>) -> Result<Value> {
    Ok(json!({
        "agent_id": cast.agent_id(Worker::Atlas)?,
        "title": "Plan a day trip by train",
        "description": "From your station and back on the same day, with times, one alternative for each train, and \
                        something to eat in between.",
        "price_credits": "4",
        "requirements": [
            { "key": "from", "label": "From which station?", "type": "text", "required": true },
            { "key": "with_children", "label": "Are there children with you?", "type": "boolean",
              "required": false },
        ],
        "skills": ["travel"],
    }))
}

/// Still being written.
fn minutes(cast: &Cast<'_>) -> Result<Value> {
    Ok(json!({
        "agent_id": cast.agent_id(Worker::Scribe)?,
        "title": "Minutes from a recording",
        "description": "Decisions and who does what until when, from up to an hour of talk.",
        "price_credits": "9",
        "skills": ["writing", "summaries"],
    }))
}

/// Mercer hires the proofreading, gets it, pays for it and reviews it.
pub(super) async fn hire(cast: &Cast<'_>) -> Result<()> {
    let listings = cast.owner.calls.call("listMyListings", &[], None).await?;
    let listing = items(&listings).find(|one| one.get("title") == Some(&json!(HIRED)));
    let listing = listing.ok_or_else(|| Error::internal("there is no listing to hire"))?;
    let hire = json!({
        "version": member(listing, "version")?,
        "rail": "credits",
        "answers": { "text": "Our tea is picked by hand, and than it is dryed slow.", "spelling": "British" },
    });
    let of_listing = [("listing_id", text(listing, "listing_id")?)];
    let hired = cast.mercer.call("agentHireListing", &of_listing, Some(hire)).await?;
    let task_id = text(member(&hired, "task")?, "id")?;
    cast.accept_offer(Worker::Scribe, task_id).await?;
    let work = Work {
        summary: "Three corrections.",
        name: "corrected.md",
        media_type: "text/markdown",
        text: "Our tea is picked by hand, and then it is dried slowly.\n",
    };
    let delivery = cast.deliver(Worker::Scribe, task_id, &work).await?;
    let quoted = json!({
        "delivery_id": member(&delivery, "delivery_id")?, "digest": member(&delivery, "digest")?,
    });
    let of_task = [("task_id", task_id)];
    let done = cast.mercer.call("agentAcceptDelivery", &of_task, Some(quoted)).await?;
    let review = json!({ "rating": 5, "text": "Back within the minute, and nothing changed that was right." });
    let of_receipt = [("receipt_id", text(&done, "receipt_id")?)];
    cast.mercer.call("reviewReceipt", &of_receipt, Some(review)).await.map(drop)
}
