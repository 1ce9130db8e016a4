//! Models of which compiled code once said something else than the interpreter, or would say it after a mistake that is
//! easy to make.

/// What each is about, and the model.
pub(crate) const PITFALLS: [(&str, &str); 47] = [
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
        "an element that is removed by what is computed for it",
        "type r: record a: array [0..1] of 0..3; end;
         var m: multiset [2] of r; v: r; x: 0..3; how: 0..6;
         function take(): 0..1; begin MultiSetRemovePred(k: m, true); return 1; end;
         function taken(): r; var w: r; begin MultiSetRemovePred(k: m, true); w := v; return w; end;
         startstate v.a[0] := 0; v.a[1] := 1; MultiSetAdd(v, m); x := 0; how := 0; end
         rule \"other\" how < 6 ==> how := how + 1; end
         choose i: m do alias e: m[i] do
           rule \"use\" true ==>
             switch how
               case 0: m[i].a[0] := take();
               case 1: x := m[i].a[take()];
               case 2: m[i].a[take()] := 2;
               case 3: e.a[0] := take() + 1;
               case 4: m[i] := taken();
               case 5: x := m[i] = taken() ? 2 : 3;
               case 6: x := take(); MultiSetAdd(v, m);
             end;
           end;
         end end",
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
    (
        "arrays and records that are passed by value while something writes to them",
        "type pair: array [0..1] of 0..3; box: record p: pair; n: 0..3 end;
         var g, h: pair; b: box; bs: array [0..1] of box; k: 0..1; out: 0..3;
         procedure sets(p: pair); begin g[0] := 3; out := p[0]; end;
         procedure deep(p: pair); begin sets(h); out := p[0]; end;
         procedure passes(p: pair); begin sets(p); end;
         procedure both(var q: pair; p: pair); begin q[0] := 3; out := p[0]; end;
         procedure part(var n: 0..3; p: pair); begin n := 3; out := p[0]; end;
         procedure whole(var c: box; p: pair); begin c.p[0] := 3; out := p[0]; end;
         procedure boxed(c: box); begin undefine bs[k]; out := c.p[0]; end;
         function late(): 0..1; begin g[0] := 3; return 0; end;
         procedure second(p: pair; i: 0..1); begin out := p[i]; end;
         function same(p: pair): pair; begin g[0] := 3; return p; end;
         startstate
           for i: 0..1 do
             g[i] := 1; h[i] := 2; b.p[i] := 0;
             for j: 0..1 do bs[i].p[j] := i; end; bs[i].n := 0;
           end;
           b.n := 0; k := 0; out := 0;
         end
         rule \"sets\" sets(g); end rule \"deep\" deep(g); end rule \"passes\" passes(g); end
         rule \"both\" both(g, g); end rule \"part\" part(g[0], g); end rule \"whole\" whole(b, b.p); end
         rule \"boxed\" boxed(bs[k]); end rule \"second\" second(g, late()); end rule \"same\" h := same(g); end
         rule \"twice\" both(bs[k].p, bs[1 - k].p); end rule \"swap\" k := 1 - k; end",
    ),
    (
        "an array of two, passed or called by another name, while something writes to both",
        "type pair: array [0..1] of 0..3;
         var g, h: pair; k: 0..1; out: 0..3;
         procedure sets(p: pair); begin g[0] := 3; h[0] := 3; out := p[0]; end;
         startstate for i: 0..1 do g[i] := 1; h[i] := 2; end; k := 0; out := 0; end
         rule \"pass\" sets(k = 0 ? g : h); end
         rule \"name\" alias a: (k = 0 ? g : h) do g[0] := 3; h[0] := 3; out := a[0]; end; end
         rule \"swap\" k := 1 - k; end",
    ),
    (
        "a local array that a recursive function passes on by value and by reference",
        "type pair: array [0..1] of 0..3;
         var g: pair; out: 0..3;
         procedure walks(var q: pair; p: pair; n: 0..3);
           var own: pair;
         begin
           own := p; q[0] := n;
           if n > 0 then walks(own, own, n - 1); end;
           if p[1] < 3 & own[0] < 3 then q[1] := p[1] + 1; out := own[0]; end;
         end;
         startstate g[0] := 1; g[1] := 0; out := 0; end
         rule \"walk\" walks(g, g, 2); end rule \"reset\" g[1] := 0; end",
    ),
    (
        "a place whose index changes while the value is computed",
        "type pair: record a, b: 0..2; end;
         var i: 0..1; v: array [0..1] of pair; x: array [0..1] of 0..2;
         function turned(): pair; var w: pair; begin i := 1 - i; w.a := i; w.b := 2; return w; end;
         function flipped(): 0..2; begin i := 1 - i; return i + 1; end;
         startstate i := 0; for k: 0..1 do clear v[k]; x[k] := 0; end; end
         rule \"whole\" v[i] := turned(); end
         rule \"simple\" x[i] := flipped(); end
         rule \"argument\" x[flipped() - 1] := x[i] = 2 ? 0 : 2; end
         rule \"reset\" i := 0; end",
    ),
    (
        "loops whose bounds are computed",
        "var lo, hi: 0..4; by: -2..2; sum: 0..40;
         startstate lo := 0; hi := 4; by := 1; sum := 0; end
         rule \"sum\" sum := 0; for k := lo to hi by by do sum := sum + k; end end
         rule \"changes\" sum := 0; for k := lo to hi do hi := lo; sum := sum + k; end end
         rule \"exists\" exists k := lo to hi by by do k = 3 end ==> sum := 40; end
         rule \"lo\" lo := (lo + 3) % 5; end
         rule \"hi\" hi := (hi + 1) % 5; end
         rule \"by\" by := (by + 3) % 5 - 2; end",
    ),
    (
        "shifts by every amount",
        "var x: -4..70; y: 0..1; big: -2305843009213693951..2305843009213693951;
         startstate x := -4; y := 0; big := 5; end
         rule \"left\" big := 5 << x; end rule \"right\" big := (0 - 5) >> x; end
         rule \"top\" big := 1 << (60 + y); end rule \"low\" big := (0 - 1) << 60 + y; end
         rule \"next\" x < 70 ==> x := x + 1; end rule \"other\" y := 1 - y; end",
    ),
    (
        "multisets that are copied and cleared as a whole while an element is chosen",
        "type box: record n: 0..2; m: multiset [2] of 0..2; end;
         var m, n: multiset [2] of 0..2; b: array [0..1] of box; x: 0..2;
         startstate MultiSetAdd(1, m); MultiSetAdd(2, n); MultiSetAdd(0, n); for k: 0..1 do b[k].n := k; end; x := 0; end
         rule \"copy\" m := n; end rule \"same\" m := m; end rule \"clear\" clear n; end rule \"undefine\" undefine m; end
         rule \"into\" b[0].m := m; end rule \"box\" b[1] := b[0]; end rule \"boxes\" clear b; end
         rule \"equal\" m = n | b[0] = b[1] ==> x := (x + 1) % 3; end
         rule \"compare\" x := m = n ? 1 : 2; end
         rule \"local\" true ==> var l: multiset [2] of 0..2; begin
           l := m; MultiSetAdd(x, l); n := l; x := MultiSetCount(k: l, l[k] > 0); end
         choose e: m do
           rule \"then\" x := m[e]; m := n; MultiSetAdd(x, m); end
           rule \"after\" clear m; m[e] := 2; end
           rule \"again\" clear m; MultiSetAdd(x, m); MultiSetRemove(e, m); end
           rule \"add\" MultiSetRemove(e, m); MultiSetAdd(2 - x, m); end
           rule \"less\" MultiSetRemove(e, m); MultiSetAdd(0, m); x := m = n ? 1 : 2; end
         end",
    ),
    (
        "start states that fail, are abandoned, cover, and begin at the end",
        "type t: scalarset(2); r: record f: 0..2; who: t; end;
         var a: array [0..1] of boolean; x: -2..4; y: r; m: multiset [2] of 0..2;
         ruleset v: array [0..1] of boolean; w: r do
           startstate \"all\" a := v; y := w; x := w.f; assume v[0] | w.f > 0; cover w.f = 2; MultiSetAdd(w.f, m); MultiSetAdd(0, m); end
         end
         ruleset k := 4 to -1 by -2 do startstate \"down\" x := k; a[k > 1 ? 0 : 1] := x = 2; if k = 0 then a[0] := a[0] end end end
         ruleset k: boolean do alias z: a[0] do startstate \"alias\" z := k; x := k ? 0 : 1; end end end
         startstate \"none\" end
         rule \"go\" x := 0; end",
    ),
    (
        "an iteration that is abandoned beside one that fails",
        "type p: scalarset(2); var a: array [p] of 0..2;
         startstate for i: p do a[i] := 0; end; end
         ruleset i: p do rule \"up\" a[i] < 2 ==> a[i] := a[i] + 1; end end
         rule \"all\" for i: p do if a[i] = 0 then assume false; else a[i] := a[i] + 1; end end end",
    ),
    // Where something fails, the interpreter says everything about the state: in these nothing fails.
    (
        "a value in two cases, and a parameter that is never undefined",
        "var x: 0..3; y: 0..3;
         startstate x := 0; y := 0; end
         ruleset i: 0..3 do
           rule \"switch\" switch i case 1, 2: x := 1; case 2, 3: x := 2; case 1: x := 3; else x := 0; end end
           rule \"known\" isundefined(i) | isundefined(y) ==> y := 3; end
         end
         rule \"forget\" undefine y; end",
    ),
    (
        "a function that need not return",
        "var x: 0..3;
         function some(k: 0..3): 0..3; begin if k > 1 then return k - 1; end; end;
         startstate x := 3; end
         rule \"some\" x := some(x); end",
    ),
    (
        "an array that is passed by value while something writes to it",
        "type pair: array [0..1] of 0..3;
         var g: pair; out: 0..3;
         procedure sets(p: pair); begin g[0] := 3; out := p[0]; end;
         startstate g[0] := 1; g[1] := 2; out := 0; end
         rule \"sets\" sets(g); end
         rule \"reset\" g[0] := 1; end",
    ),
    (
        "multisets that are compared after a change",
        "var m, n: multiset [2] of 0..1; x: 0..2;
         startstate MultiSetAdd(0, m); MultiSetAdd(1, m); MultiSetAdd(1, n); MultiSetAdd(0, n); x := 0; end
         choose e: m do rule \"turn\" m[e] := 1 - m[e]; x := m = n ? 1 : 2; end end",
    ),
    (
        "a queue of records, in all ways",
        "type r: record a: 0..1; b: boolean end;
         var q: queue [3] of r; x: 0..7;
         startstate x := 0; end
         rule \"push\" length(q) < 3 ==> push(q, r { a: x % 2 }); end
         rule \"front\" pushfront(q, r { b: true, a: 1 }); end
         rule \"again\" push(q, head(q)); end
         rule \"front again\" pushfront(q, last(q)); end
         rule \"pop\" pop(q); end
         rule \"in\" x := r { a: 1 } in q ? 1 : (r { a: 1, b: true } in q ? 2 : 3); end
         rule \"look\" x := q[x % 4].a + length(q); end
         rule \"visit\" x := 0; for v in q do x := x + v.a; if v.a = 1 & length(q) > 1 then pop(q) end end; end
         rule \"alias\" alias first: head(q) do pop(q); x := first.a; end end
         invariant \"asked\" isundefined(x) | length(q) = 0 | isundefined(last(q).b) | last(q).b",
    ),
    (
        "queues of queues' elements, pushed while they change",
        "var q: array [0..1] of queue [2] of 0..2; x: 0..2;
         function next(): 0..2; begin pop(q[0]); return head(q[0]); end;
         function which(): 0..1; begin pop(q[1]); return 1; end;
         startstate push(q[0], 1); push(q[0], 2); push(q[1], 0); x := 0; end
         rule \"move\" push(q[0], next()); end
         rule \"into\" push(q[which()], head(q[1])); end
         rule \"front\" pushfront(q[1], x); end
         rule \"copy\" q[1] := q[0]; end
         rule \"empty\" clear q[0]; end
         rule \"in\" if next() in q[0] then x := 2 end end
         rule \"out\" x := head(q[1]) in q[0] ? 1 : last(q[0]); end
         rule \"same\" q[0] = q[1] ==> x := 0; end",
    ),
    (
        "sets, in all ways",
        "type t: scalarset(3); u: union { enum { A, B }, t }; r: 2..4;
         var s: set of r; w: array [t] of set of u; x: 0..7; b: boolean; k: t;
         function less(): set of r; begin remove(s, 2); return s; end;
         function all(v: set of u): boolean; begin w[k] := {}; return { A, B } <= v; end;
         ruleset i: t do startstate x := 0; b := false; k := i; end end
         rule \"up\" x < 7 ==> x := x + 1; end
         rule \"insert\" insert(s, x); end
         rule \"remove\" remove(s, x); end
         rule \"in\" b := x in s & !(x in (s & { 2, x })); end
         rule \"minus\" b := size(s - less()) = 1; end
         rule \"only\" s := x in s ? { 2, 3 } & s : less() | { 4 }; end
         rule \"same\" s != { 3, 2 } & s = { 2, 3 } | { 2 } <= s ==> undefine s; end
         ruleset i: t; v: u do
           rule \"other\" insert(w[i], v); k := i; end
           rule \"gone\" w[i] := w[k] - { v, i }; end
           rule \"look\" v in w[i] & w[i] <= w[k] | i in (w[k] & w[i]) ==> b := all(w[k]); end
         end
         rule \"each\" for v in w[k] do if ismember(v, t) then remove(w[k], v) end end; end
         rule \"numbers\" x := 0; for n in s | { 3 } do x := x + n; insert(s, 4) end end",
    ),
    (
        "a set that is changed while it is read",
        "type t: 0..2; var s, o: set of t; x: t; b: boolean;
         function drop(v: t): t; begin remove(s, v); remove(o, v); return v; end;
         startstate s := { 0, 1, 2 }; o := { 1 }; x := 0; end
         rule \"union\" o := s | { drop(1) } | o; end
         rule \"subset\" b := s <= s - { drop(2) }; end
         rule \"member\" b := drop(x) in s; end
         rule \"turn\" x := (x + 1) % 3; end
         rule \"size\" x := size(o - s); end",
    ),
    (
        "a queue as an argument",
        "type line: queue [2] of boolean;
         var q: line; x: 0..2;
         procedure fill(var l: line); begin while length(l) < 2 do push(l, true) end; end;
         function count_(l: line): 0..2; begin pop(q); return length(l); end;
         function made(b: boolean): line; var l: line; begin push(l, b); push(l, !b); return l; end;
         startstate x := 0; end
         rule \"fill\" fill(q); end
         rule \"count\" x := count_(q); end
         rule \"made\" q := made(x = 1); end
         rule \"choose\" q := head(q) ? made(true) : q; end
         rule \"same\" made(true) = q ==> undefine q; end",
    ),
    (
        "a record that is compared with what changes it",
        "type r: record a: 0..1 end; var x: r; b: boolean;
         function f(): r; begin x.a := 1; return x; end;
         startstate x.a := 0; b := false end
         rule \"compare\" b := x = f(); end
         rule \"made\" b := x != r { a: 1 - f_of() }; end
         rule \"reset\" x.a := 0; end
         function f_of(): 0..1; begin x.a := 1 - x.a; return x.a; end;",
    ),
    (
        "copies of what may be undefined",
        "type t: scalarset(2); e: enum { A, B }; u: union { t, e }; r: record w: u; n: 0..3 end;
         var x: 0..3; y: 0..1; v: u; k: t; c: e; m: multiset [2] of r; q: queue [2] of 0..1;
             a: array [t] of u; p: r; b: boolean; bag: multiset [2] of 0..3;
         function self(n: 0..3): 0..3; begin return n; end;
         function small(n: 0..3): 0..1; begin if b then return n; end; return y; end;
         function of_t(i: t): t; begin return b ? k : i; end;
         function side(): u; begin v := k; return v; end;
         function deep(n: 0..3): 0..3; begin if n = 3 then return x; end; return deep(n + 1); end;
         startstate b := false; end
         rule \"x\" x := isundefined(x) ? 0 : (x + 1) % 4; end
         rule \"no x\" undefine x; end
         rule \"b\" b := !b; end
         rule \"y\" y := x; end
         rule \"self\" y := self(x); end
         rule \"small\" x := small(x); end
         rule \"used\" x := small(x) + 0; end
         rule \"one\" x := b ? y : self(y); end
         rule \"deep\" y := deep(2); end
         rule \"call\" self(y); end
         ruleset i: t do
           rule \"k\" k := i; end
           rule \"v\" a[i] := v; end
           rule \"to\" !isundefined(a[i]) & ismember(a[i], t) ==> k := a[i]; end
           rule \"maybe\" k := a[i]; end
           rule \"part\" p := r { w: a[i], n: x }; end
           rule \"of\" k := of_t(i); end
           choose j: m do
             rule \"set\" m[j].w := k; m[j].n := y; end
             rule \"side\" m[j].w := side(); end
             rule \"get\" v := m[j].w; x := m[j].n; end
             rule \"drop\" MultiSetRemove(j, m); end
           end
         end
         rule \"c\" v := c; end
         rule \"back\" c := v; end
         rule \"a\" c := A; end
         rule \"no k\" k := UNDEFINED; c := UNDEFINED; v := UNDEFINED; end
         rule \"add\" MultiSetCount(j: m, true) < 2 ==> MultiSetAdd(r { w: v, n: y }, m); end
         rule \"push\" length(q) < 2 ==> push(q, x); end
         rule \"front\" length(q) = 1 ==> pushfront(q, head(q)); end
         rule \"pop\" length(q) > 0 ==> y := head(q); pop(q); end
         rule \"in\" length(q) > 0 & (y in q) ==> x := 3; end
         rule \"bag\" MultiSetCount(j: bag, true) < 2 ==> MultiSetAdd(y, bag); end
         rule \"each\" for j in bag do bag[j] := x end; end",
    ),
    (
        "loops over the elements of a multiset",
        "type t: scalarset(2); r: record by: t; n: 0..2 end;
         var m, o: multiset [3] of r; s: set of t; n: 0..7; b: boolean; a: array [t] of 0..2; k: t;
             ms: array [t] of multiset [2] of t;
         function room(): 0..7; begin return MultiSetCount(j: m, true); end;
         procedure touch(i: t); begin a[i] := 1; end;
         ruleset i: t do startstate n := 0; b := false; k := i; clear a; end end
         ruleset i: t do
           rule \"add\" room() < 3 ==> MultiSetAdd(r { by: i, n: n % 3 }, m); end
           rule \"add and look\" room() < 3 ==>
             MultiSetAdd(r { by: i, n: 0 }, m); n := 0; for j in m do n := n + m[j].n; end; end
           rule \"add and drop\" room() < 3 ==>
             MultiSetAdd(r { by: i, n: 1 }, m);
             for j in m do if m[j].by = i then MultiSetRemove(j, m) end end; end
           rule \"drop and fill\" room() > 0 ==>
             for j in m do if m[j].n = 1 then MultiSetRemove(j, m) end end;
             MultiSetAdd(r { by: i, n: 2 }, m);
             n := 0; for j in m do n := n + 1 end; end
           rule \"touch\" for j in m do if m[j].by != i then touch(m[j].by) end end; end
           rule \"own\" for j in ms[i] do if ms[i][j] = i then MultiSetRemove(j, ms[i]) else ms[i][j] := i end end; end
           rule \"fill\" MultiSetCount(j: ms[i], true) < 2 ==> MultiSetAdd(k, ms[i]); end
           choose j: m do
             rule \"chosen\" MultiSetRemove(j, m); b := false; for l in m do b := b | m[l].n = 2 end; end
             rule \"both\" for l in m do m[l].n := 0 end; n := m[j].n; end
           end
         end
         rule \"up\" for j in m do m[j].n := m[j].n + 1; end; end
         rule \"gather\" s := {}; for j in m do insert(s, m[j].by) end; end
         rule \"all\" b := true; for j in m do b := b & m[j].by = k end; end
         rule \"copy\" undefine o; for j in m do MultiSetAdd(m[j], o) end; end
         rule \"twice\" n := 0; for j in m do for l in m do if m[j].by = m[l].by then n := n + 1 end end end; end
         rule \"fails\" for j in m do assert m[j].n < 2; end; end
         rule \"assumes\" for j in m do assume m[j].n < 2; end; b := !b; end
         rule \"empty\" undefine m; for j in m do n := 7 end; end",
    ),
    (
        "a condition that decides a quantifier whose bounds fail",
        "var lo, hi: 0..4; b: boolean;
         startstate lo := 2; hi := 3; b := true; end
         rule \"all\" forall k := lo to hi do b end ==> b := false; end
         rule \"one\" exists k := lo to hi do b & k = 1 end ==> lo := 0; end
         rule \"next\" hi := (hi + 1) % 5; end
         rule \"turn\" b := !b; end",
    ),
    (
        "rings of one, two and three",
        "type one: ring(1); two: ring(2); three: ring(3);
         near1: undirected ring(1); near2: undirected ring(2); near3: undirected ring(3);
         var a: one; b: two; c: three; d, e: near1; f, g: near2; h, i: near3; x: 0..7;
         ruleset k: two; l: three; m: near2; n: near3 do startstate
           for z: one do a := z; end; b := k; c := l;
           for z: near1 do d := z; e := z; end; f := m; g := m; h := n; i := n; x := 0;
         end end
         rule \"next\" a := next(a); b := next(b); c := next(c); end
         rule \"previous\" a := prev(a); b := prev(b); c := prev(c); end
         ruleset m: near2; n: near3 do rule \"move\" f := m; h := n; end end
         rule \"near\"
           x := (adjacent(d, e) ? 1 : 0) + (adjacent(f, g) ? 2 : 0) + (adjacent(h, i) ? 4 : 0);
         end
         rule \"gone\" undefine b; undefine f; end",
    ),
];
