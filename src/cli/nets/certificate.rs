//! Certificates of nets: what `check --certificate` writes, and how `verify` reads it.

use super::load;
use crate::certify::header::{About, Entry, Header, Kind, sha256};
use crate::certify::telling;
use crate::cli::budget::Budget;
use crate::cli::certificate::{Written, write};
use crate::cli::console::Console;
use crate::cli::error::Error;
use crate::cli::exit::Exit;
use crate::cli::verify::{Options, refused, told};
use crate::nets::certificates;
use ::certify::{Limits, Uncertified};
use engine::symmetry::Reduction;
use ltl::Diagnostic;
use nets::game::NetVocabulary;
use nets::{Formula, Game, Net};
use std::path::Path;
use terms::Demand;
use verify::Demands;

/// Something that holds of a net.
pub(super) enum Holds<'q> {
    /// All runs satisfy a formula.
    Formula(&'q Formula),
    /// No dead marking can be reached.
    NoDead,
}

/// The header for a net, without claims.
fn header(name: &str, net: &Net, questions: Vec<String>) -> Header {
    Header {
        model: name.to_owned(),
        sha256: hash(net),
        constants: serde_json::Map::new(),
        questions,
        claims: Vec::new(),
    }
}

/// The hash of a net: of the model that `isonomy print` makes of it, and of what it remarks.
fn hash(net: &Net) -> String {
    let printed = nets::print::print(net, &[]);
    sha256(&format!("{}\n{}\n{}", net.name, printed.remarks.join("\n"), printed.text))
}

fn about(questions: &[Formula]) -> About<'_, NetVocabulary> {
    About { formulas: Vec::new(), questions: questions.iter().collect(), properties: Vec::new() }
}

/// What a claim says.
fn text(header: &Header, entry: &Entry) -> String {
    match entry.kind {
        Kind::Question => {
            let text = header.questions.get(entry.number).map_or("", String::as_str);
            format!("formula `{text}`")
        }
        Kind::NotStuck | Kind::NotStuttering => "no dead marking".to_owned(),
        _ => "nothing goes wrong".to_owned(),
    }
}

/// What is to be certified: what is asked, by its name, and what holds, or why it is not certified.
pub(super) type Wanted<'q> = Vec<(String, Result<Holds<'q>, &'static str>)>;

/// Writes a certificate of what holds, and says what is not certified, and why.
pub(super) fn make(
    file: &Path,
    (name, net): (&str, &Net),
    wanted: Wanted<'_>,
    demand: Demand,
    reduction: Reduction,
    limits: Limits<'_>,
    console: &Console,
) -> Result<(), Error> {
    let (mut questions, mut entries, mut names) = (Vec::new(), Vec::new(), Vec::new());
    let mut unproved: Vec<(String, String)> = Vec::new();
    for (id, holds) in wanted {
        let (kind, number, runs) = match holds {
            Err(why) => {
                unproved.push((id, why.to_owned()));
                continue;
            }
            Ok(Holds::NoDead) => (Kind::NotStuck, 0, None),
            Ok(Holds::Formula(formula)) => {
                let Some(text) = certificates::text(net, formula) else {
                    unproved.push((id, "the formula cannot be written as a text".to_owned()));
                    continue;
                };
                questions.push(text);
                (Kind::Question, questions.len() - 1, Some(demand.into()))
            }
        };
        entries.push(Entry { kind, number, text: id.clone(), runs, vacuous: false });
        names.push(id);
    }
    if entries.is_empty() && unproved.is_empty() {
        let (kind, text) = (Kind::NoFailure, "nothing goes wrong".to_owned());
        entries.push(Entry { kind, number: 0, text: text.clone(), runs: None, vacuous: false });
        names.push(text);
    }
    // What is proved is what `verify` will read.
    let read = questions.iter().map(|text| nets::text::parse(text, net));
    let read: Vec<Formula> = read.collect::<Result<_, _>>().expect("it was read before");
    let about = about(&read);
    let claims = entries.iter().map(|one| one.claim(&about)).collect::<Option<Vec<_>>>();
    let claims = claims.expect("the header has what is asked");
    let symmetry = certificates::symmetry(net, &read);
    let mut written = Written::default();
    match certificates::certify(net, &symmetry, &claims, reduction, limits) {
        Err(Uncertified::Stopped(reason)) => {
            return Err(Error::Unwritten {
                what: "the certificate was not written".into(),
                reason,
            });
        }
        Err(why) => unproved.extend(names.into_iter().map(|name| (name, why.to_string()))),
        Ok(made) => {
            let mut outcomes = made.claims.iter().zip(names);
            entries.retain(|_| match outcomes.next() {
                Some((Err(why), name)) => {
                    unproved.push((name, why.to_string()));
                    false
                }
                _ => true,
            });
            if !entries.is_empty() {
                written = Written { claims: entries.len(), states: made.draft.states() };
                let header = Header { claims: entries, ..header(name, net, questions) };
                write(file, &header, &made.draft)?;
            }
        }
    }
    for (name, why) in unproved {
        console.note(&format!("no certificate for {name}: {why}"));
    }
    written.tell(&file.display().to_string(), console);
    Ok(())
}

/// Verifies a certificate of a net.
pub(in crate::cli) fn verify(
    options: &Options,
    budget: &Budget,
    header: &Header,
    body: impl std::io::Read,
    console: &mut Console,
) -> Result<Exit, Error> {
    options.of_net()?;
    let (source, net) = load::net(options.model.path(), budget, console)?;
    if hash(&net) != header.sha256 {
        return Err(options.is_about_another("net"));
    }
    let parse = |text: &String| nets::text::parse(text, &net);
    let questions = header.questions.iter().map(parse).collect::<Result<Vec<_>, Diagnostic>>();
    let questions = questions.map_err(|wrong| options.no_certificate(&wrong.message))?;
    let about = about(&questions);
    let claims = header.claims.iter().map(|entry| {
        let missing = || Error::usage(format!("the net has nothing like this: {}", entry.text));
        entry.claim(&about).ok_or_else(missing)
    });
    let claims = claims.collect::<Result<Vec<_>, _>>()?;
    options.agree(header, |entry| text(header, entry))?;
    let symmetry = certificates::symmetry(&net, &questions);
    let game = Game::new(&net, &symmetry);
    let (threads, watch) = (options.threads(), telling(&budget.watch()));
    let verified = verify::verify(&game, &claims, body, Demands::default(), threads, &watch);
    let verified = verified.map_err(|refusal| refused(options, refusal))?;
    let symmetric = if judge::Reference::index_types(&game).is_empty() {
        ""
    } else {
        "that colours are interchangeable as `isonomy describe` says, "
    };
    let trusted = format!("the reader of nets and formulas, the token game, {symmetric}");
    let text = told(header, &source.name, &verified, &trusted, |entry| text(header, entry));
    console.print(&text)?;
    Ok(Exit::Done)
}
