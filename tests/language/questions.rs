//! Formulas that are asked about a model: what they mean, and what is said about wrong ones, byte for
//! byte.

use ltl::source::Colour;
use ltl::{Source, Sources};
use model::checked::{Atom, Formula, Group, Model};
use model::interpret::Interpreter;
use model::syntax::{Fairness, Over};
use model::value::Value;
use model::{check, check_with};
use support::golden;

const MODEL: &str = r#"const limit: 3;
type
  client: scalarset(2);
  peer: client;
  place: ring(3);
  status: enum { Idle, Asking, G };
var
  st: array [client] of status;
  n: 0..limit;
procedure tick(); begin n := 0; end;
function one(): boolean; begin tick(); return true; end;
function first(): client; begin for c: client do if st[c] = Idle then return c; end; end; end;
function is_idle(c: client): boolean; begin return st[c] = Idle; end;
startstate for c: client do st[c] := Idle; end; n := 0; end;
process c: client do
  rule "ask" st[c] = Idle ==> st[c] := Asking; end;
  rule "give up" st[c] = Asking ==> st[c] := Idle; end;
end;
process server do
  ruleset c: client do rule "grant" st[c] = Asking ==> st[c] := G; n := 1; end end;
end;
"#;

/// All that is said of one question.
fn said(question: &str) -> String {
    let mut sources = Sources::new(Source::new("model.m", MODEL));
    sources.push(Source::new("formula", question));
    let diagnostics = match check_with(MODEL, &[], &[question]) {
        Ok(model) => model.warnings,
        Err(errors) => errors.model,
    };
    let said = diagnostics.iter().map(|one| sources.render(one, Colour::Off));
    said.collect::<Vec<_>>().join("\n")
}

#[test]
fn questions_mean_what_the_same_properties_mean() {
    for (question, atoms, under) in [
        ("G n = 0", 1, None),
        ("forall c: client. G(st[c] = G -> F st[c] != G)", 2, None),
        ("forall distinct c, d: peer. G !(st[c] = G & st[d] = G)", 1, None),
        ("forall c: client. G(@ask(c) -> F (@grant(c) | @\"give up\"(c)))", 3, None),
        ("G F grant", 1, None),
        ("@by(server) R !@by(_)", 2, None),
        ("\"n = 0\" U \"st[first()] = Asking\"", 2, None),
        ("F n = limit under weak fairness", 1, Some((Fairness::Weak, None))),
        (
            "forall c: (client), k: (0..limit). F is_idle(c) | n >= k under strong fairness over events",
            2,
            Some((Fairness::Strong, Some(Over::Events))),
        ),
        ("F n = 1 under global fairness", 1, Some((Fairness::Global, None))),
        ("forall s: status, p: place. G forall c: client do st[c] = s end", 1, None),
    ] {
        let asked = check_with(MODEL, &[], &[question]).expect(question);
        let declared = format!("{MODEL}ltl {question};");
        let declared = check(&declared, &[]).expect(question);
        assert_eq!((asked.formulas.len(), asked.questions.len()), (0, 1), "{question}");
        let (found, expected) = (&asked.questions[0], &declared.formulas[0]);
        assert_eq!((found.atoms.len(), found.under), (atoms, under), "{question}");
        assert_eq!((&found.name, &found.text), (&None, &expected.text));
        assert_eq!((&found.tracked, found.under), (&expected.tracked, expected.under));
        assert_eq!(found.span.start, MODEL.len() + 1);
        assert_eq!(found.span.end, found.span.start + question.len());
        let names = |of: &Formula| -> Vec<_> {
            of.locals.iter().map(|local| (local.name.clone(), local.of, local.kind)).collect()
        };
        assert_eq!(names(found), names(expected), "{question}");
        let texts = |of: &Formula| -> Vec<String> {
            let text = of.atoms.iter().map(|atom| match atom {
                Atom::State { text, .. } | Atom::Event { text, .. } | Atom::By { text, .. } => {
                    text.clone()
                }
            });
            text.collect()
        };
        assert_eq!(texts(found), texts(expected), "{question}");
        let groups =
            |of: &Model| -> Vec<Group> { of.symmetries.iter().map(|one| one.group).collect() };
        assert_eq!(groups(&asked), groups(&declared), "{question}");
    }
}

