//! Loops and other constructs, innocent and not, each in a model that brings it to light.

/// A model with three interchangeable values, in which each statement list is the body of a rule.
fn model(kind: &str, more: &str, body: &str) -> String {
    format!(
        "type
  pid: {kind}(3);
  state: enum {{ Idle, Busy }};
  cell: record owner: pid; flag: boolean; end;
var
  a, b: array [pid] of boolean;
  m: array [pid] of array [pid] of boolean;
  c: array [pid] of cell;
  p: pid;
  st: state;
  flag: boolean;
  n: 0..3;
{more}
ruleset x: array [pid] of boolean; k: pid do startstate
  a := x;
  for i: pid do
    b[i] := i = k; c[i].flag := x[i];
    for j: pid do m[i][j] := j = k; end;
  end;
  p := k; flag := false; n := 0; st := Idle;
end end;
ruleset i0: pid do rule \"go\" true ==>
  var tmp: boolean; var t: pid; var count: 0..3;
begin
{body}
end end;
"
    )
}

fn all(table: &[(&'static str, &str, &str)]) -> Vec<(&'static str, String)> {
    table
        .iter()
        .map(|&(what, more, body)| {
            let kind = if what.contains("ring") { "ring" } else { "scalarset" };
            (what, model(kind, more, body))
        })
        .collect()
}

/// What does not depend on any order.
pub(crate) fn innocent() -> Vec<(&'static str, String)> {
    [innocent_loops(), innocent_collections(), innocent_elements()].concat()
}

/// Declares multisets and more, and rules that empty them.
const NET: &str = "var net, copy: multiset [3] of pid; s: set of pid; q: queue [3] of pid;
rule \"e\" true ==> undefine net; undefine copy; undefine s; undefine q; end;";

/// Adds an element to `net`, unless it has two.
const POST: &str = "if MultiSetCount(k: net, true) < 2 then MultiSetAdd(i0, net) end; ";

/// Bodies that post an element first.
fn all_of_net(table: &[(&'static str, &str)]) -> Vec<(&'static str, String)> {
    let body = |&(what, body): &(&'static str, &str)| {
        (what, model("scalarset", NET, &format!("{POST}{body}")))
    };
    table.iter().map(body).collect()
}

fn innocent_elements() -> Vec<(&'static str, String)> {
    all_of_net(&[
        ("each sets its own", "for e in net do a[net[e]] := true; b[net[e]] := false end"),
        ("each goes", "for e in net do if a[net[e]] then MultiSetRemove(e, net) end end"),
        ("each changes", "for e in net do if net[e] = i0 then net[e] := p end end"),
        ("each is counted", "n := 0; for e in net do if a[net[e]] then n := n + 1 end end"),
        ("some one is one", "flag := false; for e in net do flag := flag | a[net[e]] end"),
        ("their set", "undefine s; for e in net do insert(s, net[e]) end"),
        ("their copies", "undefine copy; for e in net do MultiSetAdd(net[e], copy) end"),
        (
            "those that go are kept",
            "undefine copy; for e in net do if a[net[e]] then MultiSetAdd(net[e], copy); \
             MultiSetRemove(e, net) end end",
        ),
        (
            "a local of each",
            "for e in net do t := net[e]; if t = p then MultiSetRemove(e, net) end end",
        ),
    ])
}

/// Loops over elements whose order matters.
pub(crate) fn refused() -> Vec<(&'static str, String)> {
    all_of_net(&[
        ("the last element stays", "for e in net do p := net[e] end"),
        ("the last one stays in a local", "for e in net do t := net[e] end; c[i0].owner := t"),
        (
            "only the first element",
            "flag := a[i0]; for e in net do if !flag then flag := true; \
             MultiSetRemove(e, net) end end",
        ),
        ("elements in a row", "undefine q; for e in net do push(q, net[e]) end"),
        (
            "some reset, some count",
            "n := 0; for e in net do if a[net[e]] then n := 0 else n := n + 1 end end",
        ),
        (
            "one reads what another writes",
            "for e in net do b[net[e]] := a[p]; a[net[e]] := !a[net[e]] end",
        ),
    ])
}

fn innocent_loops() -> Vec<(&'static str, String)> {
    all(&[
        ("reset", "", "for i: pid do a[i] := false; c[i].flag := true; undefine c[i].owner; end"),
        ("all but one", "", "for i: pid do if i != i0 then a[i] := true; end end"),
        ("counting", "", "n := 0; for i: pid do if a[i] then n := n + 1; end end"),
        ("counting down", "", "n := 3; for i: pid do if a[i] then n := n - 1; end end"),
        ("counting from the right", "", "n := 0; for i: pid do if a[i] then n := 1 + n; end end"),
        ("over the bound", "", "n := 1; for i: pid do n := n + 1; end"),
        ("or", "", "flag := false; for i: pid do flag := flag | a[i]; end"),
        ("and", "", "flag := true; for i: pid do flag := flag & a[i] & b[i]; end"),
        (
            "or of what may be undefined",
            "rule \"u\" true ==> undefine p; end; ruleset i1: pid do rule \"v\" true ==> \
             undefine c[i1].flag; end end",
            "flag := false; for i: pid do flag := flag | c[i].flag; end",
        ),
        (
            "or in two loops",
            "",
            "flag := false; for i: pid do for j: pid do flag := flag | (m[i][j] & a[j]); end end",
        ),
        (
            "or in two loops of what may be undefined",
            "",
            "undefine c[i0].flag; flag := false; for i: pid do for j: pid do flag := flag | (a[i] | \
             c[i].flag); end end",
        ),
        (
            "or per row",
            "",
            "for i: pid do a[i] := false; for j: pid do a[i] := a[i] | m[i][j]; end end",
        ),
        ("always the same", "", "for i: pid do if a[i] then st := Busy; end end"),
        ("the same index", "", "for i: pid do if a[i] then p := i0; end end"),
        ("matrix", "", "for i: pid do for j: pid do m[i][j] := a[i] & b[j]; end end"),
        ("two in one loop", "", "for i: pid; j: pid do m[i][j] := i = j; end"),
        ("column", "", "for i: pid do m[i0][i] := a[i]; end"),
        ("by way of a local", "", "for i: pid do tmp := a[i]; b[i] := tmp; end"),
        (
            "a local, then another use of it",
            "",
            "for i: pid do tmp := a[i]; b[i] := tmp; end; tmp := flag; flag := !tmp",
        ),
        (
            "count per row",
            "",
            "for i: pid do count := 0; for j: pid do if m[i][j] then count := count + 1; end end; \
             a[i] := count = 1; end",
        ),
        (
            "procedure with a parameter",
            "procedure set(i: pid; value: boolean); begin a[i] := value; end;",
            "for i: pid do set(i, b[i]); end",
        ),
        (
            "procedure with a reference",
            "procedure swap(var x: boolean; var y: boolean); var z: boolean; begin z := x; x := y; \
             y := z; end;",
            "for i: pid do swap(a[i], b[i]); end",
        ),
        (
            "function with a loop",
            "function many(i: pid): 0..3; var count: 0..3; begin count := 0; for j: pid do if \
             m[i][j] then count := count + 1; end end; return count; end;",
            "for i: pid do a[i] := many(i) > 1; end",
        ),
        ("alias", "", "for i: pid do alias x: c[i] do x.flag := a[i]; x.owner := i; end end"),
        ("quantifier", "", "for i: pid do a[i] := exists j: pid do m[j][i] & b[j] end; end"),
        ("assertion", "", "for i: pid do assert a[i] | b[i]; end"),
        ("assumption", "", "for i: pid do assume a[i] | !b[i]; end; flag := true"),
        (
            "message to each",
            "var net: multiset [3] of pid;",
            "for i: pid do if a[i] then MultiSetAdd(i, net); end end",
        ),
        ("bits", "", "for i: pid do if a[i] then n := n ^ 1; end end"),
        ("in a ring", "", "for i: pid do a[i] := b[next(i)]; end"),
        ("clear without indices", "", "for i: pid do clear a[i]; end; clear flag; clear n"),
        ("put without indices", "", "put flag; put \"text\""),
        ("while", "", "while n < 2 do n := n + 1; end"),
        (
            "read-only copy",
            "",
            "for i: pid do b[i] := a[i]; end; for i: pid do a[i] := b[p] & b[i]; end",
        ),
        ("swap of a member", "", "for i: pid do if i = p then a[i] := !a[i]; end end"),
        (
            "in both branches",
            "",
            "for i: pid do if a[i] then tmp := b[i]; else tmp := false; end; a[i] := tmp; end",
        ),
        (
            "undefined before it is used",
            "",
            "for i: pid do undefine t; if a[i] then t := i; end; if !isundefined(t) then \
             c[t].flag := false; end end",
        ),
    ])
}

fn innocent_collections() -> Vec<(&'static str, String)> {
    all(&[
        (
            "a queue of its own",
            "var qs: array [pid] of queue [2] of pid; rule \"e\" true ==> undefine qs; end;",
            "for i: pid do if length(qs[i]) < 2 then push(qs[i], p) end; if p in qs[i] & \
             last(qs[i]) = i0 then pop(qs[i]) end end",
        ),
        (
            "sets of each and of all",
            "var s: set of pid; ss: array [pid] of set of pid; rule \"e\" true ==> undefine s; undefine ss; end;",
            "for i: pid do if a[i] then insert(s, i) else remove(s, i) end; b[i] := i in ss[i]; insert(ss[i], p); \
             ss[i] := ss[i] - { i0 }; end; for i in s do a[i] := false; remove(s, i) end; n := size(s | ss[p])",
        ),
        (
            "one element for all",
            "var s: set of pid; rule \"e\" true ==> undefine s; end;",
            "for i: pid do if a[i] then insert(s, p) end end",
        ),
        (
            "looking into a queue",
            "var q: queue [2] of pid; rule \"e\" true ==> undefine q; end;",
            "if length(q) < 2 then push(q, p) end; for i: pid do b[i] := i in q; a[i] := head(q) = i; end; \
             for v in q do c[v].flag := true end",
        ),
    ])
}

/// The same, by what is shown and how it fails.
pub(crate) fn innocent_reports() -> Vec<(&'static str, String)> {
    all(&[
        (
            "put of a multiset",
            "var bag: multiset [3] of boolean;",
            "undefine bag; for i: pid do MultiSetAdd(a[i], bag); end; put bag; undefine bag",
        ),
        (
            "the first failure of an iteration, wherever it is declared",
            "procedure look(i: pid); begin assert b[i]; end;",
            "n := 2; for i: pid do n := n + 1; look(i); end",
        ),
    ])
}

/// What depends on the order, so that the brute force sees it.
pub(crate) fn traps() -> Vec<(&'static str, String)> {
    [traps_of_loops(), traps_of_collections()].concat()
}

fn traps_of_loops() -> Vec<(&'static str, String)> {
    all(&[
        ("only the first", "", "for i: pid do if !flag then flag := true; a[i] := true; end end"),
        ("neighbour in a ring", "", "for i: pid do a[i] := a[next(i)]; end"),
        (
            "both ways in a matrix",
            "",
            "for i: pid do for j: pid do m[i][j] := true; m[j][i] := false; end end",
        ),
        ("reset or count", "", "for i: pid do if a[i] then n := 0; else n := n + 1; end end"),
        ("last one stays", "", "for i: pid do p := i; end"),
        ("some one stays", "", "for i: pid do if a[i] then p := i; end end"),
        ("return", "", "for i: pid do if a[i] then b[i] := !b[i]; return; end end"),
        ("clear of an index", "", "clear p"),
        ("clear of a record", "", "clear c[i0]"),
        ("by the local's leftover", "", "for i: pid do t := i; end; p := t"),
        (
            "by the leftover of an inner loop",
            "",
            "t := p; for k := 0 to 1 do p := t; for i: pid do t := i; end end",
        ),
        (
            "by a reference",
            "procedure set(var x: pid; i: pid); begin x := i; end;",
            "for i: pid do set(p, i); end",
        ),
        ("by an alias", "", "for i: pid do alias x: p do x := i; end end"),
        ("by an alias of an element", "", "alias x: a[p] do for i: pid do a[i] := !x; end end"),
        (
            "through a function",
            "function f(i: pid): boolean; begin return a[p]; end;",
            "for i: pid do a[i] := !f(i); end",
        ),
        (
            "through a procedure",
            "procedure f(i: pid); begin if !flag then flag := true; b[i] := !b[i]; end end;",
            "flag := false; for i: pid do f(i); end",
        ),
        (
            "effects in a quantifier",
            "function f(i: pid): boolean; begin p := i; return false; end;",
            "tmp := exists i: pid do f(i) end; flag := tmp",
        ),
        ("up and down", "", "n := 3; for i: pid do n := n + (a[i] ? 1 : -1); end"),
        (
            "reading the sum",
            "",
            "n := 0; for i: pid do n := n + 1; if n = 2 then a[i] := !a[i]; end end",
        ),
        (
            "reading what is gathered",
            "",
            "flag := false; for i: pid do flag := flag | a[i]; b[i] := flag; end",
        ),
        ("negation", "", "for i: pid do flag := !flag | a[i]; end"),
        ("two constants", "", "for i: pid do if a[i] then st := Busy; else st := Idle; end end"),
        (
            "bits out of range",
            "var h: 0..5; rule \"h\" true ==> h := 0; end;",
            "h := 0; for i: pid do h := h ^ (i = p ? 2 : 4); end",
        ),
        ("one row for all", "", "for i: pid do m[i][i0] := !m[p][i0]; end"),
        ("diagonal", "", "for i: pid do m[p][i0] := a[i]; end"),
        ("a stale local", "", "tmp := flag; for i: pid do b[i] := tmp; tmp := a[i]; end"),
        (
            "assigned in one branch",
            "",
            "tmp := false; for i: pid do if a[i] then tmp := b[i]; end; a[i] := tmp; end",
        ),
        (
            "moving messages",
            "var net: multiset [2] of pid; rule \"full\" true ==> undefine net; end;",
            "undefine net; for i: pid do if MultiSetCount(e: net, true) < 2 then MultiSetAdd(i, net); end end",
        ),
        (
            "recursion",
            "procedure f(i: pid; k: 0..1); begin if k = 0 then p := i; else f(i, 0); end end;",
            "for i: pid do f(i, 1); end",
        ),
        (
            "the order of failures",
            "",
            "undefine c[p].flag; flag := false; for i: pid do if !flag then flag := c[i].flag; end end",
        ),
        (
            "hidden by a gathered answer",
            "procedure f(i: pid); begin flag := flag | c[i].flag; end;",
            "undefine c[p].flag; flag := false; for i: pid do f(i); end",
        ),
    ])
}

fn traps_of_collections() -> Vec<(&'static str, String)> {
    all(&[
        (
            "the first to be inserted",
            "var s: set of pid; rule \"e\" true ==> undefine s; end;",
            "undefine s; for i: pid do if size(s) = 0 then insert(s, i) end end",
        ),
        (
            "inserting and removing one",
            "var s: set of pid; rule \"e\" true ==> undefine s; end;",
            "for i: pid do if a[i] then insert(s, p) else remove(s, p) end end",
        ),
        (
            "growing in a ring while it is visited",
            "var s: set of pid; rule \"e\" true ==> undefine s; end;",
            "if size(s) = 1 then for i in s do insert(s, next(i)) end else s := { i0 } end",
        ),
        (
            "another one is looked for",
            "var s: set of pid; rule \"e\" true ==> undefine s; end;",
            "undefine s; for i: pid do b[i] := p in s; insert(s, i) end",
        ),
        (
            "assigning a set in a loop",
            "var s: set of pid; rule \"e\" true ==> undefine s; end;",
            "for i: pid do s := s - { i0 } | { i } end",
        ),
        (
            "pushing in a loop",
            "var q: queue [3] of pid; rule \"e\" true ==> undefine q; end;",
            "undefine q; for i: pid do push(q, i); end",
        ),
        (
            "pushing the first",
            "var q: queue [1] of pid; rule \"e\" true ==> undefine q; end;",
            "undefine q; for i: pid do if length(q) = 0 then pushfront(q, i); end end",
        ),
        (
            "popping in a loop",
            "var q: queue [2] of pid; rule \"e\" true ==> undefine q; end;",
            "undefine q; push(q, p); push(q, i0); for i: pid do if length(q) > 0 then b[i] := head(q) = i; \
             pop(q); end end",
        ),
        (
            "reading a queue that grows",
            "var q: queue [3] of boolean; rule \"e\" true ==> undefine q; end;",
            "undefine q; for i: pid do b[i] := true in q; push(q, a[i]); end",
        ),
        (
            "the head of another queue",
            "var qs: array [pid] of queue [1] of boolean; rule \"e\" true ==> undefine qs; end;",
            "for i: pid do undefine qs[i]; push(qs[i], a[i]) end; for i: pid do b[i] := head(qs[p]); \
             pop(qs[i]); push(qs[i], !a[i]) end",
        ),
        (
            "looking into another queue",
            "var qs: array [pid] of queue [1] of boolean; rule \"e\" true ==> undefine qs; end;",
            "for i: pid do undefine qs[i]; push(qs[i], a[i]) end; for i: pid do b[i] := true in qs[p]; \
             pop(qs[i]); push(qs[i], !a[i]) end",
        ),
        (
            "a set that grows is compared",
            "var s: set of pid; rule \"e\" true ==> undefine s; end;",
            "undefine s; for i: pid do b[i] := s <= { p }; insert(s, i) end",
        ),
        (
            "a sum in a loop",
            "",
            "for i: pid do a[i] := (sum j: pid do b[j] ? 1 : 0 end) > 0; b[i] := false end",
        ),
        (
            "effects in a sum",
            "function f(i: pid): 0..1; begin p := i; return 1; end;",
            "n := sum i: pid do f(i) end",
        ),
        (
            "a record in a loop",
            "",
            "for i: pid do c[i] := cell { owner: i, flag: a[p] }; a[i] := !a[i] end",
        ),
        (
            "elements that are added in a loop",
            "var net: multiset [3] of pid; rule \"e\" true ==> undefine net; end;",
            "undefine net; for i: pid do b[i] := false; for e in net do b[i] := true end; MultiSetAdd(i, net) end",
        ),
        (
            "elements that are removed in a loop",
            "var net: multiset [3] of pid; rule \"e\" true ==> undefine net; end;",
            "undefine net; MultiSetAdd(p, net); for i: pid do b[i] := false; for e in net do \
             MultiSetRemove(e, net); b[i] := true end end",
        ),
        (
            "the length in a loop",
            "var qs: array [pid] of queue [1] of boolean; rule \"e\" true ==> undefine qs; end;",
            "undefine qs; for i: pid do if length(qs[p]) = 0 then push(qs[i], true) end end",
        ),
    ])
}

/// The same, by what is computed or shown.
pub(crate) fn traps_of_values() -> Vec<(&'static str, String)> {
    all(&[
        (
            "a subscript that moves on in a ring",
            "var v: array [pid] of 0..9;
             function f(var k: pid): 0..1; begin k := next(k); return 1; end;",
            "for i: pid do v[i] := a[i] ? 1 : 0; end;
             for i: pid do t := i; v[t] := f(t) + v[t]; end",
        ),
        (
            "results out of the range of the function",
            "function f(i: pid): 0..1; begin return a[i] ? 1 : -1; end;",
            "n := 1; for i: pid do n := n + f(i); end",
        ),
        (
            "an alias of such a result",
            "function f(i: pid): 0..1; begin return a[i] ? 1 : -1; end;",
            "n := 1; for i: pid do alias e: f(i) do n := n + e; end end",
        ),
        ("put of an array", "", "put a"),
        (
            "put of a set",
            "var s: set of pid; rule \"e\" true ==> undefine s; end;",
            "insert(s, i0); put s",
        ),
    ])
}

/// What is harmless, but not seen to be so.
pub(crate) fn cautious() -> Vec<(&'static str, String)> {
    all(&[
        ("injective subscript in a ring", "", "for i: pid do a[next(i)] := b[i]; end"),
        ("copied subscript", "", "for i: pid do t := i; a[t] := b[t]; end"),
        ("return of a constant", "", "for i: pid do if a[i] then return; end end"),
        ("put", "", "put p"),
    ])
}
