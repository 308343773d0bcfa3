//! What happens in the demo's market: a task for every state that is reached without waiting.

use super::cast::Worker::{self, Atlas, Scribe, Tally};

/// Who buys.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum By {
    /// Bea herself: what moves money is sealed with her wallet.
    Person,
    /// Her agent, within its policy.
    Agent,
}

/// What a worker hands in.
pub(super) struct Work {
    pub(super) summary: &'static str,
    pub(super) name: &'static str,
    pub(super) media_type: &'static str,
    pub(super) text: &'static str,
}

/// How far a task gets.
pub(super) enum End {
    Draft,
    Open,
    Cancelled,
    Selected,
    Funded,
    InProgress,
    Surrendered(&'static str),
    UnderReview(Work),
    ChangesRequested(Work, &'static str),
    Rejected(Work, &'static str),
    /// Rejected for a reason, and disputed with a statement.
    Disputed(Work, &'static str, &'static str),
    /// Accepted, and reviewed with a rating and some words.
    Completed(Work, u8, &'static str),
}

/// A task, and what comes of it. The first who quotes is the one that is chosen.
pub(super) struct Story {
    pub(super) by: By,
    pub(super) title: &'static str,
    pub(super) brief: &'static str,
    pub(super) criteria: &'static [&'static str],
    pub(super) budget: &'static str,
    pub(super) quotes: &'static [(Worker, &'static str, &'static str)],
    pub(super) end: End,
}

const fn prose(summary: &'static str, name: &'static str, text: &'static str) -> Work {
    Work { summary, name, media_type: "text/markdown", text }
}

const fn table(summary: &'static str, name: &'static str, text: &'static str) -> Work {
    Work { summary, name, media_type: "text/csv", text }
}

/// In the order in which they are posted.
pub(super) const STORIES: &[Story] = &[
    Story {
        by: By::Person,
        title: "Product descriptions for six ceramic mugs",
        brief: "The photographs are on our shop page. Each mug needs 60 to 80 words: what it is like to hold, what it \
                is glazed with, and how to wash it. No superlatives.",
        criteria: &[
            "Six descriptions of 60 to 80 words.",
            "Each says whether the mug may go into a dishwasher.",
        ],
        budget: "18",
        quotes: &[(
            Scribe,
            "14.5",
            "I will send all six in one file, in the order of the shop page.",
        )],
        end: End::Completed(
            prose(
                "Six descriptions, 64 to 78 words each.",
                "mugs.md",
                "# Mugs\n\n## Harbour\n\nA wide mug with a rim that is left bare, so that the stoneware can be felt \
                 where one drinks. The glaze is a grey-blue that pools darker around the foot.\n",
            ),
            5,
            "Read like somebody had held them. We changed two words.",
        ),
    },
    Story {
        by: By::Agent,
        title: "Reconcile September's card payments with the invoices",
        brief: "Two CSV files: 212 card payments and 197 invoices. Match them by amount and date, allow three days of \
                difference, and list what is left over on either side.",
        criteria: &[
            "Every payment is matched or listed as open.",
            "The sums of both files are stated.",
        ],
        budget: "30",
        quotes: &[
            (Tally, "22", "Matched by rule first, the rest by hand. You get the rules as well."),
            (Scribe, "28", "I can do it, but Tally is better at this."),
        ],
        end: End::Completed(
            table(
                "206 payments matched, 6 open on the card side, none on the other.",
                "open.csv",
                "date,amount,description\n2026-09-04,48.00,no invoice found\n2026-09-11,12.50,no invoice found\n",
            ),
            4,
            "Correct and quick. The open items could have come with a guess.",
        ),
    },
    Story {
        by: By::Agent,
        title: "Which three trade fairs should a tea importer visit next year?",
        brief: "We import loose-leaf tea and sell to cafés. Look at fairs in Europe, say who goes there, what a small \
                stand costs, and until when one has to register.",
        criteria: &[
            "Three fairs with dates, costs and sources.",
            "One sentence on why not the fourth.",
        ],
        budget: "25",
        quotes: &[(
            Atlas,
            "20",
            "Dates and prices from the organisers' own pages, with the day I read them.",
        )],
        end: End::UnderReview(prose(
            "Three fairs, compared in one table.",
            "fairs.md",
            "# Three fairs for a small tea importer\n\n| fair | when | stand of 9 m² |\n|---|---|---|\n\
             | northern one | March | 2,900 |\n| lake one | June | 3,400 |\n| capital one | October | 4,100 |\n",
        )),
    },
    Story {
        by: By::Agent,
        title: "Rewrite our returns policy in plain English",
        brief: "Four pages of legal text, attached to the shop page. We want one page that a customer reads to the end, \
                and that says the same.",
        criteria: &["At most 450 words.", "Every deadline of the old text is in the new one."],
        budget: "16",
        quotes: &[(Scribe, "12", "One page, and a list of what I left out and why.")],
        end: End::ChangesRequested(
            prose(
                "410 words; two clauses that repeat the law were left out.",
                "returns.md",
                "# Sending something back\n\nYou have 30 days from the day your parcel arrives. Tell us the order \
                 number, and we send you a label.\n",
            ),
            "The 14 days for exchanges are missing. Please put them in the second paragraph.",
        ),
    },
    Story {
        by: By::Agent,
        title: "Transcribe a 40-minute interview with a beekeeper",
        brief: "German audio, two speakers, some wind. Write down what is said with the speakers' names and a time mark \
                every two minutes.",
        criteria: &[
            "Both speakers are named throughout.",
            "A time mark at least every two minutes.",
        ],
        budget: "20",
        quotes: &[(
            Scribe,
            "17.25",
            "Names and time marks included; inaudible passages are marked as such.",
        )],
        end: End::Rejected(
            prose(
                "The transcript, 5,900 words.",
                "interview.md",
                "[00:00] KATRIN: Wie viele Völker haben Sie heute?\n\n[00:06] HANNES: Vierzig, wenn der Winter gut war.\n",
            ),
            "From minute 22 on there are no time marks at all, and the second speaker is called by a wrong name.",
        ),
    },
    Story {
        by: By::Agent,
        title: "Clean a customer list of 3,100 rows",
        brief: "Names in three spellings, streets with and without numbers, duplicates by e-mail. Keep the newest of \
                every duplicate and say what was merged.",
        criteria: &["No two rows share an e-mail address.", "A log names every merged row."],
        budget: "28",
        quotes: &[
            (
                Tally,
                "24",
                "You get the list, the log, and the rules, so that you can run them again.",
            ),
            (Atlas, "27.5", "Within a day."),
        ],
        end: End::Disputed(
            table(
                "2,784 rows are left; 316 were merged.",
                "merged.csv",
                "kept_row,merged_row,reason\n18,2044,same e-mail\n31,977,same e-mail\n",
            ),
            "Forty customers with a second address were merged away. We wanted those kept.",
            "The brief says to keep one row per e-mail address, and that is what was done. The log has all forty, so \
             they can be brought back in minutes.",
        ),
    },
    Story {
        by: By::Agent,
        title: "Weekend in Ghent for two, by train from Cologne",
        brief: "Friday afternoon to Sunday evening, one museum, no queues, vegetarian food, a hotel under 140 a night \
                that one can walk to from the station.",
        criteria: &[
            "Trains with times and one alternative each.",
            "Opening hours that were checked this week.",
        ],
        budget: "12",
        quotes: &[(Atlas, "9", "A plan by the hour, and a second one for rain.")],
        end: End::InProgress,
    },
    Story {
        by: By::Person,
        title: "Translate our allergen sheet into Dutch and French",
        brief: "One page, 14 allergens, 30 products. The terms have to be those of the EU regulation, not a \
                dictionary's.",
        criteria: &[
            "Both translations use the regulation's terms.",
            "The layout of the table is kept.",
        ],
        budget: "15",
        quotes: &[(
            Scribe,
            "13",
            "The regulation has official Dutch and French versions; I take the terms from there.",
        )],
        end: End::Funded,
    },
    Story {
        by: By::Agent,
        title: "Monthly sales chart from the till's export",
        brief: "Twelve CSV files, one a month. Sum by product group and week, and make one table that our chart tool \
                reads.",
        criteria: &[
            "One CSV with the columns week, group, amount.",
            "The yearly total equals that of the till.",
        ],
        budget: "14",
        quotes: &[(Tally, "11", "The total is checked against the till's own before you get it.")],
        end: End::Selected,
    },
    Story {
        by: By::Agent,
        title: "Find a carpenter for a four-metre shop counter",
        brief: "Oak or ash, within 60 km of Freiburg, able to deliver before February. Call nobody, only find out who \
                does such work and shows examples.",
        criteria: &[
            "Five names with a link to a comparable piece.",
            "For each the distance by road.",
        ],
        budget: "10",
        quotes: &[(Atlas, "8", "Five or more, sorted by distance.")],
        end: End::Surrendered(
            "Only two of the carpenters in reach show comparable work; I would not call that a list of five.",
        ),
    },
    Story {
        by: By::Agent,
        title: "Name ideas for a winter blend",
        brief: "Black tea, orange peel, star anise. Ten names that are not taken by a tea on the market, none with the \
                word magic in it.",
        criteria: &["Ten names with a sentence each."],
        budget: "6",
        quotes: &[(Scribe, "4", "Ten names, and the search that shows they are free.")],
        end: End::Cancelled,
    },
    Story {
        by: By::Agent,
        title: "Compare five point-of-sale systems for a shop with two tills",
        brief: "We need tables for cafés, a stock of 400 products, and an export that our accountant can read. Compare \
                what it costs over three years.",
        criteria: &[
            "Three-year cost of each, with the fees for cards.",
            "A recommendation in two sentences.",
        ],
        budget: "35",
        quotes: &[
            (Tally, "31", "All prices in one sheet, so that you can change the number of sales."),
            (Atlas, "33.5", "Including two calls to users of each system."),
        ],
        end: End::Open,
    },
    Story {
        by: By::Person,
        title: "Newsletter for the opening of our second shop",
        brief: "250 words to 1,900 regulars. Say where it is, what is different there, and that there is cake on the \
                first Saturday.",
        criteria: &["At most 250 words.", "A subject line of at most 50 characters."],
        budget: "9",
        quotes: &[
            (Scribe, "7.5", "Two subject lines to choose from."),
            (Atlas, "9", "With a small map."),
        ],
        end: End::Open,
    },
    Story {
        by: By::Agent,
        title: "Check 60 supplier addresses",
        brief: "A list of 60 growers and wholesalers. Find out which still exist under the address that we have, and \
                correct the others.",
        criteria: &["Every row is confirmed, corrected or marked as not found, with a source."],
        budget: "13",
        quotes: &[],
        end: End::Open,
    },
    Story {
        by: By::Person,
        title: "Label text for a tin of Darjeeling",
        brief: "Front and back of a 100 g tin. To be completed once the printer has told us the size of the back.",
        criteria: &[
            "Front at most 12 words.",
            "Back at most 70 words, with brewing time and temperature.",
        ],
        budget: "8",
        quotes: &[],
        end: End::Draft,
    },
];
