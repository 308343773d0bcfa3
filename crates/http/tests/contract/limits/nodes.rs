//! Several nodes on one database share one limit.

use testkit::{Engine, Server, Setup};

use super::{limited, with_quotas};
use crate::conventions::{begin_window, remaining, send};

/// The quota of these tests.
const QUOTA: u32 = 64;
/// What may be stranded on a node that took a slice and was asked no more.
const STRANDED: u32 = QUOTA / 8 + 1;

fn setup() -> Setup {
    with_quotas(|quotas| (quotas.account, quotas.ip) = (QUOTA, QUOTA))
}

/// Two nodes of one service, at the start of a window.
async fn two_nodes() -> (Server, Server) {
    let first = Server::start_with(Engine::Postgres, setup()).await;
    let second = first.another_node(setup()).await;
    begin_window(&first);
    (first, second)
}

/// Asked in turn, both nodes together give the quota, to the last request of it.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn two_nodes_asked_in_turn_give_one_quota() {
    let (first, second) = two_nodes().await;
    let ada = first.person("ada").await;
    let there = ada.at(&second);
    let mut granted = 0;
    for _ in 0..QUOTA {
        for person in [&ada, &there] {
            let answer = person.get("/v1/me").await;
            if answer.status == 200 {
                granted += 1;
                assert!(remaining(&answer) < QUOTA);
            } else {
                limited(&answer);
            }
        }
    }
    assert_eq!(granted, QUOTA, "what one node holds, it gives in its turn");
    limited(&ada.get("/v1/me").await);
    limited(&there.get("/v1/me").await);
    begin_window(&first);
    assert_eq!(ada.get("/v1/me").await.status, 200);
}

/// Asked at once, both nodes together never give more than the quota.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn two_nodes_asked_at_once_never_give_more_than_one_quota() {
    let (first, second) = two_nodes().await;
    let ada = first.person("ada").await;
    let there = ada.at(&second);
    let mut requests = tokio::task::JoinSet::new();
    for number in 0..4 * QUOTA {
        let person = if number % 2 == 0 { &ada } else { &there };
        requests.spawn(send(person.request("GET", "/v1/me")));
    }
    let answers = requests.join_all().await;
    let granted = answers.iter().filter(|answer| answer.status == 200).count();
    let granted = u32::try_from(granted).expect("few");
    assert!((QUOTA - STRANDED..=QUOTA).contains(&granted), "{granted}");
    for answer in answers.iter().filter(|answer| answer.status != 200) {
        limited(answer);
    }
}

/// A node that is asked alone, after another took a slice, gives all but that slice.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn little_is_stranded_on_a_node_that_is_asked_no_more() {
    let (first, second) = two_nodes().await;
    first.get("/v1/client-catalog").await.expect(200);
    let mut granted = 1;
    loop {
        let answer = second.get("/v1/client-catalog").await;
        if answer.status != 200 {
            limited(&answer);
            break;
        }
        granted += 1;
        assert!(granted <= QUOTA, "more than the quota");
    }
    assert!(granted >= QUOTA - STRANDED, "{granted}");
    first.get("/v1/client-catalog").await.expect(200);
}
