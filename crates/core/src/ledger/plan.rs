//! What is to move, in which order. A plan is balanced because nothing unbalanced can be written down.

use super::book::{Book, Purse, Stripe};
use super::movement::Movement;
use crate::money::Credits;
use crate::{AccountId, AgentId, FundingId, TaskId, Timestamp, TransferId};

/// Transfers that happen together or not at all.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Plan {
    moves: Vec<Move>,
}

/// One transfer of a plan: each has one amount, which leaves one book and enters another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Move {
    way: Way,
    amount: Credits,
    agent: Option<AgentId>,
    task: Option<TaskId>,
}

/// From where to where.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Way {
    Grant(AccountId),
    Purchase(AccountId),
    Reserve(AccountId),
    Unreserve(AccountId),
    Hold(Purse, FundingId),
    Release(FundingId, AccountId),
    Fee(FundingId),
    Refund(FundingId, Purse),
    Charge(Purse),
}

/// A plan whose transfers have their ids: ready to be folded over the books it touches.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Posting {
    transfers: Vec<Transfer>,
}

/// One amount that moved, or is about to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Transfer {
    /// Its id.
    pub transfer_id: TransferId,
    /// Why it moves.
    pub movement: Movement,
    /// The book it leaves.
    pub debit: Book,
    /// The book it enters.
    pub credit: Book,
    /// How much; above zero.
    pub amount: Credits,
    /// The agent on whose behalf.
    pub agent_id: Option<AgentId>,
    /// The task it is about.
    pub task_id: Option<TaskId>,
    /// When.
    pub created_at: Timestamp,
}

impl Plan {
    /// Nothing moves.
    #[must_use]
    pub const fn none() -> Self {
        Self { moves: Vec::new() }
    }

    /// The operator gives credits.
    #[must_use]
    pub fn grant(to: AccountId, amount: Credits) -> Self {
        Self::one(Way::Grant(to), amount)
    }

    /// A person has bought credits.
    #[must_use]
    pub fn purchase(to: AccountId, amount: Credits) -> Self {
        Self::one(Way::Purchase(to), amount)
    }

    /// Credits are set aside for an agent's command.
    #[must_use]
    pub fn reserve(owner: AccountId, amount: Credits) -> Self {
        Self::one(Way::Reserve(owner), amount)
    }

    /// What was set aside becomes available again.
    #[must_use]
    pub fn unreserve(owner: AccountId, amount: Credits) -> Self {
        Self::one(Way::Unreserve(owner), amount)
    }

    /// Credits are held for a funding.
    #[must_use]
    pub fn hold(from: Purse, funding: FundingId, amount: Credits) -> Self {
        Self::one(Way::Hold(from, funding), amount)
    }

    /// Held credits go back to where they came from.
    #[must_use]
    pub fn refund(funding: FundingId, to: Purse, amount: Credits) -> Self {
        Self::one(Way::Refund(funding, to), amount)
    }

    /// The worker's owner is paid `share` less `fee`, and the platform `fee`: the share is what leaves the escrow.
    #[must_use]
    pub fn release(funding: FundingId, to: AccountId, share: Credits, fee: Credits) -> Self {
        let fee = fee.min(share);
        let paid = Self::one(Way::Release(funding, to), share.minus_or_zero(fee));
        paid.and(Self::one(Way::Fee(funding), fee))
    }

    /// Inference is paid for.
    #[must_use]
    pub fn charge(from: Purse, amount: Credits) -> Self {
        Self::one(Way::Charge(from), amount)
    }

    /// This, and then the other.
    #[must_use]
    pub fn and(mut self, other: Self) -> Self {
        self.moves.extend(other.moves);
        self
    }

    /// Says on whose behalf and about which task, wherever that has not been said yet.
    #[must_use]
    pub fn about(mut self, agent: Option<AgentId>, task: Option<TaskId>) -> Self {
        let silent = |it: &&mut Move| it.agent.is_none() && it.task.is_none();
        for it in self.moves.iter_mut().filter(silent) {
            (it.agent, it.task) = (agent, task);
        }
        self
    }

    /// Whether nothing moves.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.moves.is_empty()
    }

    /// Gives each transfer its id, in order.
    pub fn number<E>(
        &self,
        now: Timestamp,
        mut mint: impl FnMut() -> Result<TransferId, E>,
    ) -> Result<Posting, E> {
        let numbered = self.moves.iter().map(|it| Ok(it.number(mint()?, now)));
        Ok(Posting { transfers: numbered.collect::<Result<_, E>>()? })
    }

    /// A transfer of nothing is none.
    fn one(way: Way, amount: Credits) -> Self {
        let it = Move { way, amount, agent: None, task: None };
        Self { moves: if amount > Credits::ZERO { vec![it] } else { Vec::new() } }
    }
}

impl Move {
    fn number(&self, transfer_id: TransferId, created_at: Timestamp) -> Transfer {
        let (movement, debit, credit) = self.way.books(Stripe::of(transfer_id));
        Transfer {
            transfer_id,
            movement,
            debit,
            credit,
            amount: self.amount,
            agent_id: self.agent,
            task_id: self.task,
            created_at,
        }
    }
}

impl Way {
    fn books(self, stripe: Stripe) -> (Movement, Book, Book) {
        use Book::{Available, Escrow, Fees, Inference, Issuance, Reserved};
        match self {
            Self::Grant(to) => (Movement::Grant, Issuance(stripe), Available(to)),
            Self::Purchase(to) => (Movement::Purchase, Issuance(stripe), Available(to)),
            Self::Reserve(owner) => (Movement::Reserve, Available(owner), Reserved(owner)),
            Self::Unreserve(owner) => (Movement::Unreserve, Reserved(owner), Available(owner)),
            Self::Hold(from, funding) => (Movement::Hold, from.book(), Escrow(funding)),
            Self::Release(funding, to) => (Movement::Release, Escrow(funding), Available(to)),
            Self::Fee(funding) => (Movement::Fee, Escrow(funding), Fees(stripe)),
            Self::Refund(funding, to) => (Movement::Refund, Escrow(funding), to.book()),
            Self::Charge(from) => (Movement::Charge, from.book(), Inference(stripe)),
        }
    }
}

impl Posting {
    /// The transfers, in order.
    #[must_use]
    pub fn transfers(&self) -> &[Transfer] {
        &self.transfers
    }

    /// Their ids, in order.
    #[must_use]
    pub fn ids(&self) -> Vec<TransferId> {
        self.transfers.iter().map(|transfer| transfer.transfer_id).collect()
    }

    /// The books they touch, each once, in the order in which they are locked.
    #[must_use]
    pub fn books(&self) -> Vec<Book> {
        let sides = |transfer: &Transfer| [transfer.debit, transfer.credit];
        let mut books: Vec<Book> = self.transfers.iter().flat_map(sides).collect();
        books.sort_unstable();
        books.dedup();
        books
    }
}
