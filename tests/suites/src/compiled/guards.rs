//! Random models whose guards and properties are made to tempt whoever evaluates something once: quantifiers, counts and
//! calls that depend on all, some or none of what stands around them, in any order with what may fail; parameters, chosen
//! elements and aliases around, several deep.

use run::SplitMix64;

/// What a name in scope stands for.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Index,
    Number,
    Boolean,
    Pair,
}

struct Generator {
    random: SplitMix64,
    text: String,
    /// What is bound, as it is written.
    scope: Vec<(String, Kind)>,
    /// Positions, and the multisets that they are chosen from.
    chosen: Vec<(String, String)>,
    names: usize,
}

/// A model. Some are refused by the checker.
pub fn model(seed: u64) -> String {
    let random = SplitMix64::new(seed);
    let mut generator =
        Generator { random, text: String::new(), scope: Vec::new(), chosen: Vec::new(), names: 0 };
    generator.declarations();
    for _ in 0..3 + generator.random.below(3) {
        generator.rule();
    }
    for _ in 0..2 + generator.random.below(3) {
        generator.property();
    }
    generator.text
}

impl Generator {
    fn line(&mut self, line: &str) {
        self.text.push_str(line);
        self.text.push('\n');
    }

    fn one_of(&mut self, all: &[&str]) -> String {
        (*self.random.pick(all).expect("there are some")).to_owned()
    }

    fn fresh(&mut self, prefix: &str) -> String {
        self.names += 1;
        format!("{prefix}{}", self.names)
    }

    fn declarations(&mut self) {
        self.line(
            "type p: scalarset(2); row: array [p] of boolean; pair: record y: boolean; o: p; end;
             var a, b: row; t: array [p] of pair; x: 0..2; w: p;
             m: multiset [2] of boolean; r: array [p] of multiset [2] of p;
             function nobody(): boolean; begin return forall q: p do !a[q] end; end;
             function like(i: p): boolean; begin return exists q: p do q != i & a[q] = b[i] end; end;
             function some(v: row): boolean; begin
               for q: p do if v[q] then return true; end; end; return false; end;
             function is(v: pair; i: p): boolean; begin return v.y & v.o = i; end;
             function on(v: pair): boolean; begin return v.y; end;
             function sum(): 0..9; var n: 0..9; begin
               n := x; for q: p do if !isundefined(b[q]) then n := n + 1; end; end; return n; end;",
        );
        let first = self.one_of(&["clear b;", "undefine b;", "for i: p do b[i] := true; end;"]);
        let second = self.one_of(&["w := o;", ""]);
        let third = self.one_of(&["", "MultiSetAdd(false, m);", "MultiSetAdd(o, r[o]);"]);
        let fourth = self.one_of(&["MultiSetAdd(true, m);", ""]);
        let fifth = self.one_of(&[
            "for i: p do t[i].y := i = o; t[i].o := o; end;",
            "t[o].y := true; t[o].o := o;",
            "",
        ]);
        self.line(&format!(
            "ruleset o: p do startstate
             for i: p do a[i] := i = o; end; x := 0; {first} {second} {third} {fourth} {fifth}
             end; end;"
        ));
        self.line("ruleset i: p do rule \"turn\" a[i] := !a[i]; end; end;");
    }

    /// What is in scope of a kind.
    fn bound(&mut self, kind: Kind) -> Option<String> {
        let all: Vec<String> =
            self.scope.iter().filter(|one| one.1 == kind).map(|one| one.0.clone()).collect();
        // That which is bound last is used most.
        if self.random.below(3) == 0 {
            all.last().cloned()
        } else {
            self.random.pick(&all).cloned()
        }
    }

    fn index(&mut self) -> String {
        match self.random.below(12) {
            0 => "w".to_owned(),
            1 => match self.bound(Kind::Pair) {
                Some(pair) => format!("{pair}.o"),
                None => "w".to_owned(),
            },
            _ => self.bound(Kind::Index).unwrap_or_else(|| "w".to_owned()),
        }
    }

