//! Explorations under symmetry against brute force and against explorations without: all counts, what
//! is wrong and how often, runs that are runs and as short as without; the same for any number of
//! threads.

use compile::CompiledModel;
use engine::explore::QuotientCounts;
use isonomy::explore::{Deadlock, Options, Violation, ViolationKind, explore};
use model::Definition;
use model::checked::PropertyId;
use num_bigint::BigUint;
use std::sync::atomic::{AtomicUsize, Ordering};
use suites::explored::{OPTIONS, check, check_random_model};
use suites::unfolded;
use support::headers::fixtures;
use support::many::in_parallel;
use support::random::each_model;

#[test]
fn fixtures_are_as_brute_force_says() {
    let all = fixtures();
    let checked = AtomicUsize::new(0);
    in_parallel(all.len() as u64, |k| {
        let fixture = &all[k as usize];
        let model = fixture.model(&[]);
        for (deadlock, expand_violating) in [(Deadlock::Stuck, true), (Deadlock::Stuttering, false)]
        {
            let options = Options { deadlock, expand_violating, ..OPTIONS };
            let context = format!("{}, {options:?}", fixture.name);
            if check(&context, &model, &options, 14_000).is_some() {
                checked.fetch_add(1, Ordering::Relaxed);
            }
        }
    });
    let checked = checked.into_inner();
    assert!(checked > 140, "only {checked} fixtures were small enough");
}

#[test]
fn random_models_are_as_brute_force_says() {
    let [checked, reduced, wrong] = [0; 3].map(AtomicUsize::new);
    each_model(10_000, |context, model| {
        if let Some((found, violations)) = check_random_model(context, model) {
            checked.fetch_add(1, Ordering::Relaxed);
            let is_reduced = found.representatives < found.states;
            reduced.fetch_add(usize::from(is_reduced), Ordering::Relaxed);
            wrong.fetch_add(usize::from(is_reduced && violations > 0), Ordering::Relaxed);
        }
    });
    let [checked, reduced, wrong] = [checked, reduced, wrong].map(AtomicUsize::into_inner);
    eprintln!("{checked} random models, {reduced} of them smaller, something wrong in {wrong}");
    assert!(reduced * 5 > checked && wrong * 10 > checked, "{checked} {reduced} {wrong}");
}

