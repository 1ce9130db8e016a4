//! Who owns what, and which rules are local.

use super::{Locality, Owner, Subject, View};
use crate::check;
use crate::checked::Model;

fn model(text: &str) -> Model {
    check(text, &[]).unwrap_or_else(|errors| panic!("{errors:#?}"))
}

/// The owners of the roots, as letters: m for members, s for a single process, n for nobody.
fn owners(locality: &Locality<'_>) -> String {
    let letter = |owner| match owner {
        Owner::Member => 'm',
        Owner::Single(_) => 's',
        Owner::Nobody => 'n',
    };
    locality.roots.iter().map(|root| letter(root.owner)).collect()
}

/// By rule, whether it is local.
fn local(locality: &Locality<'_>) -> String {
    locality.rules.iter().map(|rule| if rule.shared.is_none() { 'l' } else { '-' }).collect()
}

const HEAD: &str = "
type p: scalarset(3); r: record n: 0..3; f: boolean; end;
var a: array [p] of 0..3; b: array [p] of r; v: 0..3; w: 0..3; q: array [p] of 0..1; h: p;
ruleset i: p do startstate clear v; end; end;
procedure up(var x: 0..3); begin x := x + 1; end;
function twice(x: 0..3): 0..3; begin return x; end;
";

/// Rules of a family, what belongs to whom, and which rules are local.
const CASES: [(&str, &str, &str); 12] = [
    ("rule a[i] = 0 ==> a[i] := 1; end;", "mnnnnn", "l"),
    ("rule a[i] = 0 ==> a[i] := v; end;", "mnnnnn", "-"),
    ("rule a[i] = 0 & v = 1 ==> a[i] := 1; end;", "mnnnnn", "-"),
    ("rule b[i].n = 0 ==> b[i].f := true; end;", "nmnnnn", "l"),
    ("rule a[i] = 0 ==> up(a[i]); end;", "mnnnnn", "l"),
    ("rule a[i] = 0 ==> up(v); end;", "mnnnnn", "-"),
    ("rule a[i] = 0 ==> a[i] := twice(a[i]); end;", "mnnnnn", "l"),
    ("rule a[i] = 0 ==> alias x: a[i] do x := 2; end; end;", "mnnnnn", "l"),
    ("rule a[i] = 0 ==> for j: p do a[j] := 1; end; end;", "nnnnnn", "-"),
    ("rule a[i] = 0 & forall j: p do a[j] < 3 end ==> a[i] := 1; end;", "mnnnnn", "-"),
    ("rule a[i] = 0 ==> a[i] := 1; end; rule a[h] = 1 ==> q[i] := 1; end;", "mnnnmn", "l-"),
    ("rule a[i] = 0 ==> a[i] := 1; end; rule a[h] := 1; end;", "nnnnnn", "--"),
];

#[test]
fn rules_are_local_if_they_concern_their_process_alone() {
    for (rules, expected, are_local) in CASES {
        let model = model(&format!("{HEAD}process i: p do {rules} end;"));
        let locality = Locality::new(&model);
        assert_eq!((&*owners(&locality), &*local(&locality)), (expected, are_local), "{rules}");
    }
}

#[test]
fn a_variable_that_one_single_process_writes_belongs_to_it() {
    let model = model(&format!(
        "{HEAD}process s do rule v < 3 ==> v := v + 1; end; rule q[h] = 0 ==> w := v; end; end;
        process i: p do rule v = 1 ==> a[i] := 1; end; end;"
    ));
    let locality = Locality::new(&model);
    assert_eq!((&*owners(&locality), &*local(&locality)), ("mnssnn", "l--"));
}

#[test]
fn views_are_the_largest_parts_that_read_one_process() {
    let model = model(&format!(
        "{HEAD}process i: p do
           rule a[i] = 0 ==> a[i] := 1; end;
           rule a[i] = 1 & forall j: p do a[j] + b[j].n < 3 | j = i end ==> b[i].n := 1; end;
           rule a[i] = 2 ==> if a[h] = 1 then a[i] := 1; end; end;
         end;"
    ));
    let locality = Locality::new(&model);
    let contacts = &locality.rules[1].contacts;
    let [contact] = &contacts[..] else { panic!("{contacts:?}") };
    assert!(matches!(contact.subject, Subject::Bound { shift: 0, .. }));
    // The sum of both: `j = i` reads no cells.
    assert!(matches!(contact.views[..], [View::Value(_)]), "{:?}", contact.views);
    assert!(!contact.writes && contact.tests.is_empty());
    // What is read at an index that is not understood is seen of anyone, cell by cell.
    let [contact] = &locality.rules[2].contacts[..] else { panic!("one contact") };
    assert_eq!(contact.subject, Subject::Anyone);
    assert!(matches!(contact.views[..], [View::Cells { .. }]));
}

/// A status that a server changes while its client waits is the client's; a lock that anyone may clear is
/// nobody's.
#[test]
fn what_others_write_has_an_owner_if_that_leaves_more_to_reduce() {
    let status = model(&format!(
        "{HEAD}process i: p do
           rule a[i] = 0 ==> a[i] := 1; end;
           rule a[i] = 2 ==> a[i] := 0; end;
         end;
         process s do ruleset j: p do rule a[j] = 1 ==> a[j] := 2; v := 1; end; end; end;"
    ));
    let status = Locality::new(&status);
    assert_eq!((&*owners(&status), &*local(&status)), ("mnsnnn", "ll-"));
    let lock = model(&format!(
        "{HEAD}process i: p do
           rule a[i] = 0 ==> a[i] := 1; end;
           rule a[i] = 1 & q[i] = 0 ==> q[i] := 1; a[i] := 2; end;
         end;
         process s do ruleset j: p do rule q[j] := 0; v := 1; end; end; end;"
    ));
    let lock = Locality::new(&lock);
    assert_eq!((&*owners(&lock), &*local(&lock)), ("mnsnnn", "l--"));
}
