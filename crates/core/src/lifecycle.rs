//! What all lifecycles are: states, events, and one table of moves that the code, the tests and the documents read.

/// A state machine given by a table. What the table does not list is refused.
pub trait Lifecycle: Copy + Eq + std::fmt::Debug + 'static {
    /// What can happen.
    type Event: Copy + Eq + std::fmt::Debug + 'static;
    /// What the machine is of.
    const NOUN: &'static str;
    /// Every state.
    const STATES: &'static [Self];
    /// Every event.
    const EVENTS: &'static [Self::Event];
    /// The moves.
    const MOVES: &'static [Move<Self, Self::Event>];
    /// The state's word.
    fn name(self) -> &'static str;
    /// The event's word.
    fn event_name(event: Self::Event) -> &'static str;
    /// The state after an event, or `None` where the event is refused.
    fn after(self, event: Self::Event) -> Option<Self>;
    /// Whether nothing can happen any more.
    fn is_final(self) -> bool {
        Self::EVENTS.iter().all(|event| self.after(*event).is_none())
    }
}

/// One line of a table: from any of these states, on this event, to that state.
#[derive(Clone, Copy, Debug)]
pub struct Move<S: 'static, E> {
    /// The states it starts from.
    pub from: &'static [S],
    /// What happens.
    pub on: E,
    /// Where it leads.
    pub to: S,
}

/// Declares a lifecycle: its states and events with their words, and its table.
macro_rules! lifecycle {
    (
        $noun:literal
        $(#[$state_doc:meta])* pub enum $state:ident { $($(#[$one_state:meta])* $s:ident $s_word:literal,)* }
        $(#[$event_doc:meta])* pub enum $event:ident { $($(#[$one_event:meta])* $e:ident $e_word:literal,)* }
        moves { $($($from:ident)|+ , $on:ident => $to:ident;)* }
    ) => {
        $(#[$state_doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize)]
        pub enum $state { $($(#[$one_state])* #[serde(rename = $s_word)] $s,)* }

        $(#[$event_doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum $event { $($(#[$one_event])* $e,)* }

        impl $state {
            /// The state after an event, or `None` where the event is refused. This is the lifecycle.
            #[must_use]
            pub const fn after(self, event: $event) -> Option<Self> {
                match (self, event) {
                    $(($(Self::$from)|+, $event::$on) => Some(Self::$to),)*
                    _ => None,
                }
            }

            /// The state's word.
            #[must_use]
            pub const fn name(self) -> &'static str {
                match self { $(Self::$s => $s_word),* }
            }
        }

        impl $crate::lifecycle::Lifecycle for $state {
            type Event = $event;
            const NOUN: &'static str = $noun;
            const STATES: &'static [Self] = &[$(Self::$s),*];
            const EVENTS: &'static [$event] = &[$($event::$e),*];
            const MOVES: &'static [$crate::lifecycle::Move<Self, $event>] = &[
                $($crate::lifecycle::Move { from: &[$(Self::$from),+], on: $event::$on, to: Self::$to },)*
            ];

            fn name(self) -> &'static str {
                self.name()
            }

            fn event_name(event: $event) -> &'static str {
                match event { $($event::$e => $e_word),* }
            }

            fn after(self, event: $event) -> Option<Self> {
                self.after(event)
            }
        }

        impl schemars::JsonSchema for $state {
            fn schema_name() -> std::borrow::Cow<'static, str> {
                concat!($noun, " state").into()
            }

            fn inline_schema() -> bool {
                true
            }

            fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
                // Extensible: the values are named for the reader, and a client must not fail on a new one.
                schemars::json_schema!({ "type": "string", "examples": [$($s_word),*] })
            }
        }
    };
}

pub(crate) use lifecycle;

/// A lifecycle as a Markdown table: what the documents show.
#[must_use]
pub fn markdown<L: Lifecycle>() -> String {
    let mut page = format!("## {}\n\n| from | event | to |\n|---|---|---|\n", L::NOUN);
    for line in L::MOVES {
        let from: Vec<_> = line.from.iter().map(|state| state.name()).collect();
        let (on, to) = (L::event_name(line.on), line.to.name());
        page.extend(["| ", &from.join(", "), " | ", on, " | ", to, " |\n"]);
    }
    let ends: Vec<_> =
        L::STATES.iter().filter(|state| state.is_final()).map(|state| state.name()).collect();
    page.extend(["\nFinal: ", &ends.join(", "), ".\n"]);
    page
}