    fn number(&mut self) -> String {
        match self.random.below(6) {
            0 | 1 => "x".to_owned(),
            2 => self.random.below(3).to_string(),
            3 => self.one_of(&["sum()", "x + 1", "2 / x"]),
            _ => self.bound(Kind::Number).unwrap_or_else(|| "1".to_owned()),
        }
    }

    /// A condition without parts.
    fn atom(&mut self) -> String {
        match self.random.below(12) {
            0 | 1 => format!("a[{}]", self.index()),
            2 | 3 => format!("b[{}]", self.index()),
            4 => format!("!isundefined(b[{}])", self.index()),
            5 => {
                let operator = self.one_of(&["=", "!="]);
                format!("{} {operator} {}", self.index(), self.index())
            }
            6 => {
                let operator = self.one_of(&["=", "!=", "<", "<=", ">"]);
                format!("{} {operator} {}", self.number(), self.number())
            }
            7 => format!("t[{}].y", self.index()),
            8 => match self.bound(Kind::Pair) {
                Some(pair) => format!("{pair}.y"),
                None => "x = 1".to_owned(),
            },
            _ => self.bound(Kind::Boolean).unwrap_or_else(|| "a = b".to_owned()),
        }
    }

    fn call(&mut self) -> String {
        match self.random.below(6) {
            0 => "nobody()".to_owned(),
            1 | 2 => format!("like({})", self.index()),
            3 => format!("some({})", self.one_of(&["a", "b"])),
            4 => match self.bound(Kind::Pair) {
                Some(pair) => format!("on({pair})"),
                None => format!("on(t[{}])", self.index()),
            },
            _ => match self.bound(Kind::Pair) {
                Some(pair) => format!("is({pair}, {})", self.index()),
                None => format!("is(t[{}], {})", self.index(), self.index()),
            },
        }
    }

    /// A condition, at most so deep.
    fn condition(&mut self, depth: usize) -> String {
        if depth == 0 {
            return self.atom();
        }
        let depth = depth - 1;
        match self.random.below(14) {
            0 => format!("!({})", self.condition(depth)),
            1 | 2 => format!("({} & {})", self.condition(depth), self.condition(depth)),
            3 => format!("({} | {})", self.condition(depth), self.condition(depth)),
            4 => format!("({} -> {})", self.condition(depth), self.condition(depth)),
            5 => {
                let (c, a, b) =
                    (self.condition(depth), self.condition(depth), self.condition(depth));
                format!("({c} ? {a} : {b})")
            }
            6 => self.call(),
            12 if self.bound(Kind::Pair).is_some() => self.call(),
            7 => self.count(depth),
            8..=11 => {
                let more = self.random.below(3) == 0;
                self.quantifier(depth + usize::from(more))
            }
            _ => self.atom(),
        }
    }

    fn quantifier(&mut self, depth: usize) -> String {
        let kind = self.one_of(&["forall", "exists"]);
        let name = self.fresh("q");
        let (domain, of) = match self.random.below(8) {
            0 => (": 0..2".to_owned(), Kind::Number),
            1 => (": boolean".to_owned(), Kind::Boolean),
            2 => (format!(" := 0 to {}", self.number()), Kind::Number),
            _ => (": p".to_owned(), Kind::Index),
        };
        self.scope.push((name.clone(), of));
        let body = self.connected(depth);
        self.scope.pop();
        format!("({kind} {name}{domain} do {body} end)")
    }

    /// Conditions of which one decides, perhaps.
    fn connected(&mut self, depth: usize) -> String {
        let (one, other, third) = (self.atom(), self.atom(), self.condition(depth));
        match self.random.below(10) {
            0 => third,
            1 => format!("{one} & {other} -> {third}"),
            2 => format!("{one} -> ({other} -> {third})"),
            3 => format!("{one} & {other} & {third}"),
            4 => format!("{one} | {other} | {third}"),
            5 => format!("({one} -> {other}) & {third}"),
            6 => format!("!({one} & {other}) | {third}"),
            7 => format!("{third} -> {one}"),
            8 => format!("({one} | {other}) & ({third})"),
            _ => format!("{one} -> !({other} & {third})"),
        }
    }

