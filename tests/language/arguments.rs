//! Arrays and records are passed by value, unless the parameter is `var`.

use model::check;
use model::checked::{Argument, ExpressionKind, Model, Statement, StatementKind};
use model::generate::{self, Options};
use model::interpret::{Interpreter, State};
use model::walk;
use std::collections::{HashSet, VecDeque};
use support::headers::fixtures;
use support::many::cases;

/// Declarations in front of every rule here.
const PROGRAM: &str = "
    type
      pair: array [0..1] of 0..9;
      box: record p: pair; n: 0..9 end;
    var
      g, h: pair; b: box; bs: array [0..1] of box; k: 0..1; out: 0..9;
    -- Writes a global variable.
    procedure sets(p: pair); begin g[0] := 7; out := p[0]; end;
    -- The same, further down.
    procedure deep(p: pair); begin sets(h); out := p[0]; end;
    -- Passes its parameter on: what it refers to is written further down.
    procedure passes(p: pair); begin sets(p); end;
    -- Writes another parameter.
    procedure both(var q: pair; p: pair); begin q[0] := 7; out := p[0]; end;
    procedure twice(var q: pair; p: pair); begin both(q, p); end;
    -- Writes a part of what it is given as a whole, and the other way round.
    procedure part(var n: 0..9; p: pair); begin n := 7; out := p[0]; end;
    procedure whole(var c: box; p: pair); begin c.p[0] := 7; out := p[0]; end;
    procedure boxed(c: box); begin undefine bs; out := c.p[0]; end;
    -- Writes through an alias.
    procedure aliased(p: pair); begin alias a: g[0] do a := 7; end; out := p[0]; end;
    -- The result comes late.
    function late(): 0..1; begin g[0] := 7; return 0; end;
    procedure second(p: pair; i: 0..1); begin out := p[0]; end;
    function same(p: pair): pair; begin g[0] := 7; return p; end;
    -- Two functions that call each other.
    procedure odd(p: pair; i: 0..9); begin
      if i > 0 then even(p, i - 1); out := p[0]; end;
    end;
    procedure even(p: pair; i: 0..9); begin
      if i > 0 then odd(p, i - 1); else g[0] := 7; end;
    end;
    -- Nothing is written: nothing needs to be copied.
    procedure reads(p: pair); begin out := p[0]; end;
    function first(p: pair): 0..9; begin return p[0]; end;
    startstate
      for i: 0..1 do
        g[i] := 1; h[i] := 2; b.p[i] := 3;
        for j: 0..1 do bs[i].p[j] := 4; end; bs[i].n := 0;
      end;
      b.n := 0; k := 0; out := 0;
    end;";

/// A statement, the value of `out` after it, and how many arguments are copied.
const CALLS: [(&str, i64, usize); 32] = [
    ("sets(g)", 1, 1),
    ("sets(h)", 2, 0),
    ("sets(b.p)", 3, 0),
    ("deep(g)", 1, 1),
    ("deep(h)", 2, 0),
    ("passes(g)", 1, 1),
    ("passes(h)", 2, 0),
    ("both(g, g)", 1, 1),
    ("both(g, h)", 2, 0),
    ("both(h, h)", 2, 1),
    ("both(bs[k].p, bs[1 - k].p)", 4, 1),
    ("twice(g, g)", 1, 1),
    ("part(g[0], g)", 1, 1),
    ("part(g[0], h)", 2, 0),
    ("whole(b, b.p)", 3, 1),
    ("boxed(bs[k])", 4, 1),
    ("boxed(b)", 3, 0),
    ("aliased(g)", 1, 1),
    ("aliased(h)", 2, 0),
    // What an argument changes, the ones before it do not see.
    ("second(g, late())", 1, 1),
    ("second(h, late())", 2, 0),
    ("second(g, h[late()] > 0 ? 1 : 0)", 1, 1),
    ("odd(g, 3)", 1, 1),
    ("odd(h, 3)", 2, 0),
    ("reads(g)", 1, 0),
    ("out := first(g)", 1, 0),
    ("h := same(g); out := h[0]", 1, 1),
    ("sets(k = 0 ? g : h)", 1, 1),
    ("alias a: g do sets(a); end", 1, 1),
    ("alias a: h do sets(a); end", 2, 0),
    // An alias of a value is that value.
    ("alias a: k = 0 ? g : h do g[0] := 7; out := a[0]; end", 1, 0),
    ("alias a: g do g[0] := 7; out := a[0]; end", 7, 0),
];

fn checked(text: &str) -> Model {
    check(text, &[]).unwrap_or_else(|errors| panic!("{text}\n{errors:?}"))
}

