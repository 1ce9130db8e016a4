//! Formulas about protocols: what they mean, and what is said of those that cannot be read.

use isonomy::protocol::*;

index! { Client }
index! { Server }

#[derive(Clone, PartialEq, Eq, Hash, Debug, Cells)]
struct Net {
    asks: Map<Client, Option<Server>>,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Cells)]
enum Tone {
    Polite,
    Rude,
}

#[derive(Clone, PartialEq, Eq, Hash, Debug, Cells)]
enum Event {
    AskFor {
        client: Client,
        server: Server,
        tone: Tone,
        times: Ranged<1, 2>,
    },
    #[cells(name = "give up")]
    GiveUp(Client),
    Tick,
}

struct Nets;

impl Protocol for Nets {
    type State = Net;
    type Event = Event;

    fn indices(&self) -> Indices {
        Indices::new().with::<Client>(2).with::<Server>(2)
    }

    fn starts(&self, all: &Indices) -> Vec<Net> {
        vec![Net { asks: Map::filled(all, None) }]
    }

    fn events(&self, net: &Net, enabled: &mut Vec<Event>) {
        let servers: Vec<Server> = self.indices().all().collect();
        for (client, asks) in net.asks.iter() {
            if asks.is_some() {
                enabled.push(Event::GiveUp(client));
                continue;
            }
            for &server in &servers {
                for (tone, times) in [(Tone::Polite, 1), (Tone::Rude, 2)] {
                    let times = Ranged::new(times);
                    enabled.push(Event::AskFor { client, server, tone, times });
                }
            }
        }
        enabled.push(Event::Tick);
    }

    fn next(&self, net: &Net, event: &Event) -> Option<Net> {
        let mut net = net.clone();
        match event {
            Event::AskFor { client, server, .. } => net.asks[*client] = Some(*server),
            Event::GiveUp(client) => net.asks[*client] = None,
            Event::Tick => {}
        }
        Some(net)
    }

    fn owner(&self, event: &Event) -> Owner {
        match event {
            Event::AskFor { client, .. } | Event::GiveUp(client) => Owner::of(*client),
            Event::Tick => Owner::named("clock"),
        }
    }

    fn processes(&self) -> Vec<&'static str> {
        vec!["clock"]
    }

    fn atoms(&self, atoms: &mut Atoms<Self>) {
        atoms
            .state("quiet", |net| net.asks.all(Option::is_none))
            .state1("asks", |net, c: Client| net.asks[c].is_some())
            .state2("asks_for", |net, c: Client, s| net.asks[c] == Some(s))
            .state3("both", |net, c: Client, d: Client, s| {
                c != d && net.asks[c] == Some(s) && net.asks[d] == Some(s)
            })
            .step("ticks", |event| *event == Event::Tick)
            .step1("gives", |event, c| *event == Event::GiveUp(c));
    }
}

fn holds(text: &str, fairness: Fairness, over: Over) -> bool {
    let check = check(Nets).fairness(fairness).over(over).formula(text);
    let report = check.unwrap_or_else(|error| panic!("{error}")).run().expect("a report");
    assert_eq!(report.answers().len(), 1, "{report}");
    assert_ne!(report.answers()[0].verdict(), Verdict::Unknown, "{report}");
    report.holds()
}

#[test]
fn formulas_mean_what_they_say() {
    let plain = [
        ("quiet", true),
        ("G F quiet", false),
        ("forall c: Client, s: Server. G (asks_for(c, s) -> asks(c))", true),
        ("forall c: Client, s: Server. G (asks(c) -> asks_for(c, s))", false),
        ("forall distinct c, d: Client, s: Server. G (both(c, d, s) -> asks_for(d, s))", true),
        ("forall c, d: Client, s: Server. G !both(c, d, s)", false),
        ("forall c: Client, s: Server. G (@ask_for(c, s, _, _) -> X asks_for(c, s))", true),
        ("forall c: Client, s: Server. G (@ask_for(c, s, Rude, _) -> @ask_for(_, s, _, 2))", true),
        ("forall c: Client. G (@ask_for(c, _, Polite, 2) -> false)", true),
        ("forall c: Client. G (@\"give up\"(c) <-> gives(c))", true),
        ("G (@tick <-> ticks)", true),
        ("G (@tick() <-> @by(clock))", true),
        ("G (@by(Client) xor @by(clock))", true),
        ("G @by(_)", true),
        ("forall c: Client. G (@by(c) -> @by(Client))", true),
        ("∀ c: Client. asks(c) | !asks(c)", true),
        ("true & !false & quiet", true),
    ];
    for (text, expected) in plain {
        assert_eq!(holds(text, Fairness::None, Over::Processes), expected, "{text}");
    }
    // The clock ticks forever; a client that can always do something is not left out if it is fair.
    let moves = "forall c: Client. G F @by(c)";
    assert!(!holds(moves, Fairness::None, Over::Processes));
    assert!(holds(moves, Fairness::Weak, Over::Processes));
    let gives = "forall c: Client. G (asks(c) -> F !asks(c))";
    assert!(holds(gives, Fairness::Weak, Over::Processes));
    // Fairness to the events of a client: each server is asked infinitely often, if that is strong.
    let both = "forall c: Client, s: Server. G F asks_for(c, s)";
    assert!(!holds(both, Fairness::Weak, Over::Events));
    assert!(holds(both, Fairness::Strong, Over::Events));
    assert!(!holds(both, Fairness::Strong, Over::Processes));
    assert!(holds(both, Fairness::Global, Over::Processes));
}