/// Models in which steps or properties that look alike are not.
const PITFALLS: [(&str, &str); 14] = [
    (
        "one element chosen twice, and two equal ones: the same event, another target",
        "type pid: scalarset(2); var m: multiset [2] of array [pid] of 0..2; p: pid;
         ruleset q: pid do startstate
           var a: array [pid] of 0..2;
         begin
           p := q; for i: pid do a[i] := 0; end; MultiSetAdd(a, m); MultiSetAdd(a, m);
         end end
         choose i: m do choose j: m do
           rule \"both\" m[i][p] < 2 & m[j][p] < 2 ==>
             m[i][p] := m[i][p] + 1; if m[j][p] < 2 then m[j][p] := m[j][p] + 1; end;
           end
         end end",
    ),
    (
        "the same with elements that are indices",
        "type pid: scalarset(3); var m: multiset [3] of record who: pid; n: 0..2 end;
         ruleset q: pid do startstate
           var a: record who: pid; n: 0..2 end;
         begin
           a.who := q; a.n := 0; MultiSetAdd(a, m); MultiSetAdd(a, m);
         end end
         choose i: m do choose j: m do
           rule \"both\" m[i].n < 2 & m[j].n < 2 ==>
             m[i].n := m[i].n + 1; if m[j].n < 2 then m[j].n := m[j].n + 1; end;
           end
         end end
         ruleset q: pid do choose i: m do rule \"give\" m[i].n = 2 ==> m[i].who := q; end end end",
    ),
    (
        "two rules of one event",
        "type pid: scalarset(3); var a: array [pid] of 0..2;
         startstate for i: pid do a[i] := 0; end end
         process i: pid do
           rule \"go\" a[i] = 0 ==> a[i] := 1; end
           rule \"go\" a[i] = 0 ==> a[i] := 2; end
           rule \"go\" a[i] = 0 & exists j: pid do a[j] = 2 end ==> a[i] := 1; end
           rule \"back\" a[i] > 0 ==> a[i] := 0; end
         end",
    ),
    (
        "a process of two families",
        "type reader: scalarset(2); writer: scalarset(2); who: union {reader, writer};
         var a: array [who] of boolean;
         startstate for i: who do a[i] := false; end end
         process w: who do rule \"set\" !a[w] ==> a[w] := true; end end
         process r: reader do ruleset w: writer do
           rule \"clear\" a[r] & a[w] ==> a[w] := false; end
         end end",
    ),
    (
        "start states that are symmetric only together",
        "type node: scalarset(4); var home, away: node;
         ruleset h: node; k: node do startstate assume h != k; home := h; away := k; end end
         rule \"swap\" var t: node; begin t := home; home := away; away := t; end
         ruleset n: node do rule \"go\" n != home ==> away := n; end end
         ruleset n: node do invariant \"at home\" home != n; cover \"away\" away = n;
           liveness \"comes home\" home = n; end",
    ),
    (
        "what is never true, for some choices of values",
        "type pid: scalarset(3); var p: pid; stuck: boolean;
         ruleset i: pid do startstate p := i; stuck := false; end end
         rule \"stick\" stuck := true; end
         ruleset i: pid do rule \"move\" !stuck ==> p := i; end end
         ruleset i: pid; j: pid do
           cover \"both\" p = i & p = j;
           liveness \"either\" p = i | p = j;
         end
         ruleset k: 0..1; i: pid do cover \"k\" k = 0 & p = i; end",
    ),
    (
        "steps that an assumption cuts",
        "type pid: scalarset(3); var a: array [pid] of 0..2;
         startstate for i: pid do a[i] := 0; end end
         process i: pid do
           rule \"up\" a[i] < 2 ==> a[i] := a[i] + 1; end
           rule \"down\" a[i] = 2 ==> a[i] := 0; end
         end
         assume exists i: pid do a[i] = 0 end;
         invariant exists i: pid do a[i] < 2 end;",
    ),
    (
        "steps that fail beside others that do not",
        "type pid: scalarset(3); var a: array [pid] of 0..2;
         startstate for i: pid do a[i] := 0; end end
         process i: pid do rule \"up\" a[i] := a[i] + 1; end end
         ruleset i: pid; j: pid do
           rule \"compare\" i != j & a[i] = 1 & a[j] = 1 ==> assert a[i] != a[j]; end
         end",
    ),
    (
        "steps that fail, and what stays reachable without them",
        "type pid: scalarset(3); var a: array [pid] of 0..2; x: 0..3;
         startstate for i: pid do a[i] := 0; end; x := 0; end
         process i: pid do
           rule \"up\" a[i] < 2 ==> a[i] := a[i] + 1; end
           rule \"add\" a[i] = 2 ==> x := x + 2; end
           rule \"down\" a[i] = 2 ==> a[i] := 0; end
         end
         ruleset i: pid do liveness \"down\" a[i] = 0; liveness \"none\" x = 0 & a[i] = 1; end",
    ),
    (
        "start states that fail beside others that do not",
        "type pid: scalarset(3); var a: array [pid] of 0..2; p: pid;
         ruleset k: 0..1; h: pid do startstate
           for i: pid do a[i] := 0; end; p := h; assert k = 0;
         end end
         process i: pid do
           rule \"up\" a[i] < 2 ==> a[i] := a[i] + 1; end
           rule \"take\" a[i] = 2 & a[p] = 1 ==> p := i; end
         end
         ruleset i: pid do liveness \"up\" a[i] = 2; liveness \"mine\" p = i; end",
    ),
    (
        "assumptions that fail",
        "type pid: scalarset(3); var a: array [pid] of 0..2; x: 0..1;
         startstate for i: pid do a[i] := 0; end end
         process i: pid do
           rule \"up\" a[i] < 2 ==> a[i] := a[i] + 1; end
           rule \"set\" isundefined(x) & a[i] = 1 ==> x := 0; end
           rule \"down\" a[i] = 2 ==> a[i] := 0; end
         end
         assume (forall i: pid do a[i] < 2 end) | x = 0;
         ruleset i: pid do liveness \"up\" a[i] = 2; liveness \"unset\" isundefined(x); end",
    ),
    (
        "choices of values that are of one type or another, or of none that is permuted",
        "type reader: scalarset(3); writer: ring(3); who: union {reader, enum {nobody}, writer};
         var last: who; held: multiset [2] of record by: who; n: 0..1 end;
         startstate last := nobody; end
         ruleset w: who; n: 0..1 do
           rule \"hold\" MultiSetCount(k: held, true) < 2 ==>
             var one: record by: who; n: 0..1 end;
             begin one.by := w; one.n := n; MultiSetAdd(one, held); last := w;
           end
         end
         choose k: held do rule \"drop\" MultiSetRemove(k, held); end end
         ruleset w: who; n: 0..1; v: who do
           cover \"one\" last = w & n = 0;
           cover \"both\" MultiSetCount(k: held, held[k].by = w & held[k].n = n) = 1 &
             MultiSetCount(k: held, held[k].by = v) = 1;
           liveness \"twice\" MultiSetCount(k: held, held[k].by = w) = 2 & last = v;
         end
         choose k: held do ruleset w: who do cover \"chosen\" held[k].by = w; end end",
    ),
    (
        "a place where a step fails and a property, and choices that fail in different places",
        "type pid: scalarset(2); var a, b: array [pid] of boolean; x: boolean;
         function get(): boolean; begin return x; end
         startstate for i: pid do a[i] := true; b[i] := true; end end
         process i: pid do
           rule \"a\" !isundefined(a[i]) ==> undefine a[i]; end
           rule \"b\" !isundefined(b[i]) ==> undefine b[i]; end
           rule \"get\" isundefined(a[i]) & isundefined(b[i]) ==> x := get(); end
         end
         ruleset i: pid do invariant \"both\" a[i] & b[i]; liveness \"got\" get(); end",
    ),
    (
        "opposite points of a square, and of a square with a mark",
        "type corner: undirected ring(4); var a: array [corner] of 0..1; mark: corner;
         ruleset c: corner do startstate mark := c; for i: corner do a[i] := 0; end end end
         process c: corner do
           rule \"flip\" a[c] := 1 - a[c]; end
           rule \"pass\" mark = c & a[c] = 1 ==> undefine mark; end
         end",
    ),
];