/// The arrays and records among the arguments of a body that are values, and so copied.
fn copied(model: &Model, body: &[Statement]) -> usize {
    let mut found = 0;
    let mut count = |arguments: &[Argument]| {
        for argument in arguments {
            if let Argument::Value(value) = argument
                && !matches!(value.kind, ExpressionKind::Call { .. })
                && !model.types.is_simple(value.of)
            {
                found += 1;
            }
        }
    };
    let mut open: Vec<&Statement> = body.iter().collect();
    while let Some(statement) = open.pop() {
        if let StatementKind::Call { arguments, .. } = &statement.kind {
            count(arguments);
        }
        walk::own_expressions(statement, &mut |expression| {
            if let ExpressionKind::Call { arguments, .. } = &expression.kind {
                count(arguments);
            }
        });
        walk::substatements(statement, &mut |inner| open.push(inner));
    }
    found
}

#[test]
fn arguments_keep_their_values() {
    for (call, expected, copies) in CALLS {
        let text = format!("{PROGRAM} rule \"go\" {call}; end;");
        let model = checked(&text);
        let interpreter = Interpreter::new(&model);
        let start = interpreter.starts().next().expect("a start").expect("it does not fail");
        let steps = interpreter.steps(&start.state).expect("it does not fail");
        let out = model.variables.iter().position(|one| one.name == "out").expect("a variable");
        let found = steps[0].target.0[out].clone();
        let wanted = model::value::Value::Scalar(model::value::Scalar::Number(expected));
        assert_eq!(found, wanted, "{call}");
        assert_eq!(copied(&model, &model.rules[0].body), copies, "{call}");
    }
}

/// A `var` parameter stands for the variable that is passed, whatever else is passed.
#[test]
fn var_parameters_are_references() {
    for (call, expected) in
        [("both(g, h)", 7), ("part(g[0], g)", 7), ("sets(g)", 7), ("aliased(h)", 7)]
    {
        let model = checked(&format!("{PROGRAM} rule \"go\" {call}; end;"));
        let interpreter = Interpreter::new(&model);
        let start = interpreter.starts().next().expect("a start").expect("it does not fail");
        let steps = interpreter.steps(&start.state).expect("it does not fail");
        let shown = steps[0].target.show(&model);
        assert!(shown.contains(&format!("g[0] = {expected}")), "{call}\n{shown}");
    }
}

/// Copies cost time, and real models need few: these are the fixtures that have some, and how many.
#[test]
fn few_arguments_are_copied() {
    let mut found = Vec::new();
    for fixture in fixtures() {
        let model = checked(&fixture.text);
        let bodies = model.functions.iter().map(|one| &one.body);
        let bodies = bodies.chain(model.rules.iter().map(|one| &one.body));
        let bodies = bodies.chain(model.starts.iter().map(|one| &one.body));
        match bodies.map(|body| copied(&model, body)).sum::<usize>() {
            0 => {}
            count => found.push((fixture.name, count)),
        }
    }
    let found: Vec<_> = found.iter().map(|(name, count)| (&name[..], *count)).collect();
    assert_eq!(found, []);
}

/// Random models mean the same if functions copy what they are passed before they do anything.
#[test]
fn copies_make_no_difference() {
    let (mut models, mut with_copies, mut steps) = (0, 0, 0);
    for seed in 0..cases(3_000) {
        let options = Options { formulas: false, ..Options::default() };
        let text = generate::model(seed, &options);
        let copying = generate::model(seed, &Options { copies: true, ..options });
        let (Ok(model), Ok(other)) = (check(&text, &[]), check(&copying, &[])) else { continue };
        models += 1;
        let bodies = model.functions.iter().map(|one| &one.body);
        let bodies = bodies.chain(model.rules.iter().map(|one| &one.body));
        if bodies.map(|body| copied(&model, body)).sum::<usize>() == 0 {
            continue;
        }
        with_copies += 1;
        steps += compare(&model, &other, &format!("seed {seed}\n{text}"));
    }
    assert!(with_copies * 75 > models && steps > 1_000, "{with_copies} of {models}, {steps} steps");
}

/// Compares the steps out of the first states of two models of the same variables.
fn compare(model: &Model, other: &Model, context: &str) -> usize {
    let (one, two) = (Interpreter::new(model), Interpreter::new(other));
    let mut seen: HashSet<State> = HashSet::new();
    let mut queue: VecDeque<State> = VecDeque::new();
    for start in one.starts().flatten().take(20) {
        if seen.insert(start.state.clone()) {
            queue.push_back(start.state);
        }
    }
    let mut compared = 0;
    while let Some(state) = queue.pop_front() {
        // A loop may be unordered in one of the two only, and then they may fail differently.
        let (Ok(found), Ok(expected)) = (one.steps(&state), two.steps(&state)) else { continue };
        let shown = |model: &Model, steps: &[model::interpret::Step]| -> Vec<String> {
            let line = |step: &model::interpret::Step| {
                format!("{} {}", step.event.show(model), step.target.show(model))
            };
            steps.iter().map(line).collect()
        };
        assert_eq!(
            shown(model, &found),
            shown(other, &expected),
            "in the state\n{}\n{context}",
            state.show(model)
        );
        compared += found.len();
        for step in found {
            if seen.len() < 60 && seen.insert(step.target.clone()) {
                queue.push_back(step.target);
            }
        }
    }
    compared
}
