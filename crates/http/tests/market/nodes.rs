//! One service on as many nodes as its engine takes.

use testkit::{Server, Setup};

/// The nodes of one service: two on PostgreSQL, one on SQLite.
pub(crate) struct Nodes {
    first: Server,
    second: Option<Server>,
}

impl Nodes {
    /// Starts a second node beside the first where the database can be shared.
    pub(crate) async fn of(first: Server) -> Self {
        let second = if first.service.db().is_shared() {
            Some(first.another_node(Setup::default()).await)
        } else {
            None
        };
        Self { first, second }
    }

    /// The node that has its turn; neighbours are different nodes, where there are two.
    pub(crate) fn at(&self, turn: usize) -> &Server {
        match &self.second {
            Some(second) if turn % 2 == 1 => second,
            _ => &self.first,
        }
    }
}

/// A number from the environment, or what an ordinary run takes.
pub(crate) fn told(name: &str, ordinary: usize) -> usize {
    let told = std::env::var(name);
    told.map_or(ordinary, |text| text.parse().unwrap_or_else(|_| panic!("{name} is a number")))
}

/// Numbers that look random and are the same in every run with the same seed.
pub(crate) struct Dice(u64);

impl Dice {
    pub(crate) const fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// A number below `sides`.
    pub(crate) fn below(&mut self, sides: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (mixed ^ (mixed >> 31)) % sides
    }
}
