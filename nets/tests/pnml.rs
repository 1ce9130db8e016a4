//! Reading nets and properties: what is meant, and what is refused with its place.

use judge::Reference as _;
use nets::{Bounds, Game, Net, PackedNet, Question, Symmetry, pnml, properties};
use run::{Diagnostic, SplitMix64};
use terms::Group;

const CLIENTS: &str = include_str!("../../fixtures/nets/clients.pnml");
const POST: &str = include_str!("../../fixtures/nets/post.pnml");
const RELAY: &str = include_str!("../../fixtures/nets/relay.pnml");
const WORKSHOP: &str = include_str!("../../fixtures/nets/workshop.pnml");

fn refused(text: &str) -> Diagnostic {
    let wrong = pnml::parse(text).expect_err("it is no net");
    assert!(wrong.span.start <= wrong.span.end && wrong.span.end <= text.len(), "{wrong:?}");
    wrong
}

#[test]
fn a_symmetric_net_is_read() {
    let net = pnml::parse(CLIENTS).expect("a net");
    assert_eq!((net.places.len(), net.transitions.len(), net.classes.len()), (4, 3, 1));
    assert_eq!(net.places[0].initial.len(), 3);
    assert_eq!(net.places[3].initial.values().sum::<u64>(), 1);
    let symmetry = Symmetry::of(&net, &[]);
    assert_eq!(symmetry.classes[0].group, Group::Full);
    assert_eq!(symmetry.classes[0].block_of, [0, 0, 0]);
    // A formula that names a colour tells it apart.
    assert_eq!(Symmetry::of(&net, &[(0, 1)]).classes[0].block_of, [0, 1, 0]);
}

#[test]
fn text_that_cannot_be_a_net_is_refused_with_its_place() {
    let changed = |from: &str, to: &str| {
        assert!(CLIENTS.contains(from), "{from}");
        CLIENTS.replacen(from, to, 1)
    };
    for (from, to, message) in [
        ("<dotconstant/>", "<listlength/>", "`<listlength>` is not known in terms"),
        ("<dot/>", "<string/>", "tokens of the sort `<string>` are not known"),
        ("source=\"Idle\"", "source=\"Idel\"", "there is no place or transition `Idel`"),
        ("id=\"take\"", "id=\"ask\"", "the id `ask` is used twice"),
        ("refvariable=\"x\"", "refvariable=\"y\"", "there is no variable `y`"),
        ("symmetricnet", "timednet", "is not known"),
        ("<?xml version=\"1.0\"?>", "<!DOCTYPE a [<!ENTITY b \"c\">]>", "no well-formed XML"),
        ("</net>", "", "no well-formed XML"),
        (
            "<all><usersort declaration=\"client\"/></all>",
            "<numberof><subterm><numberconstant value=\"99999999999999999999\"/></subterm><subterm>\
             <all><usersort declaration=\"client\"/></all></subterm></numberof>",
            "cannot be counted",
        ),
        (
            "<variable refvariable=\"x\"/>",
            "<dotconstant/>",
            "this is of the sort black tokens, but the place has tokens of `Client`",
        ),
        ("<cyclicenumeration>", "<cyclicenumeration2>", "no well-formed XML"),
    ] {
        let wrong = refused(&changed(from, to));
        assert!(wrong.message.contains(message), "{from}: {}", wrong.message);
    }
}

/// What is read of mutated files can be explored a little.
#[test]
fn truncated_and_mutated_files_do_no_harm() {
    let files = [CLIENTS, POST, RELAY, WORKSHOP];
    for file in files {
        for end in (0..file.len() - 10).step_by(7) {
            refused(&file[..end]);
        }
    }
    let mut random = SplitMix64::new(5);
    let mut read = 0;
    for round in 0..6000 {
        let mut bytes = files[round % files.len()].as_bytes().to_vec();
        for _ in 0..=(random.next() % 3) {
            let at = (random.next() % bytes.len() as u64) as usize;
            match random.next() % 4 {
                0 => bytes[at] = b"<>/\"=ax1 "[(random.next() % 9) as usize],
                1 => drop(bytes.remove(at)),
                2 => bytes.insert(at, bytes[(at * 7) % bytes.len()]),
                _ => {
                    // A piece that is somewhere else, too.
                    let from = (random.next() % bytes.len() as u64) as usize;
                    let piece = bytes[from..bytes.len().min(from + 40)].to_vec();
                    drop(bytes.splice(at..at, piece));
                }
            }
        }
        let Ok(text) = String::from_utf8(bytes) else { continue };
        match pnml::parse(&text) {
            Ok(net) => {
                read += 1;
                explored_a_little(&net);
            }
            Err(wrong) => assert!(wrong.span.end <= text.len(), "{wrong:?}"),
        }
    }
    assert!(read > 300, "{read}");
}