#[test]
fn a_question_may_tell_values_apart() {
    for (question, expected) in [
        ("G n = 0", Group::Full),
        ("F st[first()] = G", Group::Trivial),
        ("\"is_idle(first())\"", Group::Trivial),
    ] {
        let model = check_with(MODEL, &[], &["F n = 1", question]).expect(question);
        assert_eq!(model.symmetries[0].group, expected, "{question}");
        assert_eq!(model.symmetries[1].group, Group::Rotations, "{question}");
    }
}

#[test]
fn places_are_those_of_the_texts_one_behind_the_other() {
    let questions = ["G n = 0", "F m = 1", "  \n G \"n = k\""];
    let errors = check_with(MODEL, &[], &questions).expect_err("two names are wrong").model;
    let mut sources = Sources::new(Source::new("model.m", MODEL));
    for question in questions {
        sources.push(Source::new("formula", question));
    }
    let found: Vec<_> = errors
        .iter()
        .map(|error| {
            let (number, span) = sources.find(error.span);
            (number, &questions[number - 1][span.start..span.end], &error.message[..])
        })
        .collect();
    assert_eq!(found, [(2, "m", "unknown name `m`"), (3, "k", "unknown name `k`")]);
}

/// Run-time errors point at the part of the question that fails, quoted or not, and at the model.
#[test]
fn failures_have_places_in_their_text() {
    for (question, number, place, calls) in [
        ("F limit > n", 1, "n", 0),
        ("F \"limit > n\"", 1, "n", 0),
        ("F st[first()] = G", 0, "st[c]", 1),
    ] {
        let model = check_with(MODEL, &[], &[question]).expect(question);
        let mut sources = Sources::new(Source::new("model.m", MODEL));
        sources.push(Source::new("formula", question));
        let interpreter = Interpreter::new(&model);
        let start = interpreter.starts().next().expect("a start state").expect("no failure");
        let mut state = start.state;
        let Value::Parts(parts) = &mut state.0[0] else { panic!("an array comes first") };
        parts.fill(Value::Undefined);
        state.0[1] = Value::Undefined;
        let Atom::State { condition, .. } = &model.questions[0].atoms[0] else {
            panic!("a condition: {question}")
        };
        let failure = interpreter.is_true(condition, &[], &[], &state).expect_err(question);
        let (found, span) = sources.find(failure.span);
        let text = [MODEL, question][found];
        assert_eq!((found, &text[span.start..span.end]), (number, place), "{question}");
        assert_eq!(failure.calls.len(), calls, "{question}");
        for call in failure.calls {
            assert_eq!(sources.find(call).0, 1, "{question}");
        }
    }
}

/// Conditions that are written alike but mean different things are different atoms.
#[test]
fn atoms_are_told_apart() {
    for (question, atoms) in [
        ("F ((n = 0 -> n = 1) -> n = 2) & G (n = 0 -> (n = 1 -> n = 2))", 2),
        ("F ((n = 0 <-> n = 1) <-> n = 2) & G (n = 0 <-> (n = 1 <-> n = 2))", 2),
        ("F !\"n = 0 | n = 1\" & G (!n = 0 | n = 1)", 2),
        ("F (n = 0 & \"n = 0 | n = 1\") & G (n = 0 & n = 0 | n = 1)", 2),
        ("F (n = 0 & n = 1) & G (n = 0  &  n = 1)", 1),
        ("F ((n = 0 & n = 1) & n = 2) & G (n = 0 & (n = 1 & n = 2))", 1),
    ] {
        let model = check_with(MODEL, &[], &[question]).expect(question);
        assert_eq!(model.questions[0].atoms.len(), atoms, "{question}");
    }
}

/// `BLESS=1` rewrites what is kept, for a difference that was looked at and wanted.
#[test]
fn wrong_questions_are_explained() {
    let found: Vec<String> =
        WRONG.iter().map(|question| format!("## {question}\n{}", said(question))).collect();
    let found = found.join("\n");
    golden::compare("fixtures/questions.txt", &found);
}

/// Questions that are wrong, or deserve a warning.
const WRONG: [&str; 18] = [
    "",
    "G m = 0",
    "forall c: clint. G st[c] = Idle",
    "forall c: client. G st[c] = Idel",
    "G @grnt(_)",
    "forall p: place. G !@grant(p)",
    "forall c: client. G @by(sever)",
    "G (n = 0",
    "G n = 0; F n = 1",
    "G n = 0 under fairness",
    "F n = 1 under global fairness over events",
    "G forall c: client. F st[c] = G",
    "G one()",
    "G is_idle()",
    "G /* n = 0",
    "G \"n = \"",
    "n = 0 --> n = 1",
    "forall distinct a, b, c: client. G n = 0",
];
