//! Small systems that have been thought of.

/// Cases that somebody thought of, because chance hardly ever does.
pub(super) const NAMED: &[(&str, &[&str])] = &[
    // Start states and tuples must not be reduced independently: every index is home somewhere.
    (
        "type node: scalarset(3); var home: node;
         ruleset h: node do startstate home := h; end; end;
         rule \"rest\" true ==> end;",
        &["forall c: node. G home = c", "forall c, d: node. G (home = c | home = d)"],
    ),
    // A ring of four, in which steps are alike that a swap takes to each other, if one forgets that it is
    // no rotation: then two that are set are always neighbours.
    (
        "type place: ring(4); var v: array [place] of boolean;
         startstate for x: place do v[x] := false; end; end;
         ruleset i: place do rule \"set\" !v[i] ==> v[i] := true; end; end;",
        &[
            "G !(exists x: place do v[x] & !v[next(x)] & v[prev(prev(x))] & !v[prev(x)] end)",
            "forall c: place. G (@set(c) -> X (v[next(c)] | v[prev(c)] | G !v[next(next(c))] | \
             X (v[next(c)] | v[prev(c)])))",
        ],
    ),
    // The token comes back after two laps: who has it and who is marked turn at different speeds.
    (
        "type place: ring(3); var token: place; mark: array [place] of boolean;
         ruleset h: place do startstate
           token := h; for x: place do mark[x] := x = h; end; end; end;
         ruleset i: place do rule \"pass\" token = i ==>
           mark[i] := !mark[i]; token := next(i); end; end;",
        &[
            "forall c: place. G F (token = c & mark[c])",
            "forall c: place. F G (token = c -> mark[c])",
            "forall distinct c, d: place. G (@pass(c) -> X (@pass(d) | X @pass(d)))",
            "forall distinct c, d: place. G (@pass(c) -> X @pass(d))",
        ],
    ),
];
