//! Composes the list of common passwords from the habits that make them common, and holds the file to it.
//!
//! `GUILDHALL_BLESS=1 cargo test -p guildhall-identity --test common_passwords` writes the file anew.

use std::collections::BTreeSet;
use std::ops::RangeInclusive;
use std::{env, fs};

const FILE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/src/common-passwords.txt");
const SHORTEST: usize = 10;

/// Words that come first to most people's minds. They are tried in every dress.
const FAVOURITES: &str = "password passwort passw0rd pass secret login welcome letmein changeme admin root test hello \
    qwerty abc iloveyou princess sunshine monkey dragon football master superman trustno1 guildhall";

/// More of them: love, animals, sports, heroes, machines, names and places.
const WORDS: &str = "passwd default access administrator user guest testing qwertz azerty asdfgh zxcvbn abcd abcdef \
    love lovely loveme sweetheart prince queen king angel babygirl baby honey sunflower flower rainbow butterfly \
    cookie chocolate cheese banana orange cherry pepper ginger tiger lion eagle falcon panther dolphin turtle kitten \
    kitty puppy horse chicken penguin unicorn baseball basketball hockey soccer tennis golf liverpool arsenal \
    chelsea barcelona realmadrid juventus cowboys steelers lakers yankees batman spiderman ironman pokemon pikachu \
    naruto starwars startrek matrix gandalf minecraft fortnite computer internet samsung iphone android google \
    facebook instagram linkedin youtube microsoft windows linux ubuntu server database oracle cisco michael jennifer \
    jessica ashley daniel charlie thomas jordan andrew michelle nicole hannah maria anna alex max sophie martin \
    robert george william joshua matthew anthony london paris berlin america germany france canada mexico brazil \
    india jesus christ blessed freedom forever family friends school student teacher money dollar bitcoin crypto \
    ethereum wallet whatever nothing shadow ninja killer hunter ranger phoenix mustang ferrari porsche mercedes \
    toyota yamaha harley corvette zaq12wsx qazwsx guild marketplace agent";

/// What is put after a word to make it long enough, or to please a rule.
const TAILS: &str = "1 12 123 1234 12345 123456 1234567 12345678 123456789 1234567890 00 01 007 11 111 1111 69 99 321 \
    4321 54321 654321 666 777 ! !! 1! 12! 123! 1234! !1 !123 @1 @12 @123 @1234 #1 #123 .123 _123 -123";

/// Those of them that even a rare word gets.
const COMMONEST_TAILS: &str = "1 12 123 1234 12345 123456 123456789 ! 1! 123! @123";

const SEASONS: &str = "spring summer autumn fall winter january february march april may june july august september \
    october november december monday tuesday wednesday thursday friday saturday sunday";

/// Lines of the keyboard, along which a finger slides.
const ROWS: &str = "1234567890 0987654321 qwertyuiop poiuytrewq asdfghjkl lkjhgfdsa zxcvbnm mnbvcxz qwertzuiop \
    yxcvbnm azertyuiop abcdefghijklmnopqrstuvwxyz zyxwvutsrqponmlkjihgfedcba 01234567890123456789 \
    98765432109876543210 1qaz2wsx3edc4rfv5tgb6yhn 1q2w3e4r5t6y7u8i9o0p q1w2e3r4t5y6u7i8o9p0 qazwsxedcrfvtgbyhnujm \
    zaq12wsxcde34rfv zaq1xsw2cde3vfr4 1qazxsw23edcvfr4 1a2b3c4d5e6f7g8h9i a1b2c3d4e5f6g7h8i9 a1s2d3f4g5h6 \
    147258369 741852963 159357258456 789456123 1472583690 123qweasdzxc qweasdzxc123 112233445566778899 \
    11223344556677889900 123123123123 121212121212 123321123321 1234512345 1234554321 0102030405060708 \
    !@#$%^&*() !qaz@wsx#edc qwertyqwerty qwerty123456 asdfasdfasdf asdf1234asdf";

