//! One spending policy under attack: many connections of many agents post, hire, select, fund, let go and cancel at once,
//! on every node. `GUILDHALL_HAMMER_SECONDS` says for how long.

mod arena;
mod audit;
mod blows;
mod tally;

use std::time::{Duration, Instant};

use futures_util::future::join_all;
use serde_json::json;
use testkit::{Server, on_both_engines};

use crate::nodes::{Dice, Nodes, told};
use arena::{Arena, LATER_PER_DAY};
use blows::strike;
use tally::Tally;

on_both_engines!(heavy_no_interleaving_passes_a_cap);

/// How many connections strike at once.
const CONNECTIONS: usize = 64;
/// How long an ordinary run strikes.
const SECONDS: usize = 4;
/// How much longer it may take until everything was tried.
const GRACE: Duration = Duration::from_mins(2);
/// How long the watcher rests between two looks.
const WATCH_EVERY: Duration = Duration::from_millis(100);

/// "every cap counts reservations as spent; what is released goes back to the window it was taken from. No interleaving of
/// parallel commands can exceed a cap".
async fn heavy_no_interleaving_passes_a_cap(server: Server) {
    let nodes = Nodes::of(server).await;
    let arena = Arena::open(&nodes).await;
    let tally = Tally::default();
    let span = Duration::from_secs(told("GUILDHALL_HAMMER_SECONDS", SECONDS) as u64);
    let began = Instant::now();
    // It goes on until everything was tried; a slow machine takes longer.
    let goes_on =
        || began.elapsed() < span || (!tally.is_complete() && began.elapsed() < span + GRACE);
    let blows = join_all((0..CONNECTIONS).map(|number| {
        let (arena, tally, goes_on) = (&arena, &tally, &goes_on);
        let mut dice = Dice::new(number as u64);
        async move {
            while goes_on() {
                let quarter = began.elapsed().as_millis() * 4 / span.as_millis() % 4;
                strike(arena, tally, number, quarter, &mut dice).await;
            }
        }
    }));
    let watch = async {
        let mut looks = 0;
        while goes_on() {
            arena.look().await;
            looks += 1;
            tokio::time::sleep(WATCH_EVERY).await;
        }
        looks
    };
    // Half-way the owner raises the day's cap, so that the cap on the whole is the one that stands in the way.
    let raise = async {
        while goes_on() && (began.elapsed() < span / 2 || !tally.has_met("max_per_day_micros")) {
            tokio::time::sleep(WATCH_EVERY).await;
        }
        let entries = nodes.at(0).reserved_entries().await.len();
        let caps = json!({ "max_per_day_micros": LATER_PER_DAY.to_string() });
        arena.buyer.send("PATCH", &arena.policy_path(), caps).await.expect(200);
        entries
    };
    let (_, looks, raised_after) = tokio::join!(blows, watch, raise);
    eprintln!("{looks} looks in {:?}\n{tally}", began.elapsed());
    tally.check();
    arena.check_caps(raised_after).await;
    arena.clear_away().await;
    assert_eq!(nodes.at(0).deadlocks().await, 0, "locks are taken in one order");
    arena.check_nothing_left().await;
}