    fn count(&mut self, depth: usize) -> String {
        let name = self.fresh("k");
        let (multiset, of) = if self.random.below(2) == 0 {
            ("m".to_owned(), Kind::Boolean)
        } else {
            (format!("r[{}]", self.index()), Kind::Index)
        };
        self.scope.push((format!("{multiset}[{name}]"), of));
        let condition = self.condition(depth.min(1));
        self.scope.pop();
        let operator = self.one_of(&["=", "<"]);
        format!("MultiSetCount({name}: {multiset}, {condition}) {operator} {}", self.number())
    }

    /// What stands around something, so many deep.
    fn around(&mut self, levels: usize, inner: &mut dyn FnMut(&mut Self)) {
        if levels == 0 {
            return inner(self);
        }
        let name = self.fresh("l");
        let mut chosen = None;
        // Without an index there is not much to say.
        let which =
            if self.scope.is_empty() { self.random.below(9) } else { self.random.below(14) };
        let (head, bound) = match which {
            0..=5 => (format!("ruleset {name}: p do"), (name, Kind::Index)),
            6 => (format!("ruleset {name}: 0..1 do"), (name, Kind::Number)),
            7 => (format!("ruleset {name}: boolean do"), (name, Kind::Boolean)),
            8 | 9 => {
                chosen = Some((name.clone(), "m".to_owned()));
                (format!("choose {name}: m do"), (format!("m[{name}]"), Kind::Boolean))
            }
            10 => {
                let multiset = format!("r[{}]", self.index());
                chosen = Some((name.clone(), multiset.clone()));
                let element = format!("{multiset}[{name}]");
                (format!("choose {name}: {multiset} do"), (element, Kind::Index))
            }
            11 => (format!("alias {name}: t[{}] do", self.index()), (name, Kind::Pair)),
            12 => (format!("alias {name}: {} do", self.atom()), (name, Kind::Boolean)),
            _ => (format!("alias {name}: {} do", self.condition(1)), (name, Kind::Boolean)),
        };
        self.line(&head);
        self.scope.push(bound);
        let depth = self.chosen.len();
        self.chosen.extend(chosen);
        self.around(levels - 1, inner);
        self.chosen.truncate(depth);
        self.scope.pop();
        self.line("end;");
    }

    fn rule(&mut self) {
        let levels = 1 + self.random.below(4);
        self.around(levels, &mut |this| {
            let mut guard = this.condition(2);
            for _ in 0..this.random.below(4) {
                let depth = this.random.below(3);
                guard = format!("{guard} & {}", this.condition(depth));
            }
            this.line(&format!("rule {guard} ==>"));
            for _ in 0..=this.random.below(2) {
                this.statement();
            }
            this.line("end;");
        });
    }

    fn statement(&mut self) {
        let chosen = self.random.pick(&self.chosen.clone()).cloned();
        let line = match (self.random.below(9), chosen) {
            (0, _) => format!("a[{}] := {};", self.index(), self.condition(1)),
            (1, _) => format!("b[{}] := {};", self.index(), self.atom()),
            (2, _) => format!("undefine b[{}];", self.index()),
            (3, _) => format!("w := {};", self.index()),
            (4, _) => format!("t[{}].o := {};", self.index(), self.index()),
            (5, Some((position, multiset))) => format!("MultiSetRemove({position}, {multiset});"),
            (6, _) => {
                let index = self.index();
                format!(
                    "if MultiSetCount(k: r[{index}], true) < 2 then MultiSetAdd({}, r[{index}]) end;",
                    self.index()
                )
            }
            (7, _) => {
                format!(
                    "if MultiSetCount(k: m, true) < 2 then MultiSetAdd({}, m) end;",
                    self.condition(1)
                )
            }
            _ => "x := (x + 1) % 3;".to_owned(),
        };
        self.line(&line);
    }

    fn property(&mut self) {
        let levels = self.random.below(4);
        self.around(levels, &mut |this| {
            // What is said of a `cover` is said by parameters, whatever is chosen.
            let kind = match this.random.below(6) {
                0 if this.chosen.is_empty() => "cover",
                1 => "assume",
                _ => "invariant",
            };
            let condition = match this.random.below(3) {
                0 => this.condition(3),
                _ => this.connected(2),
            };
            this.line(&format!("{kind} {condition};"));
        });
    }
}