/// Sentences that everybody knows.
const PHRASES: &str = "correcthorsebatterystaple thequickbrownfox maytheforcebewithyou ilovemyfamily iloveyousomuch \
    ilovemymom ilovemydad ilovejesus iloveyouforever letmeinplease letmeinnow openthedoor opensesame \
    changethispassword changemenow changemeplease mypassword1 mypassword123 mysecretpassword thisismypassword \
    thisisapassword nopassword1 yourpassword newpassword newpassword1 oldpassword temppassword temporary123 \
    passwordistaco onetwothree onetwothreefour tobeornottobe helloworld1 helloworld123 godisgood123 jesuslovesme \
    fuckyou123 fuckyou1234 whatthefuck supersecret topsecret123 verysecret1 donotenter keepitsecret noonewillguess \
    winteriscoming imtheboss123 livelaughlove carpediem123 akunamatata hakunamatata nevergiveup followme123 \
    youllneverwalkalone rockandroll heavymetal1 metallica123 greenday123 blink182blink slipknot666 \
    administrator1 sysadmin123 superadmin123 rootroot123 adminadmin123 testtest123 passpass123 useruser123 \
    q1w2e3r4t5 1q2w3e4r5t asdf123456 abcd123456 abc1234567 abc123abc123 a123456789 aa12345678 1a2s3d4f5g \
    pa55w0rd123 passw0rd1234 p455w0rd123";

fn common_passwords() -> BTreeSet<String> {
    let mut list = BTreeSet::new();
    words(&mut list);
    seasons(&mut list);
    walks(&mut list);
    list.extend(PHRASES.split_whitespace().map(str::to_owned));
    list.retain(|password| password.chars().count() >= SHORTEST);
    list
}

/// A word alone, twice, thrice, with a tail, with a year; and the favourites with a few letters disguised.
fn words(list: &mut BTreeSet<String>) {
    for word in FAVOURITES.split_whitespace().flat_map(disguises) {
        dress(list, &word, TAILS, 1980..=2030);
        list.extend(
            ["my", "the", "123", "1234", "12345", "123456"].map(|head| format!("{head}{word}")),
        );
        list.extend((2015..=2030).map(|year| format!("{word}{year}!")));
    }
    for word in WORDS.split_whitespace() {
        dress(list, word, COMMONEST_TAILS, 2018..=2030);
    }
}

fn dress(list: &mut BTreeSet<String>, word: &str, tails: &str, years: RangeInclusive<u32>) {
    list.extend([word.to_owned(), word.repeat(2), word.repeat(3)]);
    list.extend(tails.split_whitespace().map(|tail| format!("{word}{tail}")));
    list.extend(years.map(|year| format!("{word}{year}")));
}

fn disguises(word: &str) -> BTreeSet<String> {
    let vowels = word.replace('a', "@").replace('o', "0");
    let all = vowels.replace('s', "$").replace('e', "3");
    BTreeSet::from([word.to_owned(), word.replace('o', "0"), vowels, all])
}

/// The season with the year: what a rule of monthly changes breeds.
fn seasons(list: &mut BTreeSet<String>) {
    for season in SEASONS.split_whitespace() {
        for year in 2018..=2030 {
            for tail in ["", "!", "1", "#"] {
                list.insert(format!("{season}{year}{tail}"));
                list.insert(format!("{season}{}{tail}", year % 100));
            }
            list.insert(format!("{season}@{year}"));
        }
    }
}

/// Every long stretch of every line of the keyboard, and every short one twice.
fn walks(list: &mut BTreeSet<String>) {
    for row in ROWS.split_whitespace() {
        for start in 0..row.len() {
            list.extend((start + SHORTEST..=row.len()).map(|end| row[start..end].to_owned()));
            list.extend(
                (start + 5..=row.len().min(start + 8)).map(|end| row[start..end].repeat(2)),
            );
        }
        list.extend(["1", "!", "123"].map(|tail| format!("{row}{tail}")));
    }
}

#[test]
fn the_file_is_what_the_rules_compose() {
    let list: String = common_passwords().into_iter().map(|password| password + "\n").collect();
    if env::var_os("GUILDHALL_BLESS").is_some() {
        fs::write(FILE, &list).unwrap();
    }
    assert!(fs::read_to_string(FILE).unwrap() == list, "run this test with GUILDHALL_BLESS=1");
}

#[test]
fn every_line_is_folded_and_long_enough_to_be_tried() {
    let file = fs::read_to_string(FILE).unwrap();
    for line in file.lines() {
        assert!(line.chars().count() >= SHORTEST && line == line.to_lowercase(), "{line}");
    }
    assert!(file.lines().count() > 5_000);
}