#[test]
fn what_cannot_be_read_is_underlined() {
    let wrong = [
        ("F quit", "there is no atom `quit`", "1:3", "there are: quiet, asks"),
        ("G (asks(c))", "`c` is not bound", "1:9", "write `forall c: Client.`"),
        ("forall c: Clint. asks(c)", "there is no index type `Clint`", "1:11", "Client, Server"),
        ("forall c, c: Client. asks(c)", "`c` is bound twice", "1:11", ""),
        ("forall s: Server. asks(s)", "`s` is a Server, but a Client is expected", "1:24", ""),
        ("forall c: Client asks(c)", "a quantifier is malformed here", "1:18", "write `forall"),
        (
            "forall c: Client. asks",
            "the atom `asks` has 1 argument(s), but 0 are given",
            "1:19",
            "",
        ),
        ("G @tock", "there is no event `tock`", "1:3", "ask_for, give up, tick"),
        ("G @tick(_)", "the event `tick` has 0 argument(s), but 1 are given", "1:3", ""),
        (
            "G @ask_for(_, _, Loud, _)",
            "`Loud` is none of the values of the argument tone",
            "1:3",
            "",
        ),
        ("G @ask_for(_, _, _, 3)", "`3` is no number from 1 to 2", "1:3", ""),
        ("G @by(nobody)", "`nobody` is neither a variable nor a process", "1:3", "clock"),
        ("G tick", "there is no atom `tick`", "1:3", "the event of this name is `@tick`"),
        ("G (forall c: Client. asks(c))", "a quantifier over a temporal formula", "1:4", ""),
        ("G (quiet", "", "", ""),
        ("", "", "", ""),
        ("quiet U", "", "", ""),
        ("asks(", "this parenthesis is not closed", "1:5", ""),
        ("\"asks\"", "the atom \"asks\" has arguments", "1:1", ""),
    ];
    for (text, message, place, help) in wrong {
        let error = check(Nets).formula(text).err().expect("it cannot be read").to_string();
        assert!(error.starts_with("error: "), "{text}: {error}");
        assert!(error.contains(message), "{text}: {error}");
        assert!(error.contains(&format!("formula:{place}")), "{text}: {error}");
        assert!(error.contains(help), "{text}: {error}");
    }
}

/// Formulas that hold for a reason that is not meant.
#[test]
fn what_holds_vacuously_is_said() {
    let warnings = |text: &str| -> String {
        let report = check(Nets).formula(text).expect("a formula").run().expect("a report");
        assert!(report.holds(), "{report}");
        let text = report.to_string();
        let lines = text.lines().filter(|line| line.starts_with("  warning"));
        lines.map(str::trim).collect::<Vec<_>>().join("\n")
    };
    let never = "is never true where it matters";
    let vacuous = [
        ("forall c: Client. G (@ask_for(c, _, Polite, 2) -> F quiet)", "@ask_for(c, _, Polite, 2)"),
        ("forall c: Client. G (asks(c) & quiet -> X (quiet -> F G quiet))", "asks(c) & quiet"),
        ("forall c: Client. G (\"quiet\" -> (asks(c) -> @tick))", "asks(c)"),
    ];
    for (text, left) in vacuous {
        assert_eq!(warnings(text), format!("warning   `{left}` {never}"), "{text}");
    }
    // The right sides are needed.
    let needed =
        ["forall c: Client, s: Server. G (asks_for(c, s) -> asks(c))", "G (@tick -> ticks)"];
    for text in needed {
        assert_eq!(warnings(text), "", "{text}");
    }
    let always = [
        "G (quiet | !quiet)",
        // Two events at once, or two owners, are no letter.
        "forall c: Client. G !(@tick & @ask_for(c, _, _, _)) & G !(@by(c) & @by(clock))",
        "forall c: Client. G (@by(c) -> @by(Client))",
    ];
    for text in always {
        assert_eq!(warnings(text), "warning   it is true of all runs of all systems", "{text}");
    }
}

/// Letters that exclude each other need no place in an automaton.
#[test]
fn automata_are_as_small_as_the_letters_allow() {
    let states = |text: &str| {
        let report = check(Nets).formula(text).expect("a formula").run().expect("a report");
        let work = report.answers()[0].finding().map(|finding| finding.work.clone());
        work.and_then(|work| work.product().map(|done| done.automaton_states)).expect("a search")
    };
    let alone = states("F G @tick");
    let impossible = [
        "G !(@tick & @ask_for & @\"give up\") & F G @tick",
        "forall c: Client. G !(@ask_for(c, _, Polite, _) & @ask_for(c, _, Rude, _)) & F G @tick",
        "forall distinct c, d: Client. G !(@by(c) & @by(d)) & F G @tick",
        "forall c: Client. G !(@by(c) & @by(clock)) & F G @tick",
    ];
    for text in impossible {
        assert_eq!(states(text), alone, "{text}");
    }
    // Without `distinct` both may be the same client.
    assert!(states("forall c, d: Client. G !(@by(c) & @by(d)) & F G @tick") > alone);
}
