//! Models of which compiled code once said something else than the interpreter, or would say it after a mistake that is
//! easy to make.

/// What each is about, and the model.
pub(crate) const PITFALLS: [(&str, &str); 23] = [
    (
        "one element chosen twice, and two equal ones",
        "var m: multiset [2] of boolean;
         startstate MultiSetAdd(true, m); MultiSetAdd(true, m); end
         choose i: m do choose j: m do
           rule \"take\" MultiSetRemove(j, m); end
         end end",
    ),
    (
        "a step that two rules share",
        "var x: 0..3; m: multiset [2] of boolean;
         startstate x := 0; end
         ruleset i: 0..1 do
           rule \"go\" x := i; end
           rule \"go\" x = 0 ==> if MultiSetCount(k: m, true) = 0 then x := i; end end
         end",
    ),
    (
        "equal steps beside one that fails",
        "var x: 0..3; y: boolean;
         startstate x := 0; end
         rule \"go\" x := 1; end
         rule \"go\" x := 1; end
         rule \"read\" x := y ? 2 : 3; end",
    ),
    (
        "one event of two processes",
        "type t: scalarset(2); var x: boolean;
         startstate x := false; end
         process server do ruleset i: t do rule \"go\" x := true; end end end
         process i: t do rule \"go\" x := true; end end",
    ),
    (
        "a cover that is true before its step fails",
        "var x: 0..3; y: boolean;
         startstate x := 0; end
         rule cover true; x := y ? 2 : 3; end
         rule assume x = 0; x := x + 1; cover x = 1; end",
    ),
    (
        "a cover that fails for one value and is true for another",
        "var x: boolean;
         startstate end
         ruleset i: boolean do cover \"never\" i | x; end",
    ),
    (
        "an element that is used after its removal, in all ways",
        "type r: record a: boolean; end;
         var m: multiset [2] of r; v: r; how: 0..6; x: boolean;
         procedure touch(var w: r); begin x := true; end;
         startstate v.a := true; MultiSetAdd(v, m); undefine v.a; MultiSetAdd(v, m); how := 0; end
         rule \"other\" how < 6 ==> how := how + 1; end
         choose i: m do alias e: m[i] do
           rule \"use\" true ==>
             MultiSetRemove(i, m);
             switch how
               case 0: x := e.a;
               case 1: x := isundefined(e.a);
               case 2: e.a := true;
               case 3: v := e;
               case 4: x := e = v;
               case 5: MultiSetRemove(i, m);
               case 6: touch(m[i]);
             end;
           end;
         end end",
    ),
    (
        "an element that is added where another was removed",
        "var m: multiset [1] of 0..3; x: 0..3;
         startstate x := 0; MultiSetAdd(0, m); end
         choose i: m do
           rule \"renew\" m[i] < 3 ==> x := m[i]; MultiSetRemove(i, m); MultiSetAdd(x + 1, m); end;
           rule \"reuse\" x < 2 ==> MultiSetRemove(i, m); MultiSetAdd(3, m); x := m[i]; end;
           rule \"again\" x < 3 ==>
             MultiSetRemove(i, m); MultiSetAdd(3, m); MultiSetRemovePred(k: m, m[k] = 3);
             MultiSetAdd(2, m); x := MultiSetCount(k: m, m[k] = 2);
           end;
           rule \"full\" x = 3 ==> MultiSetAdd(2, m); end;
         end",
    ),
    (
        "a condition that counts what it removes",
        "var m: multiset [4] of 0..2; x: 0..9;
         startstate x := 0; MultiSetAdd(2, m); MultiSetAdd(1, m); MultiSetAdd(2, m); end
         rule \"add\" MultiSetCount(i: m, true) < 4 ==> MultiSetAdd(0, m); end
         rule \"strike\"
           MultiSetRemovePred(i: m, MultiSetCount(k: m, m[k] = m[i]) > 1);
           x := MultiSetCount(i: m, true);
         end",
    ),
    (
        "elements that are changed where they are, so that their order changes",
        "var m: multiset [4] of record a: -2..2; b: boolean; end;
             v: record a: -2..2; b: boolean; end;
         startstate MultiSetAdd(v, m); v.a := -2; MultiSetAdd(v, m); v.b := true; MultiSetAdd(v, m); end
         choose i: m do
           rule \"up\" isundefined(m[i].a) | m[i].a < 2 ==>
             m[i].a := isundefined(m[i].a) ? -1 : m[i].a + 1;
           end;
           rule \"off\" undefine m[i].b; end;
           choose j: m do
             rule \"copy\" m[i] := m[j]; end;
             rule \"both\" MultiSetRemove(i, m); MultiSetAdd(m[j], m); end;
           end;
         end",
    ),
    (
        "multisets in an array, and a position of another one",
        "type t: scalarset(2);
         var m: array [t] of multiset [2] of t; who: t;
         startstate for i: t do MultiSetAdd(i, m[i]); MultiSetAdd(i, m[i]) end; end
         ruleset i: t; j: t do
           choose e: m[i] do choose f: m[j] do
             rule \"move\" MultiSetRemove(e, m[i]); MultiSetAdd(i, m[j]); end;
             rule \"swap\" m[i][e] := m[j][f]; MultiSetRemove(f, m[j]); end;
             rule \"point\" who := j; end;
             rule \"other\" i != j & !isundefined(who) ==> m[who][e] := j; end;
           end end;
           choose e: m[who] do rule \"unsafe\" false ==> who := i; end; end;
         end",
    ),
    (
        "elements that take more than a word",
        "type r: record a, b: 0..1099511627775; end;
         var m: multiset [3] of r; v: r;
         startstate v.a := 7; v.b := 3; MultiSetAdd(v, m); v.b := 2; MultiSetAdd(v, m); end
         choose i: m do
           rule \"a\" m[i].a > 5 ==> m[i].a := m[i].a - 1; end;
           rule \"b\" m[i].b < 5 ==> m[i].b := m[i].b + 1; end;
           rule \"double\" MultiSetCount(k: m, true) < 3 ==> MultiSetAdd(m[i], m); end;
           rule \"drop\" MultiSetRemove(i, m); end;
         end",
    ),
    (
        "what is the same in all instances of a quantifier, beside what is undefined",
        "type p: scalarset(2); var a, b: array [p] of boolean; x: 0..2;
         startstate x := 0; end
         ruleset i: p; v: boolean do
           rule \"a\" a[i] := v; end
           rule \"b\" b[i] := v; end
           rule \"x\" v ==> x := (x + 1) % 3; end
         end
         invariant forall i: p do forall j: p do a[i] & b[j] -> i = j end end;
         invariant forall i: p do forall j: p do i != j -> !(a[i] & b[j]) end end;
         invariant forall i: p do forall j: p do b[j] & a[i] -> i = j end end;
         invariant exists i: p do exists j: p do i != j & a[i] & b[j] end end;
         invariant exists i: p do exists j: p do a[i] | b[j] end end;
         invariant forall i: p do exists j: p do !a[i] | i = j & b[j] end end;
         invariant forall i: p do exists j: p do i = j -> a[i] end end;
         invariant forall k: 0..2 do exists j: p do x = k & a[j] | b[j] end end;
         invariant exists k: 0..2 do forall j: p do (a[j] -> x = k) & (x != k | b[j]) end end;
         invariant forall i: p do forall k: 0..2 do a[i] -> b[i] | x < k end end;",
    ),
    (
        "the same around properties",
        "type p: scalarset(2); var a, b: array [p] of boolean;
         startstate end
         ruleset i: p; v: boolean do
           rule \"a\" a[i] := v; end
           rule \"b\" b[i] := v; end
         end
         ruleset i: p; j: p do
           invariant a[i] & b[j] -> i = j;
           invariant i != j & a[i] -> b[j];
           invariant b[j] & a[i] -> i = j;
           invariant isundefined(a[i]) | isundefined(b[j]) | a[i] = b[j];
           assume i = j | a[i] -> a[j];
         end
         ruleset i: p do alias c: a[i] = b[i] do ruleset j: p do
           invariant a[j] & c -> b[j];
           invariant a[i] -> c | b[j];
         end end end",
    ),
    (
        "what is the same for some of the parameters of a rule",
        "type p: scalarset(2); var a, b: array [p] of boolean; x: 0..3;
         function nobody(): boolean; begin return forall k: p do !a[k] end; end;
         function like(i: p): boolean; begin return exists k: p do a[k] = a[i] & k != i end; end;
         startstate clear a; x := 0; end
         ruleset i: p do
           rule \"a\" a[i] := !a[i]; end
           rule \"b\" b[i] := a[i]; end
           rule \"x\" x < 3 ==> x := x + 1; end
         end
         ruleset i: p; j: p; k: 0..1 do
           rule \"inner\" a[i] & (forall l: p do !isundefined(b[l]) end) & b[j] & x = k ==> a[j] := false; end
           rule \"outer\" a[j] & (exists l: p do a[l] & a[i] & l != i end) & x > k ==> a[i] := !a[i]; end
           rule \"calls\" a[j] & (x = k | nobody() | like(i) & !like(j)) ==> undefine b[j]; end
           rule \"fails\" a[j] & a[i] & x = 3 & (exists l: p do b[l] end) ==> x := 0; end
           rule \"changes\" a[j] & (exists l: p do a[l] end) ==> a[i] := false; a[j] := false; end
         end",
    ),
    (
        "what is undefined under other names, before what decides",
        "type p: scalarset(2); var a, b: array [p] of boolean;
         function both(v: boolean; i: p): boolean;
           begin return exists j: p do v & (a[i] & a[j]) end; end;
         function own(i: p): boolean; var v: boolean;
           begin if a[i] then v := b[i]; end; return exists j: p do v & (a[i] & a[j]) end; end;
         startstate clear a; end
         ruleset i: p; v: boolean do
           rule \"a\" a[i] := v; end
           rule \"b\" b[i] := v; end
           rule \"c\" v & !both(b[i], i) ==> undefine b[i]; end
           rule \"d\" v & !own(i) ==> undefine b[i]; end
         end
         ruleset i: p do alias c: b[i] do
           invariant !exists j: p do c & (a[i] & a[j]) end;
           rule \"e\" !exists j: p do c & (a[i] & a[j]) end ==> a[i] := true; end
         end end",
    ),
    (
        "what depends on parameters by way of aliases and chosen elements only",
        "type p: scalarset(2); r: record y: boolean; o: p; end;
         var t: array [p] of r; m: multiset [2] of r; x: boolean;
         function on(v: r): boolean; begin return v.y; end;
         startstate for i: p do
           t[i].y := MultiSetCount(k: m, true) = 1; t[i].o := i; MultiSetAdd(t[i], m);
         end; x := false; end
         ruleset i: p; v: boolean do rule \"y\" v ==> t[i].y := !t[i].y; end end
         ruleset i: p do alias e: t[i] do ruleset j: p; v: boolean do
           rule \"call\" x = v & on(e) ==> t[j].y := v; end
           rule \"undefined\" x = v & !(forall k: p do isundefined(e.y) end) ==> x := !v; end
           rule \"loop\" x != v & (exists k: p do e.y end) ==> t[j].y := v; end
           rule \"nested\" x = v & (exists k: p do forall l: p do l = k -> t[l].y end end) ==> x := !v; end
         end end end
         choose c: m do ruleset j: p; v: boolean do
           rule \"chosen\" x = v & on(m[c]) ==> t[j].y := v; end
           rule \"inside\" x != v & (exists k: p do m[c].o = k & m[c].y end) ==> m[c].y := v; end
           rule \"count\" x = v & MultiSetCount(k: m, m[k] = m[c]) = 2 ==> m[c].o := j; end
         end end",
    ),
    (
        "a multiset at an undefined index, before a guard that is false",
        "type p: scalarset(2); var m: array [p] of multiset [2] of boolean; who: p; x: boolean;
         startstate x := false; for i: p do MultiSetAdd(true, m[i]); end; end
         ruleset i: p do choose e: m[i] do choose f: m[who] do
           rule \"never\" x & m[i][e] ==> MultiSetRemove(e, m[i]); end
         end end end",
    ),
    (
        "the same where the index is an alias",
        "type p: scalarset(2); var m: array [p] of multiset [2] of boolean; who: p; x: boolean;
         startstate x := false; end
         alias w: who do choose e: m[w] do rule \"never\" x ==> MultiSetRemove(e, m[w]); end end end",
    ),
    (
        "the same where the index is a parameter of another type",
        "var m: array [0..1] of multiset [2] of boolean; x: boolean;
         startstate x := false; end
         ruleset i: 0..2 do choose e: m[i] do rule \"never\" x ==> x := false; end end end",
    ),
    (
        "a position that was chosen from another multiset, and nothing else that fails",
        "type p: scalarset(2); var m: array [p] of multiset [2] of boolean; who: p;
         ruleset o: p do
           startstate who := o; for i: p do MultiSetAdd(true, m[i]); end; end
         end
         ruleset i: p do choose e: m[i] do rule \"other\" m[who][e] := false; end end end",
    ),
    (
        "elements whose numbers fill a word to its highest bit",
        "type r: record a, b, c: 0..4294967294; end;
         var m: multiset [3] of r; v: r;
         startstate v.a := 0; v.b := 1; v.c := 0; MultiSetAdd(v, m); v.b := 4294967294; MultiSetAdd(v, m); end
         choose i: m do
           rule \"b\" m[i].b := 4294967294 - m[i].b; end;
           rule \"c\" m[i].c := 4294967294 - m[i].c; end;
         end",
    ),
    (
        "what was done before an assumption that is false",
        "var x: 0..3; m: multiset [2] of 0..3;
         startstate x := 0; MultiSetAdd(3, m); end
         ruleset i: 0..2 do
           rule \"go\" x = 0 ==> x := i + 1; assume i = 1; end
           rule \"add\" MultiSetCount(k: m, true) = 1 ==> MultiSetAdd(i, m); assume i = 2; end
           choose e: m do
             rule \"take\" m[e] = 3 & x < 3 ==>
               MultiSetRemove(e, m); MultiSetAdd(x, m); assume i = x; x := x + 1;
             end
           end
         end
         rule \"again\" x := 0; end",
    ),
];