#[test]
fn pitfalls() {
    for (what, text) in PITFALLS {
        let model = model::check(text, &[]).unwrap_or_else(|why| panic!("{what}: {why:#?}"));
        for deadlock in [Deadlock::Stuck, Deadlock::Stuttering] {
            for expand_violating in [false, true] {
                let options = Options { deadlock, expand_violating, ..OPTIONS };
                let found = check(what, &model, &options, 5000);
                let (found, _) = found.unwrap_or_else(|| panic!("{what}: too many states"));
                assert!(found.representatives < found.states, "{what}: {found:?}");
            }
        }
        unfolded::check(what, &model, 5000);
    }
}

/// Of a hundred thousand choices of values around a property those that are alike are found at once.
#[test]
fn many_choices_of_values() {
    let text = "type place: ring(300); var mark: place; moved: boolean;
         ruleset p: place do startstate mark := p; moved := false; end end
         rule \"move\" !moved ==> mark := next(mark); moved := true; end
         ruleset p: place; q: place do
           cover \"both\" mark = p & mark = q;
           cover \"one\" moved & (mark = p | mark = q);
         end";
    let model = model::check(text, &[]).expect("it is a model");
    let found = explore(&CompiledModel::new(&model), &OPTIONS, &isonomy::Watch::none());
    let never = |id| {
        let is_it = |one: &&Violation| matches!(one.kind, ViolationKind::Cover(at, _) if at == id);
        found.violations.iter().filter(is_it).count()
    };
    // Two places that are not one, by how far they are from each other.
    assert_eq!((never(PropertyId(0)), never(PropertyId(1))), (299, 0));
    assert_eq!(found.progress.states, 2);
}

/// Facts that are too large for brute force, by the program alone.
#[test]
fn large_facts() {
    let mut checked = 0;
    for fixture in fixtures() {
        for size in fixture.sizes() {
            let stated = size.stated("quotient");
            if stated.is_none_or(|orbits| orbits > 70_000) {
                continue;
            }
            let model = fixture.model(size.definitions);
            let found = explore(&CompiledModel::new(&model), &OPTIONS, &isonomy::Watch::none());
            let context = format!("{} {:?}", fixture.name, size.definitions);
            let full = found.full.expect("everything is counted");
            for (kind, number) in [
                ("states", &full.states),
                ("steps", &full.steps),
                ("deadlocks", &full.deadlocks),
                ("quotient", &found.progress.states.into()),
                ("annotated edges", &found.progress.steps.into()),
            ] {
                if let Some(stated) = size.stated(kind) {
                    assert_eq!(*number, BigUint::from(stated), "{context}: {kind}");
                    checked += 1;
                }
            }
            let Some(counts) = found.quotient else { continue };
            for (kind, number) in
                [("kept edges", counts.kept_edges), ("orbit edges", counts.orbit_edges)]
            {
                if let Some(stated) = size.stated(kind) {
                    assert_eq!(number, Some(stated as u64), "{context}: {kind}");
                    checked += 1;
                }
            }
        }
    }
    assert!(checked > 150, "only {checked} facts were found to be checked");
}

/// A thousand processes: representatives, annotated, kept and orbit edges, in closed form by the same counting by hand
/// that gives the facts of small sizes.
#[test]
fn a_thousand_processes() {
    type Closed = fn(u64) -> [u64; 4];
    let families: [(&str, Closed); 3] = [
        ("resource_simple", |n| [2 * n + 1, n * (5 * n + 3) / 2, 6 * n - 2, 6 * n - 2]),
        ("mux_sem", |n| [2 * n + 1, n * (3 * n + 7) / 2 + 1, 6 * n, 6 * n]),
        ("resource_controller", |n| {
            let annotated = 2 * n * n + 3 * n + 1 + n * (n + 1) / 2;
            [4 * n + 2, annotated, n * (n + 1) / 2 + 7 * n - 1, 8 * n - 1]
        }),
    ];
    for (name, closed) in families {
        let fixture = fixtures().into_iter().find(|one| one.name == name).expect("there is one");
        for n in [2, 3, 10, 1000] {
            let definition = Definition { name: "N".to_owned(), value: n.to_string() };
            let model = fixture.model(&[definition]);
            let found = explore(&CompiledModel::new(&model), &OPTIONS, &isonomy::Watch::none());
            assert!(found.violations.is_empty(), "{name}, N = {n}");
            let counts = found.quotient.expect("it is reduced");
            let [representatives, annotated, kept, orbits] = closed(n);
            let expected = QuotientCounts {
                representatives,
                annotated_edges: annotated,
                kept_edges: Some(kept),
                orbit_edges: Some(orbits),
            };
            assert_eq!(counts, expected, "{name}, N = {n}");
        }
    }
}