/// The first markings, as the token game has them and as the engine does.
fn explored_a_little(net: &Net) {
    let cells: u64 = net.places.iter().map(|place| net.tuples(&place.sort)).sum();
    if cells > 10_000 {
        return;
    }
    let symmetry = Symmetry::of(net, &[]);
    let game = Game::new(net, &symmetry);
    let printed = nets::print::print(net, &[]);
    assert!(!printed.text.is_empty());
    let mut bounds = Bounds::of_initial(net);
    for _ in 0..4 {
        let system = PackedNet::new(net, symmetry.clone(), bounds.clone());
        let options = engine::explore::Options { most_states: Some(200), ..Default::default() };
        drop(engine::explore::explore_system(
            &system,
            &options,
            &system.watch(&run::Watch::none()),
        ));
        match system.raised() {
            Some(raised) => bounds = raised.with_room(&bounds),
            None => break,
        }
    }
    let mut marking = game.initial();
    for _ in 0..5 {
        let next = game.steps(&marking).attempts.into_iter().find_map(|one| one.target.ok());
        let Some(next) = next else { break };
        marking = next;
    }
}

/// Numbers that no memory has room for.
#[test]
fn huge_numbers_are_refused_or_counted() {
    let many =
        |tokens: &str| WORKSHOP.replacen("<text>12</text>", &format!("<text>{tokens}</text>"), 1);
    assert!(refused(&many("99999999999999999999")).message.contains("cannot be counted"));
    let net = pnml::parse(&many("1000000000000")).expect("it is a net");
    let game = Game::new(&net, &Symmetry::none(&net));
    assert_eq!(game.steps(&game.initial()).attempts.len(), 1);
    // A product of very many colours.
    let range = |end: &str| POST.replace("end=\"2\"", &format!("end=\"{end}\""));
    assert!(refused(&range("9999999999")).message.contains("a range of 1 to"));
    let cube =
        format!("<productsort>{}</productsort>", "<usersort declaration=\"level\"/>".repeat(4));
    let large = range("99999").replace(
        "<productsort><usersort declaration=\"city\"/><usersort declaration=\"city\"/></productsort>",
        &cube,
    );
    assert_ne!(large, range("99999"));
    assert!(refused(&large).message.contains("more than 2^60"), "{:?}", refused(&large));
}

#[test]
fn deep_and_large_files_do_no_harm() {
    let deep = format!("<pnml>{}{}</pnml>", "<a>".repeat(100_000), "</a>".repeat(100_000));
    assert!(refused(&deep).message.contains("levels deep"));
    let bomb = "<!DOCTYPE l [<!ENTITY a \"aaaa\"><!ENTITY b \"&a;&a;&a;\">]><pnml>&b;</pnml>";
    assert!(refused(bomb).help.expect("advice").contains("document type"));
}

#[test]
fn properties_are_read_and_refused() {
    let net = pnml::parse(CLIENTS).expect("a net");
    let file = |formula: &str| {
        format!(
            "<property-set><property><id>a-0</id><formula>{formula}</formula></property></property-set>"
        )
    };
    let bound = file("<place-bound><place>Working</place><place>Waiting</place></place-bound>");
    let read = properties::parse(&bound, &net).expect("properties");
    assert!(matches!(&read[0].question, Question::Bound(places) if places[..] == [2, 1]));
    let some = file(
        "<exists-path><finally><integer-le><integer-constant>2</integer-constant>\
         <tokens-count><place>Working</place></tokens-count></integer-le></finally></exists-path>",
    );
    let read = properties::parse(&some, &net).expect("properties");
    assert!(matches!(read[0].question, Question::Some(_)));
    for (text, message) in [
        (file("<place-bound><place>Nowhere</place></place-bound>"), "no place `Nowhere`"),
        (file("<all-paths><sometimes/></all-paths>"), "`<sometimes>` is not known"),
        (file("<exists-path><globally/></exists-path>"), "`<finally>` is expected"),
        (file("<all-paths/>"), "has one operand"),
        (file(""), "there is no formula"),
    ] {
        let wrong = properties::parse(&text, &net).expect_err("it is wrong");
        assert!(wrong.message.contains(message), "{}", wrong.message);
        assert!(wrong.span.end <= text.len());
    }
}

#[test]
fn formulas_are_read_and_refused() {
    let net = pnml::parse(CLIENTS).expect("a net");
    for text in [
        "G (tokens(Working) <= 1)",
        "G F dead | tokens(\"Idle\") + 2 * tokens(Waiting, Working) > 3",
        "G (@take(2) -> F @leave(_))",
        "fireable(ask, take) U !fireable(\"leave\")",
    ] {
        let formula = nets::text::parse(text, &net).expect(text);
        assert_eq!(formula.text, text);
    }
    for (text, message) in [
        ("G tokens(Work) <= 1", "no place `Work`"),
        ("G tokens(Working)", "a comparison is expected"),
        ("F @take(7)", "`7` is no colour"),
        ("F @take(1, 2)", "1 variable(s)"),
        ("F @by(x)", "no processes"),
        ("G Working", "`Working` is no condition"),
        ("fireable take", "the transitions are missing"),
    ] {
        let wrong = nets::text::parse(text, &net).expect_err(text);
        assert!(wrong.message.contains(message), "{text}: {}", wrong.message);
    }
}
